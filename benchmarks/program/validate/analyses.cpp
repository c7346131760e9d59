// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <complex>

#include <sunlagrange/analysis.hpp>
#include <sunlagrange/base/bisection.hpp>
#include <sunlagrange/elements/coordinate/applied_torque.hpp>
#include <sunlagrange/elements/coordinate/friction.hpp>
#include <sunlagrange/elements/coordinate/inertia.hpp>
#include <sunlagrange/elements/coordinate/prescribed.hpp>
#include <sunlagrange/elements/coordinate/spring.hpp>
#include <sunlagrange/elements/planar/distance.hpp>
#include <sunlagrange/elements/planar/point_mass.hpp>
#include <sunlagrange/elements/planar/uniform_gravity.hpp>
#include <sunlagrange/model/laws.hpp>

#include "mechanisms/mechanism.hpp"
#include "validate/validated_value.hpp"

/// Lines of `validate` for the analyses, each compared with a closed form or a published number.
namespace sunlagrange::program {
namespace {

using mechanisms::Mechanism;

constexpr double gravity = 9.81;

Mechanism made(const char* name) {
  return mechanisms::find_mechanism(name).make(0);
}

/// 1 kg on a rod of 1 m.
void pendulum(std::vector<ValidatedValue>& rows) {
  const Mechanism mechanism = made("pendulum");
  const Equilibrium rest = static_equilibrium(mechanism.system, {0.0, Eigen::Vector2d(0.6, -0.8)});
  const bool found = rest.status.finished();
  rows.push_back(compared("pendulum", "equilibrium", "force of the rod [N]",
                          found ? rest.reaction.norm() : Report::none, gravity, 1e-8, "its weight"));
  rows.push_back(compared("pendulum", "modes", "frequency at rest [Hz]",
                          found ? rest.modes.modes.front().frequency : Report::none,
                          std::sqrt(gravity) / (2.0 * std::acos(-1.0)), 1e-9, "sqrt(g / L) / 2 pi"));
  const InverseDynamics held = inverse_dynamics(
      mechanism.system,
      {0.0, Eigen::Vector2d(0.6, -0.8), Eigen::Vector2d::Zero(), Eigen::Vector2d::Zero(), Eigen::VectorXd()},
      {mechanism.system->position_name(0)});
  rows.push_back(compared("pendulum", "inverse_dynamics", "force that holds it aside [N]", std::abs(held.drive[0]),
                          gravity * 0.75, 1e-9, "m g tan(angle)"));
}

/// Forward sensitivities by CVODES and IDAS, from rest: q(t; L) = L Q(t sqrt(g / L)).
void sensitivities_of_the_pendulum(std::vector<ValidatedValue>& rows) {
  const Mechanism mechanism = made("pendulum");
  for (const char* formulation : {"baumgarte", "projected", "ggl", "stabilized_index1"}) {
    SimulationOptions options;
    options.formulation = formulation;
    options.rtol = options.atol = 1e-10;
    options.t_end = 2.0;
    SensitivityOptions wanted;
    wanted.parameters = {"rod.L"};
    const Sensitivities changes = sensitivities(mechanism.system, mechanism.start, options, wanted);
    const auto exact = mechanism.reference(options.t_end);
    ValidatedValue row = compared("pendulum", "sensitivities", "dx/dL at the end",
                                  changes.status.finished() ? changes.points.back().q(0, 0) : Report::none,
                                  exact->q[0] - 0.5 * options.t_end * exact->v[0], 1e-6,
                                  "similarity, from rest: dq/dL = (q - v t / 2) / L, q and v by elliptic functions");
    row.run += std::string(", ") + formulation;
    row.t = options.t_end;
    rows.push_back(row);
  }
}

/// Double pendulum of two bobs of 1 kg and rods of 1 m; the constraint of the upper rod is given twice.
void modes_with_a_redundant_row(std::vector<ValidatedValue>& rows) {
  Assembly assembly;
  const Block upper = assembly.add_coordinates("upper", BlockKind::planar_point);
  const Block lower = assembly.add_coordinates("lower", BlockKind::planar_point);
  assembly.add("mass of upper", PointMass{1.0}, {upper});
  assembly.add("mass of lower", PointMass{1.0}, {lower});
  assembly.add("weight of upper", UniformGravity{1.0}, {upper});
  assembly.add("weight of lower", UniformGravity{1.0}, {lower});
  assembly.add("rod", DistanceToGround{0.0, 0.0, 1.0}, {upper});
  assembly.add("rod again", DistanceToGround{0.0, 0.0, 1.0}, {upper});
  assembly.add("lower rod", Distance{1.0}, {upper, lower});
  const Equilibrium rest = static_equilibrium(assembly.build(), {0.0, Eigen::Vector4d(0.1, -1.0, 0.1, -2.0)});
  for (const bool fast : {false, true}) {
    double found = Report::none;
    for (const Mode& mode : rest.modes.modes) {
      if (std::isnan(found) || (fast ? mode.frequency > found : mode.frequency < found)) found = mode.frequency;
    }
    rows.push_back(
        compared("double pendulum, a rod twice", "modes", fast ? "faster frequency [Hz]" : "slower frequency [Hz]",
                 rest.status.finished() ? found : Report::none,
                 std::sqrt((fast ? 2.0 + std::sqrt(2.0) : 2.0 - std::sqrt(2.0)) * gravity) / (2.0 * std::acos(-1.0)),
                 1e-9, "w^2 = (2 +- sqrt(2)) g / L"));
  }
}

/// Gradient by the adjoint equations, from rest: q(t; L) = L Q(t sqrt(g / L)).
void gradient_of_the_pendulum(std::vector<ValidatedValue>& rows) {
  const Mechanism mechanism = made("pendulum");
  SimulationOptions options;
  options.formulation = "projected";
  options.rtol = options.atol = 1e-10;
  options.t_end = 2.0;
  GradientOptions wanted;
  wanted.parameters = {"rod.L"};
  const std::string x = mechanism.system->position_name(0);
  const Gradient found = gradient(mechanism.system, mechanism.start, options,
                                  named_functional(*mechanism.system, "final " + x, options.t_end), wanted);
  const auto exact = mechanism.reference(options.t_end);
  ValidatedValue row = compared("pendulum", "gradient", "dx/dL at the end, by the adjoint",
                                found.status.finished() ? found.gradient[0] : Report::none,
                                exact->q[0] - 0.5 * options.t_end * exact->v[0], 1e-6,
                                "similarity, from rest: dq/dL = (q - v t / 2) / L, q and v by elliptic functions");
  row.t = options.t_end;
  rows.push_back(row);
}

/// Response of the hanging pendulum to a horizontal force: C (i w - A)^-1 B + D.
void response_of_the_pendulum(std::vector<ValidatedValue>& rows) {
  Assembly assembly;
  const Block bob = assembly.add_coordinates("bob", BlockKind::planar_point);
  assembly.add("mass", PointMass{1.0}, {bob});
  assembly.add("weight", UniformGravity{1.0}, {bob});
  assembly.add("rod", DistanceToGround{0.0, 0.0, 1.0}, {bob});
  assembly.add("push", AxialForce{Input{0.0}}, {coordinate_of(bob, 0)});
  const StateSpace s = state_space(assembly.build(), {0.0, Eigen::Vector2d(0.0, -1.0)}, {"push"}, {"bob.x", "bob.x''"});
  constexpr double rate = 5.0;  // [rad/s]
  for (const int output : {0, 1}) {
    double response = Report::none;
    if (s.status.finished()) {
      const std::complex<double> i_w(0.0, rate);
      const std::complex<double> determinant = (i_w - s.A(0, 0)) * (i_w - s.A(1, 1)) - s.A(0, 1) * s.A(1, 0);
      const std::complex<double> y = ((i_w - s.A(1, 1)) * s.B(0, 0) + s.A(0, 1) * s.B(1, 0)) / determinant;
      const std::complex<double> w = (s.A(1, 0) * s.B(0, 0) + (i_w - s.A(0, 0)) * s.B(1, 0)) / determinant;
      response = (s.C(output, 0) * y + s.C(output, 1) * w).real() + s.D(output, 0);
    }
    const double exact = 1.0 / (gravity - rate * rate);
    rows.push_back(compared("pendulum", "state_space",
                            output == 0 ? "response to a force at 5 rad/s [m/N]" : "of the acceleration [1/kg]",
                            response, output == 0 ? exact : -rate * rate * exact, 1e-9, "1 / (m (g / L - w^2))"));
  }
}

/// Estimated error compared with the true error. Multistep methods: benchmarks/results.
void error_of_the_pendulum(std::vector<ValidatedValue>& rows) {
  const Mechanism mechanism = made("pendulum");
  for (const char* integrator : {"dopri5", "rk4"}) {
    SimulationOptions options;
    options.formulation = "baumgarte";
    options.integrator = integrator;
    options.rtol = options.atol = 1e-7;
    const bool fixed = integrator == std::string("rk4");
    if (fixed) options.step = 5e-3;
    options.t_end = 5.0;
    options.estimate_error = true;
    const Simulation run = simulate(mechanism.system, mechanism.start, options);
    const auto exact = mechanism.reference(options.t_end);
    double estimated = Report::none, error = Report::none;
    if (run.status.finished() && run.report.error_estimate) {
      estimated = run.report.error_estimate->q.lpNorm<Eigen::Infinity>();
      error = (run.trajectory.q(run.trajectory.size() - 1) - exact->q).lpNorm<Eigen::Infinity>();
    }
    ValidatedValue row =
        compared("pendulum", "error_estimate", "error of q at the end [m]", estimated, error, 0.3 * error,
                 "the run against elliptic functions; what the companion has of it is known by the order");
    row.run += std::string(", ") + integrator;
    row.t = options.t_end;
    rows.push_back(row);
  }
}

/// A run that is saved halfway and resumed.
void resumed_pendulum(std::vector<ValidatedValue>& rows) {
  const Mechanism mechanism = made("pendulum");
  SimulationOptions options;
  options.formulation = "projected";
  options.integrator = "dopri5";
  options.rtol = options.atol = 1e-11;
  options.t_end = 10.0;
  Stepper first(mechanism.system, mechanism.start, options);
  first.advance_to(5.0);
  Stepper second(mechanism.system, first.save(), options);
  while (second.step()) {
  }
  const Simulation rest = second.finish();
  ValidatedValue row =
      compared("pendulum", "checkpoint", "x of a run that goes on from 5 s [m]",
               rest.status.finished() ? rest.trajectory.q(rest.trajectory.size() - 1)[0] : Report::none,
               mechanism.reference(options.t_end)->q[0], 1e-6, "exact, Jacobi elliptic functions");
  row.t = options.t_end;
  rows.push_back(row);
}

/// Largest error of the slider over a turn; crank 0.5 m, rod 1 m.
void slider_crank(std::vector<ValidatedValue>& rows) {
  const Mechanism mechanism = made("slider_crank");
  std::vector<double> grid;
  for (int k = 0; k <= 36; ++k) grid.push_back(mechanism.start.q[0] + std::acos(-1.0) * k / 18.0);
  const Kinematics found = kinematics(mechanism.system, mechanism.start, "q", grid);
  ValidatedValue row = compared("slider_crank", "kinematics", "slider over a turn [m]", Report::none, Report::none,
                                1e-9, "r cos(s) + sqrt(L^2 - r^2 sin(s)^2)");
  if (found.status.finished()) row.error = 0.0;
  for (const KinematicBranch& branch : found.branches) {
    for (const KinematicPoint& point : branch.points) {
      const double y = 0.5 * std::sin(point.s), x = 0.5 * std::cos(point.s) + std::sqrt(1.0 - y * y);
      if (std::abs(point.q[1] - x) < row.error) continue;
      row.ours = point.q[1];
      row.reference = x;
      row.error = std::abs(point.q[1] - x);
    }
  }
  rows.push_back(row);
}

/// Workspace of two rods of 1 m: the determinant changes its sign in the stretched and the folded pose.
void arm(std::vector<ValidatedValue>& rows) {
  const Mechanism mechanism = mechanisms::find_mechanism("chain").make(2);
  WorkspaceOptions options;
  options.offset = {0.5, 0.0, 0.0};
  const MechanismWorkspace found = workspace(mechanism.system, mechanism.start, {"rod 2"},
                                             {{"rod 1.phi", -1.0, 1.0, 9}, {"rod 2.phi", -1.1, 4.0, 20}}, options);
  double reach = Report::none, error = 0.0;
  for (const WorkspaceBoundary& b : found.boundary) {
    if (b.kind != WorkspaceBoundary::Kind::singular) continue;
    reach = b.place.norm();
    error = std::max(error, std::min(std::abs(reach - 2.0), reach));
  }
  ValidatedValue row = compared("chain", "workspace", "reach of two rods, stretched or folded [m]", reach,
                                reach > 1.0 ? 2.0 : 0.0, 1e-6, "the sum of the lengths, or their difference");
  if (found.status.finished() && !std::isnan(reach)) row.error = error;
  rows.push_back(row);
}

/// Identification of the spring of Andrews' mechanism from the positions of its bodies at 0.03 s.
void andrews(std::vector<ValidatedValue>& rows) {
  const Mechanism mechanism = made("andrews");
  const auto end = mechanism.reference(0.03);
  std::vector<Measurement> measured;
  for (int i = 0; end && i < mechanism.system->num_positions(); ++i)
    measured.push_back({mechanism.system->position_name(i), {0.03}, {end->q[i]}, 1e-6});
  SimulationOptions options;
  options.formulation = "baumgarte";
  options.rtol = options.atol = 1e-10;
  InitialState start = mechanism.start;
  start.fixed_positions = {"beta"};
  IdentificationOptions wanted;
  wanted.parameters = {"model.c0"};
  wanted.deviations_known = false;
  const Identification found =
      identify(with_parameters(mechanism.system, {{"model.c0", 4500.0}}), start, measured, options, wanted);
  ValidatedValue row = compared("andrews", "identify", "stiffness c0 [N/m]",
                                found.status.finished() ? found.parameters.front().value : Report::none, 4530.0, 1e-3,
                                "IVP test set: its end point was computed with 4530");
  row.t = 0.03;
  rows.push_back(row);
}

/// A block of 2 kg with 3 m/s against a friction of 4 N: m v' = -F tanh(v / v_r).
void sliding_block(std::vector<ValidatedValue>& rows) {
  const double pi = std::acos(-1.0);
  constexpr double mass = 2.0, force = 4.0, v_r = 0.05, v0 = 3.0;
  Assembly assembly;
  const Block x = assembly.add_coordinates("x", BlockKind::translation);
  assembly.add("mass", SlidingMass{mass}, {x});
  assembly.add("friction", AxialFrictionToGround{force, v_r}, {x});
  const auto system = assembly.build();
  SimulationOptions options;
  options.formulation = "unstabilized";
  options.rtol = options.atol = 1e-10;
  const auto add = [&](double t, const char* quantity, bool speed, double exact, double allowed, const char* source) {
    options.t_end = t;
    const Simulation run = simulate(system, {0.0, Eigen::VectorXd::Zero(1), Eigen::VectorXd::Constant(1, v0)}, options);
    const std::size_t last = run.trajectory.size() - 1;
    const double ours = speed ? run.trajectory.v(last)[0] : run.trajectory.q(last)[0];
    ValidatedValue row =
        compared("block", "friction", quantity, run.status.finished() ? ours : Report::none, exact, allowed, source);
    row.t = t;
    rows.push_back(row);
  };
  add(1.49, "rate as it stops [m/s]", true,
      v_r * std::asinh(std::sinh(v0 / v_r) * std::exp(-force * 1.49 / mass / v_r)), 1e-7,
      "sinh(v / v_r) = sinh(v0 / v_r) exp(-F t / m v_r)");
  add(3.0, "stopping distance [m]", false, mass / force * (0.5 * v0 * v0 + v_r * v_r * pi * pi / 12.0), 1e-7,
      "Coulomb's m v0^2 / 2 F, and m v_r^2 pi^2 / 12 F of the smoothing");
}

/// A ball on a floor, e = 0.5: after the bounce y = e u (t - t1) - g (t - t1)^2 / 2, u = g t1, t1 = sqrt(2 h / g).
void bouncing_ball(std::vector<ValidatedValue>& rows) {
  constexpr double e = 0.5, h = 1.0, t = 0.7;
  Assembly assembly;
  const Block y = assembly.add_coordinates("y", BlockKind::translation);
  assembly.add("mass", SlidingMass{1.0}, {y});
  assembly.add("weight", AxialForce{ConstantEffort{-gravity}}, {y});
  assembly.add("floor", PrescribedCoordinate{Constant{0.0}}, {y});
  SimulationOptions options;
  options.formulation = "baumgarte";
  options.rtol = options.atol = 1e-10;
  options.t_end = t;
  options.events = {impact_event("floor", e)};
  SensitivityOptions wanted;
  wanted.start_positions = {"y"};
  const Sensitivities found = sensitivities(assembly.build(), {0.0, Eigen::VectorXd::Constant(1, h)}, options, wanted);
  const double t1 = std::sqrt(2.0 * h / gravity), u = gravity * t1, since = t - t1;
  const double exact = e * (gravity / u * since - 1.0) + gravity * since / u;
  ValidatedValue row = compared("ball", "sensitivities", "dy/dh after a bounce",
                                found.status.finished() ? found.points.back().q(0, 0) : Report::none, exact, 1e-7,
                                "y = e u (t - t1) - g (t - t1)^2 / 2, u = g t1, t1 = sqrt(2 h / g)");
  row.t = t;
  rows.push_back(row);
}

/// Two bars of 1 m joined at a knee, which a load presses down, and a slider, which a spring of 100 N/m pushes in.
void toggle(std::vector<ValidatedValue>& rows) {
  constexpr double k = 100.0, angle = 0.5;
  const auto holds = [&](double load) {
    Assembly assembly;
    const Block knee = assembly.add_coordinates("knee", BlockKind::planar_point);
    const Block slider = assembly.add_coordinates("slider", BlockKind::planar_point);
    assembly.add("mass of the knee", PointMass{1.0}, {knee});
    assembly.add("mass of the slider", PointMass{1.0}, {slider});
    assembly.add("left bar", DistanceToGround{0.0, 0.0, 1.0}, {knee});
    assembly.add("right bar", Distance{1.0}, {knee, slider});
    assembly.add("guide", PrescribedCoordinate{Constant{0.0}}, {coordinate_of(slider, 1)});
    AxialSpringToGround spring;
    spring.k = k;
    spring.rest = 2.0 * std::cos(angle);
    assembly.add("spring", spring, {coordinate_of(slider, 0)});
    assembly.add("load", AxialForce{ConstantEffort{-load}}, {coordinate_of(knee, 1)});
    const Equilibrium rest = static_equilibrium(
        assembly.build(), {0.0, Eigen::Vector4d(std::cos(angle), std::sin(angle), 2.0 * std::cos(angle), 0.0)});
    return rest.status.finished() && rest.modes.stability == Stability::stable && rest.state.q[0] > 0.0 &&
           rest.state.q[1] > 0.0;
  };
  const double snap = std::acos(std::cbrt(std::cos(angle)));
  rows.push_back(compared("toggle", "equilibrium", "buckling load [N]", bisect(holds, {0.0, 50.0}, 1e-7).in,
                          4.0 * k * (std::cos(snap) - std::cos(angle)) * std::tan(snap), 1e-6,
                          "largest of 4 k (cos a - cos a0) tan a: cos a = cbrt(cos a0)"));
}

}  // namespace

ValidatedValue compared(const char* mechanism, const char* analysis, const char* quantity, double ours,
                        double reference, double allowed, const char* source) {
  ValidatedValue row;
  row.mechanism = mechanism;
  row.run = analysis;
  row.quantity = quantity;
  row.ours = ours;
  row.reference = reference;
  row.error = std::abs(ours - reference);
  row.allowed = allowed;
  row.source = source;
  return row;
}

void validate_analyses(const std::function<bool(const std::string& mechanism)>& asked,
                       std::vector<ValidatedValue>& rows) {
  if (asked("pendulum")) {
    pendulum(rows);
    sensitivities_of_the_pendulum(rows);
    gradient_of_the_pendulum(rows);
    response_of_the_pendulum(rows);
    error_of_the_pendulum(rows);
    resumed_pendulum(rows);
    modes_with_a_redundant_row(rows);  // uses models of its own
    sliding_block(rows);
    bouncing_ball(rows);
    toggle(rows);
    validate_modes(rows);
  }
  if (asked("slider_crank")) slider_crank(rows);
  if (asked("chain")) arm(rows);
  if (asked("andrews")) andrews(rows);
}

}  // namespace sunlagrange::program
