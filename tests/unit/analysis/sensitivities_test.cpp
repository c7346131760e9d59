// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <Eigen/Dense>

#include <sunlagrange/analysis.hpp>
#include <sunlagrange/elements.hpp>

#include "mechanisms/mechanism.hpp"
#include "model/evaluation.hpp"
#include "model/parameters/parameter_derivative.hpp"

/// Sensitivities against laws that hold for every motion, and against Richardson differences of runs.
using namespace sunlagrange;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using mechanisms::Mechanism;

namespace {

const std::vector<std::string> all_forms = {"baumgarte", "penalty", "projected", "ggl", "stabilized_index1"};

/// With error control IDAS has the staggered method alone.
std::vector<SensitivityMethod> methods_of(const std::string& formulation) {
  if (formulation == "ggl" || formulation == "stabilized_index1") return {SensitivityMethod::staggered};
  return {SensitivityMethod::simultaneous, SensitivityMethod::staggered};
}

SimulationOptions options_for(const std::string& formulation, double t_end, double tolerance) {
  SimulationOptions options;
  options.formulation = formulation;
  options.t_end = t_end;
  options.rtol = options.atol = tolerance;
  return options;
}

/// A run of high order from the consistent state of the unchanged system, with other parameters and start values.
VectorXd end_of_run(const Mechanism& mechanism, const MotionState& start, const std::string& name, double change,
                    double t_end) {
  auto system = mechanism.system;
  InitialState from{start.t, start.q, start.v, mechanism.start.fixed_positions, mechanism.start.fixed_velocities};
  if (name.substr(0, 2) == "q(" || name.substr(0, 2) == "v(") {
    const int j = system->position_indices(name.substr(2, name.size() - 3)).front();
    (name[0] == 'q' ? from.q : from.v)[j] += change;
  } else {
    for (const SystemParameter& parameter : system_parameters(*system)) {
      if (parameter.name == name) system = with_parameters(system, {{name, parameter.value + change}});
    }
  }
  SimulationOptions options = options_for("baumgarte", t_end, 1e-12);
  options.integrator = "fehlberg8";
  options.record = Record::ends_only;
  const Simulation run = simulate(system, from, options);
  BOOST_REQUIRE_MESSAGE(run.status.finished(), name << ": " << run.status.message);
  const Index n = system->num_positions();
  VectorXd end(2 * n);
  end << run.trajectory.q(run.trajectory.size() - 1), run.trajectory.v(run.trajectory.size() - 1);
  return end;
}

/// Central differences with steps h and h/2, extrapolated: error O(h^4).
VectorXd richardson(const Mechanism& mechanism, const MotionState& start, const std::string& name, double h,
                    double t_end) {
  const auto central = [&](double step) -> VectorXd {
    return (end_of_run(mechanism, start, name, step, t_end) - end_of_run(mechanism, start, name, -step, t_end)) /
           (2.0 * step);
  };
  return (4.0 * central(0.5 * h) - central(h)) / 3.0;
}

void check_against_differences(const Mechanism& mechanism, const SensitivityOptions& wanted, double t_end,
                               double relative_step, const std::vector<std::string>& forms, double tolerance) {
  std::vector<VectorXd> expected;
  for (const std::string& form : forms) {
    for (const SensitivityMethod method : methods_of(form)) {
      SensitivityOptions asked = wanted;
      asked.method = method;
      const Sensitivities found =
          sensitivities(mechanism.system, mechanism.start, options_for(form, t_end, tolerance), asked);
      BOOST_TEST_CONTEXT(form << ", " << to_string(method)) {
        BOOST_REQUIRE_MESSAGE(found.status.finished(), found.status.message);
        BOOST_REQUIRE(found.points.size() == 2U);
        const SensitivityPoint& end = found.points.back();
        const Index n = end.q.rows();
        for (Index i = 0; i < end.q.cols(); ++i) {
          const SystemParameter& about = found.parameters[static_cast<std::size_t>(i)];
          const bool of_start = about.name[1] == '(';
          const double size = of_start || about.value == 0.0 ? 1.0 : std::abs(about.value);
          if (static_cast<Index>(expected.size()) <= i) {
            expected.push_back(
                richardson(mechanism, found.points.front().state, about.name, relative_step * size, t_end));
          }
          VectorXd s(2 * n);
          s << end.q.col(i), end.v.col(i);
          const VectorXd& e = expected[static_cast<std::size_t>(i)];
          // A mass changes nothing of a motion that is prescribed: then it is small against what the state would be.
          const double least = 1e-3 * end.state.q.lpNorm<Eigen::Infinity>() / size;
          const double error = (s - e).lpNorm<Eigen::Infinity>() / std::max(e.lpNorm<Eigen::Infinity>(), least);
          BOOST_TEST(error < 1e-6, about.name << ": " << error);
        }
        BOOST_TEST(found.constraint_error < 1e-6);
      }
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(parameters_by_name) {
  const Mechanism pendulum = mechanisms::find_mechanism("pendulum").make(0);
  std::vector<std::string> names;
  for (const SystemParameter& parameter : system_parameters(*pendulum.system)) names.push_back(parameter.name);
  const std::vector<std::string> expected = {"mass.m", "weight.m",     "weight.gx",   "weight.gy",
                                             "rod.L",  "rod.ground_x", "rod.ground_y"};
  BOOST_TEST(names == expected, boost::test_tools::per_element());

  const auto longer = with_parameters(pendulum.system, {{"rod.L", 2.0}, {"mass.m", 3.0}});
  BOOST_TEST(longer->constraint_name(0) == pendulum.system->constraint_name(0));
  BOOST_TEST(longer->position_name(1) == pendulum.system->position_name(1));
  const SystemQuantities at = SystemEvaluator(longer).at(0.0, Eigen::Vector2d(2.0, 0.0));
  BOOST_TEST(at.g[0] == 0.0);
  BOOST_TEST(at.M(0, 0) == 3.0);

  const auto refused = [&](const std::vector<std::pair<std::string, double>>& values, const std::string& part) {
    BOOST_CHECK_EXCEPTION(with_parameters(pendulum.system, values), Error, [&](const Error& error) {
      return std::string(error.what()).find(part) != std::string::npos;
    });
  };
  refused({{"rod.LL", 1.0}}, "did you mean");
  refused({{"rod.L", -1.0}}, "positive");
  refused({{"rod.L", 1.0}, {"rod.L", 2.0}}, "twice");
}

/// One mass that stands in the model twice: set as one, a pendulum of any mass moves the same; the derivative is the
/// sum.
BOOST_AUTO_TEST_CASE(linked_parameters_are_one) {
  const Mechanism pendulum = mechanisms::find_mechanism("pendulum").make(0);
  const auto heavy = with_parameters(pendulum.system, {{"mass.m,weight.m", 3.0}});
  const SystemQuantities at = SystemEvaluator(heavy).at(0.0, Eigen::Vector2d(1.0, 0.0));
  BOOST_TEST(at.M(0, 0) == 3.0);
  BOOST_TEST(at.f[1] == -3.0 * 9.81);

  SensitivityOptions wanted;
  wanted.parameters = {"mass.m", "weight.m", "mass.m,weight.m"};
  const Sensitivities found =
      sensitivities(pendulum.system, pendulum.start, options_for("baumgarte", 1.0, 1e-8), wanted);
  BOOST_REQUIRE_MESSAGE(found.status.finished(), found.status.message);
  const Eigen::MatrixXd& q = found.points.back().q;
  BOOST_TEST(q.col(0).norm() > 0.1);
  BOOST_TEST((q.col(0) + q.col(1) - q.col(2)).norm() < 1e-6);
  BOOST_TEST(q.col(2).norm() < 1e-6);
  BOOST_TEST(found.parameters.back().name == "mass.m,weight.m");
  BOOST_TEST(found.parameters.back().unit == "kg");

  const auto refused = [&](const auto& work, const std::string& part) {
    BOOST_CHECK_EXCEPTION(work(), Error, [&](const Error& error) {
      BOOST_TEST_MESSAGE(error.what());
      return std::string(error.what()).find(part) != std::string::npos;
    });
  };
  const auto set = [&](const std::string& name) {
    return [&pendulum, name] { return with_parameters(pendulum.system, {{name, 2.0}, {"mass.m", 2.0}}); };
  };
  refused(set("weight.m,mass.m"), "twice");
  refused(set("weight.m,weight.m"), "twice");
  refused(set("weight.m,weigth.gx"), "did you mean \"weight.gx\"");
  refused(set("weight.m,rod.L"), "weight.m in kg and rod.L in m");
  const auto uneven = with_parameters(pendulum.system, {{"mass.m", 3.0}});
  refused([&] { return internal::ParameterDerivative(uneven, "mass.m,weight.m").size(); }, "set them equal");
}

/// Of M a + G^T lambda - f, g, g', and G a - gamma, by hand.
BOOST_AUTO_TEST_CASE(explicit_derivatives) {
  const Mechanism pendulum = mechanisms::find_mechanism("pendulum").make(0);
  const double q[] = {0.6, -0.8}, v[] = {0.4, 0.3}, a[] = {-2.0, 5.0}, lambda[] = {7.0};
  const internal::Point at{0.0, q, v, a, lambda};
  internal::ParameterTerms terms;
  const auto by = [&](const char* name) -> const internal::ParameterTerms& {
    BOOST_REQUIRE(internal::ParameterDerivative(pendulum.system, name).evaluate(at, terms));
    return terms;
  };
  const auto near = [](double x, double y) { return std::abs(x - y) <= 1e-11 * (1.0 + std::abs(y)); };
  BOOST_TEST((near(by("mass.m").r[0], a[0]) && near(terms.r[1], a[1])));
  BOOST_TEST((near(by("weight.m").r[1], 9.81) && near(terms.r[0], 0.0)));
  BOOST_TEST((near(by("weight.gx").r[0], -1.0) && near(terms.g[0], 0.0)));  // from zero
  BOOST_TEST((near(by("rod.L").g[0], -1.0) && near(terms.r.norm(), 0.0) && near(terms.A[0], 0.0)));
  BOOST_TEST(near(by("rod.ground_x").r[0], -lambda[0]));
  BOOST_TEST((near(terms.g[0], -q[0]) && near(terms.g_rate[0], -v[0]) && near(terms.A[0], -a[0])));
}

/// r is linear in the moments of inertia. At Jzz = Jxx + Jyy larger Jzz and smaller Jxx are refused.
BOOST_AUTO_TEST_CASE(derivatives_at_the_edge_of_a_relation_are_one_sided) {
  const double q[] = {0.1, 0.2, 0.3, 0.8, 0.2, -0.4, 0.4}, v[] = {0.1, 0.2, 0.3, 0.5, -0.4, 0.3, 0.2},
               a[] = {0.4, 0.5, 0.6, 0.2, 0.7, -0.1, 0.3}, lambda[] = {0.6};
  const internal::Point at{0.0, q, v, a, lambda};
  const auto body = [](double Jxx, double Jyy, double Jzz) {
    Assembly assembly;
    assembly.body("b", SpatialBody{1.0, Jxx, Jyy, Jzz});
    return std::shared_ptr<const MechanicalSystem>(assembly.build());
  };
  const auto by = [&](const std::shared_ptr<const MechanicalSystem>& system, const char* name) -> VectorXd {
    internal::ParameterTerms terms;
    BOOST_REQUIRE(internal::ParameterDerivative(system, name).evaluate(at, terms));
    return terms.r;
  };
  for (const char* name : {"b.Jxx", "b.Jzz"}) {
    const VectorXd inside = by(body(1.2, 1.0, 1.5), name), edge = by(body(1.0, 1.0, 2.0), name);
    BOOST_TEST(inside.norm() > 0.1);
    BOOST_TEST((edge - inside).norm() < 1e-9 * inside.norm(), name);
  }
  const auto complaint = [](const std::shared_ptr<const MechanicalSystem>& system, const char* name) -> std::string {
    try {
      internal::ParameterDerivative(system, name);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const auto rod = body(0.0, 1.0, 1.0);  // Jyy may change with Jzz only
  BOOST_TEST(complaint(rod, "b.Jyy").find("on either side") != std::string::npos, complaint(rod, "b.Jyy"));
  BOOST_TEST(complaint(rod, "b.norm_inertia").find("mean moment of inertia") != std::string::npos);
}

/// x = L X(t sqrt(g m_weight / (L m))) for every pendulum that starts at rest: the derivatives follow from q and v.
BOOST_AUTO_TEST_CASE(pendulum_of_any_size) {
  const Mechanism pendulum = mechanisms::find_mechanism("pendulum").make(0);
  SensitivityOptions wanted;
  wanted.parameters = {"weight.gy", "mass.m", "rod.L", "rod.ground_y"};
  wanted.times = {0.0, 0.7, 1.5, 3.0};
  for (const std::string& form : all_forms) {
    for (const SensitivityMethod method : methods_of(form)) {
      wanted.method = method;
      const Sensitivities found = sensitivities(pendulum.system, pendulum.start, options_for(form, 3.0, 1e-10), wanted);
      BOOST_TEST_CONTEXT(form << ", " << to_string(method)) {
        BOOST_REQUIRE_MESSAGE(found.status.finished(), found.status.message);
        BOOST_REQUIRE(found.points.size() == 4U);
        BOOST_TEST(found.constraint_error < 1e-8);
        for (const SensitivityPoint& point : found.points) {
          const MotionState& s = point.state;
          const double half = 0.5 * s.t;
          const auto check = [&](Index column, const Eigen::Vector2d& q, const Eigen::Vector2d& v, double lambda) {
            BOOST_TEST((point.q.col(column) - q).norm() < 2e-6 * (1.0 + q.norm()), column << " at " << s.t);
            BOOST_TEST((point.v.col(column) - v).norm() < 2e-6 * (1.0 + v.norm()), column << " at " << s.t);
            BOOST_TEST(std::abs(point.lambda(0, column) - lambda) < 2e-5 * (1.0 + std::abs(lambda)));
          };
          const Eigen::Vector2d dq = half * s.v, dv = half * s.a + 0.5 * s.v;
          const double rate = -3.0 * 9.81 * s.v[1];  // of lambda = -3 g y / L^2 m
          const double dl = half * rate + s.lambda[0];
          check(0, -dq / 9.81, -dv / 9.81, -dl / 9.81);
          check(1, -dq, -dv, -half * rate);
          check(2, s.q - dq, s.v - dv, -half * rate - s.lambda[0]);
          // The pivot rises, the start stays at (1, 0) to first order: it turns about the pivot.
          if (s.t == 0.0) check(3, Eigen::Vector2d::Zero(), Eigen::Vector2d::Zero(), 9.81);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(start_values_of_the_pendulum) {
  const Mechanism pendulum = mechanisms::find_mechanism("pendulum").make(0);
  SensitivityOptions wanted;
  wanted.parameters = {"rod.ground_y", "weight.gx"};
  wanted.start_positions = {"bob[0]", "bob[1]"};
  wanted.start_velocities = {"bob[1]"};
  check_against_differences(pendulum, wanted, 2.0, 1e-2, all_forms, 1e-10);
}

BOOST_AUTO_TEST_CASE(two_link_arm) {
  SensitivityOptions wanted;
  wanted.parameters = {"model.l", "model.m", "model.speed", "model.x0"};
  check_against_differences(mechanisms::find_mechanism("two_link").make(0), wanted, 0.3, 1e-3, all_forms, 1e-10);
}

BOOST_AUTO_TEST_CASE(andrews_mechanism) {
  SensitivityOptions wanted;
  wanted.parameters = {"model.c0", "model.torque", "model.m3", "model.ss"};
  wanted.start_velocities = {"beta"};
  check_against_differences(mechanisms::find_mechanism("andrews").make(0), wanted, 0.01, 1e-3, all_forms, 1e-10);
}

// IDAS tests the errors of the motion alone then: those of the sensitivities may have any size.
BOOST_AUTO_TEST_CASE(errors_that_idas_does_not_test_are_refused) {
  const Mechanism pendulum = mechanisms::find_mechanism("pendulum").make(0);
  SensitivityOptions wanted;
  wanted.parameters = {"rod.L"};
  wanted.method = SensitivityMethod::simultaneous;
  for (const char* form : {"ggl", "stabilized_index1"}) {
    wanted.error_control = true;
    BOOST_CHECK_EXCEPTION(
        sensitivities(pendulum.system, pendulum.start, options_for(form, 0.5, 1e-8), wanted), Error,
        [](const Error& error) { return std::string(error.what()).find("use staggered") != std::string::npos; });
    wanted.error_control = false;
    BOOST_TEST(sensitivities(pendulum.system, pendulum.start, options_for(form, 0.5, 1e-8), wanted).status.finished(),
               form);
  }
}

namespace {

/// Two discs of 1 kg m^2 on a torsion spring of 10 N m/rad.
struct Discs {
  static constexpr int num_positions = 2;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = 1.0;
  }
  template <class T>
  void applied_force(T, View<const T> q, View<const T>, View<T> f) const {
    f[0] = 10.0 * (q[1] - q[0]);
    f[1] = -f[0];
  }
};

}  // namespace

// d x(2)/d v_x(0) of a hanging pendulum is sin(2 w)/w, w = sqrt 9.81; d phi_1(3)/d omega_1 of the discs, both at
// 1 rad/s, is 1.5 + sin(3 w)/(2 w), w = sqrt 20. IDAS lowers its order where the motion has no error.
BOOST_AUTO_TEST_CASE(sensitivities_at_rest_and_in_steady_motion_are_right_or_refused) {
  const Mechanism pendulum = mechanisms::find_mechanism("pendulum").make(0);
  const auto discs = make_system(Discs{});
  const double w = std::sqrt(9.81), k = std::sqrt(20.0);
  struct Case {
    std::shared_ptr<const MechanicalSystem> system;
    InitialState start;
    double t_end, right;
  };
  for (const Case& c : {Case{pendulum.system, {0.0, Eigen::Vector2d(0.0, -1.0), {}}, 2.0, std::sin(2.0 * w) / w},
                        Case{discs,
                             {0.0, Eigen::Vector2d(0.0, 0.0), Eigen::Vector2d(1.0, 1.0)},
                             3.0,
                             1.5 + std::sin(3.0 * k) / (2.0 * k)}}) {
    SensitivityOptions wanted;
    wanted.start_velocities = {c.system->position_name(0)};
    wanted.times = {c.t_end};
    for (const std::string& form : all_forms) {
      if (form == "penalty" && c.system == discs) continue;  // it has no rows
      const Sensitivities s = sensitivities(c.system, c.start, options_for(form, c.t_end, 1e-6), wanted);
      const bool of_idas = form == "ggl" || form == "stabilized_index1";
      if (s.status.finished()) BOOST_TEST(std::abs(s.points.back().q(0, 0) - c.right) < 1e-4, form);
      BOOST_TEST((s.status.finished() || of_idas), form << ": " << s.status.message);
      if (of_idas) BOOST_TEST(s.status.message.find("use formulation baumgarte") != std::string::npos, form);
    }
  }
}

/// Redundant rows that stay so: gravity and masses. A length of one of several parallel bars would break them.
BOOST_AUTO_TEST_CASE(redundant_rows) {
  const Mechanism bars = mechanisms::find_mechanism("bricard").make(0);
  SensitivityOptions wanted;
  for (const SystemParameter& parameter : system_parameters(*bars.system)) {
    if (wanted.parameters.empty() && parameter.unit == "kg") wanted.parameters = {parameter.name};
  }
  BOOST_REQUIRE(!wanted.parameters.empty());
  check_against_differences(bars, wanted, 0.5, 1e-2, {"baumgarte", "projected"}, 1e-9);
  BOOST_CHECK_THROW(sensitivities(bars.system, bars.start, options_for("ggl", 0.5, 1e-8), wanted), Error);
}

/// Two rods between the same points: one of them alone cannot become longer, both weigh nothing.
BOOST_AUTO_TEST_CASE(rows_that_would_contradict) {
  Assembly assembly;
  const Block bob = assembly.add_coordinates("bob", BlockKind::planar_point);
  assembly.add("mass", PointMass{1.0}, {bob});
  assembly.add("weight", UniformGravity{1.0}, {bob});
  assembly.add("rod", DistanceToGround{0.0, 0.0, 1.0}, {bob});
  assembly.add("twin", DistanceToGround{0.0, 0.0, 1.0}, {bob});
  const auto system = assembly.build();
  InitialState start;
  start.q = Eigen::Vector2d(1.0, 0.0);
  SensitivityOptions wanted;
  wanted.parameters = {"rod.L"};
  const Sensitivities alone = sensitivities(system, start, options_for("baumgarte", 1.0, 1e-8), wanted);
  BOOST_TEST((alone.status.outcome == Outcome::infeasible));
  BOOST_TEST(alone.status.message.find("\"rod.L\"") != std::string::npos, alone.status.message);
  BOOST_TEST(alone.points.empty());
  wanted.parameters = {"weight.gy"};
  const Sensitivities together = sensitivities(system, start, options_for("baumgarte", 1.0, 1e-8), wanted);
  BOOST_REQUIRE_MESSAGE(together.status.finished(), together.status.message);
  const MotionState& end = together.points.back().state;
  BOOST_TEST((together.points.back().q.col(0) + 0.5 / 9.81 * end.v).norm() < 1e-5);
}

/// Along the whole run: G dq/dp + dg/dp = 0, and its derivative.
BOOST_AUTO_TEST_CASE(constraints_are_kept) {
  const Mechanism andrews = mechanisms::find_mechanism("andrews").make(0);
  SensitivityOptions wanted;
  wanted.parameters = {"model.ss", "model.xa"};
  for (int k = 0; k <= 20; ++k) wanted.times.push_back(0.001 * k);
  for (const std::string& form : all_forms) {
    const Sensitivities found = sensitivities(andrews.system, andrews.start, options_for(form, 0.02, 1e-7), wanted);
    BOOST_TEST_CONTEXT(form) {
      BOOST_REQUIRE_MESSAGE(found.status.finished(), found.status.message);
      BOOST_TEST(found.constraint_error < (form == "projected" ? 1e-11 : 1e-5));
      BOOST_TEST(found.points.size() == 21U);
    }
  }
}

BOOST_AUTO_TEST_CASE(what_is_refused) {
  const Mechanism pendulum = mechanisms::find_mechanism("pendulum").make(0);
  const auto refused = [&](const SimulationOptions& options, const SensitivityOptions& wanted,
                           const std::string& part) {
    BOOST_CHECK_EXCEPTION(sensitivities(pendulum.system, pendulum.start, options, wanted), Error, [&](const Error& e) {
      BOOST_TEST_MESSAGE(e.what());
      return std::string(e.what()).find(part) != std::string::npos;
    });
  };
  SimulationOptions options;
  SensitivityOptions wanted;
  refused(options, wanted, "name what to differentiate by");
  wanted.parameters = {"rod.l"};
  refused(options, wanted, "rod.L");
  wanted.parameters = {"rod.L", "rod.L"};
  refused(options, wanted, "twice");
  wanted.parameters = {"rod.L"};
  wanted.times = {0.5, 0.4};
  refused(options, wanted, "times");
  wanted.times.clear();
  wanted.start_positions = {"bob"};
  refused(options, wanted, "several coordinates");
  wanted.start_positions.clear();
  options.integrator = "dopri5";
  refused(options, wanted, "cvode_bdf");
  options.integrator = "automatic";
  options.formulation = "augmented_lagrangian";
  refused(options, wanted, "no equations");
  options.formulation = "baumgarte";
  options.events = {{}};
  refused(options, wanted, "");
  const Mechanism program = mechanisms::find_mechanism("slider_crank_program").make(0);
  BOOST_CHECK_THROW(sensitivities(program.system, program.start, {}, wanted), Error);
}

/// max_steps and keep_going end it like a run, with what was reached.
BOOST_AUTO_TEST_CASE(ends_like_a_run) {
  const Mechanism pendulum = mechanisms::find_mechanism("pendulum").make(0);
  SensitivityOptions wanted;
  wanted.parameters = {"rod.L"};
  SimulationOptions options = options_for("baumgarte", 5.0, 1e-8);
  options.max_steps = 10;
  Sensitivities found = sensitivities(pendulum.system, pendulum.start, options, wanted);
  BOOST_TEST((found.status.outcome == Outcome::step_limit));
  BOOST_TEST(found.points.size() == 1U);
  options.max_steps = 100000;
  options.keep_going = [](double t) { return t < 1.0; };
  found = sensitivities(pendulum.system, pendulum.start, options, wanted);
  BOOST_TEST((found.status.outcome == Outcome::interrupted));
}
