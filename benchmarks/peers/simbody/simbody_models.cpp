// SPDX-License-Identifier: BSD-3-Clause
#include "simbody_models.hpp"

#include <Simbody.h>

#include <memory>
#include <utility>

namespace sunlagrange::peers {
namespace {

using SimTK::Vec3;

const Vec3 tip(1.0, 0.0, 0.0);

/// A model under construction. Every body is pinned at its origin; planar: all turn about z.
class Model {
 public:
  Model() : matter(system), forces(system) {}

  void add_gravity() { SimTK::Force::Gravity(forces, matter, Vec3(0.0, -9.81, 0.0)); }
  SimTK::MobilizedBody ground() { return matter.Ground(); }

  /// @param central  moment of inertia about the centre of mass
  SimTK::MobilizedBody pinned(SimTK::MobilizedBody parent, Vec3 where, double mass, Vec3 centre, double central,
                              double angle, double rate = 0.0) {
    const SimTK::Inertia inertia = SimTK::Inertia(0.0, central, central) + SimTK::Inertia(centre, mass);
    SimTK::MobilizedBody::Pin body(parent, where, SimTK::MassProperties(mass, centre, inertia), Vec3(0.0));
    bodies_.push_back({body, angle, rate});
    return body;
  }
  SimTK::MobilizedBody bar(const SimTK::MobilizedBody& parent, Vec3 where, double angle, double rate = 0.0) {
    return pinned(parent, where, 1.0, 0.5 * tip, 1.0 / 12.0, angle, rate);
  }
  /// Two rows: x and y of a point of `other` are those of a point of `body`, in axes of `body`.
  void close(SimTK::MobilizedBody body, Vec3 at, SimTK::MobilizedBody other, Vec3 point) {
    SimTK::Constraint::PointInPlane(body, SimTK::UnitVec3(1.0, 0.0, 0.0), at[0], other, point);
    SimTK::Constraint::PointInPlane(body, SimTK::UnitVec3(0.0, 1.0, 0.0), at[1], other, point);
  }
  SimTK::State start() {
    SimTK::State state = system.realizeTopology();
    system.realizeModel(state);
    for (const PinnedBody& b : bodies_) {
      b.body.setOneQ(state, 0, b.angle);
      b.body.setOneU(state, 0, b.rate);
    }
    return state;
  }

  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter;
  SimTK::GeneralForceSubsystem forces;
  std::vector<std::pair<SimTK::MobilizedBody, Vec3>> points;  ///< whose x and y are compared
  std::vector<SimTK::MobilizedBody> angles;                   ///< to their parents, which are compared

 private:
  struct PinnedBody {
    SimTK::MobilizedBody body;
    double angle, rate;
  };
  std::vector<PinnedBody> bodies_;
};

void n_four_bar(Model& m, int loops) {
  const double upright = 0.5 * SimTK::Pi;
  m.add_gravity();
  SimTK::MobilizedBody horizontal;
  for (int i = 0; i <= loops; ++i) {
    const SimTK::MobilizedBody vertical = m.bar(m.ground(), Vec3(i, 0.0, 0.0), upright, -1.0);
    m.points.emplace_back(vertical, tip);
    if (i > 0) m.close(vertical, tip, horizontal, tip);
    if (i < loops) horizontal = m.bar(vertical, tip, -upright, 1.0);
  }
}

void closed_chain(Model& m, int links) {
  m.add_gravity();
  SimTK::MobilizedBody last = m.ground();
  Vec3 end(0.0);
  double before = 0.0;
  for (int k = 0; k < links; ++k) {
    const double angle = -0.9 + 2.4 * (k + 0.5) / links;
    last = m.bar(last, k == 0 ? Vec3(0.0) : tip, angle - before);
    m.points.emplace_back(last, 0.5 * tip);
    end += Vec3(std::cos(angle), std::sin(angle), 0.0);
    before = angle;
  }
  m.close(m.ground(), end, last, tip);
}

/// Constants of the test set, as in examples/mechanisms/andrews.cpp, which says what the bodies are.
void andrews(Model& m, int) {
  const Vec3 A(-0.06934, -0.00227, 0.0), B(-0.03635, 0.03273, 0.0), C(0.014, 0.072, 0.0);
  const double rr = 0.007, d = 0.028, e = 0.02, zf = 0.02, zt = 0.04, u = 0.04, ss = 0.035;
  const auto crank =
      m.pinned(m.ground(), Vec3(0.0), 0.04325, Vec3(0.00092, 0.0, 0.0), 2.194e-6, -0.0617138900142764496);
  const auto coupler = m.pinned(crank, Vec3(rr, 0.0, 0.0), 0.00365, Vec3(-0.0115, 0.0, 0.0), 4.410e-7, 0.0);
  const auto triangle = m.pinned(m.ground(), B, 0.02373, Vec3(0.01043, -0.01874, 0.0), 5.255e-6, 0.455279819163070380);
  const auto delta = m.pinned(m.ground(), A, 0.07050, Vec3(0.02308, 0.00916, 0.0), 1.169e-5, 0.487364979543842551);
  const auto phi =
      m.pinned(delta, Vec3(zt, 0.0, 0.0), 0.00706, Vec3(0.0, 0.01421 - e, 0.0), 5.667e-7, 0.222668390165885885);
  const auto epsilon = m.pinned(m.ground(), A, 0.05498, Vec3(0.00449, -0.01228, 0.0), 1.912e-5, 1.23054744454982119);
  const auto omega =
      m.pinned(epsilon, Vec3(0.0, -u, 0.0), 0.00706, Vec3(zf - 0.01421, 0.0, 0.0), 5.667e-7, -0.222668390165885885);
  const Vec3 E(-d, 0.0, 0.0);  // on the coupler
  m.close(coupler, E, triangle, Vec3(0.0, -ss, 0.0));
  m.close(coupler, E, phi, Vec3(0.0, -e, 0.0));
  m.close(coupler, E, omega, Vec3(zf, 0.0, 0.0));
  SimTK::Force::TwoPointLinearSpring(m.forces, m.ground(), C, triangle, Vec3(0.02, -0.018, 0.0), 4530.0, 0.07785);
  SimTK::Force::ConstantTorque(m.forces, crank, Vec3(0.0, 0.0, 0.033));
  m.angles = {crank, coupler, triangle, phi, delta, omega, epsilon};
}

void pendulum(Model& m, int) {
  m.add_gravity();
  m.points.emplace_back(m.pinned(m.ground(), Vec3(0.0), 1.0, tip, 0.0, 0.0), tip);
}

std::unique_ptr<SimTK::Integrator> make_integrator(const std::string& name, const SimTK::System& system) {
  if (name == "runge_kutta_merson") return std::make_unique<SimTK::RungeKuttaMersonIntegrator>(system);
  if (name == "runge_kutta_feldberg") return std::make_unique<SimTK::RungeKuttaFeldbergIntegrator>(system);
  if (name == "cpodes_bdf") return std::make_unique<SimTK::CPodesIntegrator>(system, SimTK::CPodes::BDF);
  throw std::invalid_argument("Simbody's integrator " + name);
}

void build(Model& m, const std::string& mechanism, int size) {
  if (mechanism == "n_four_bar")
    n_four_bar(m, size);
  else if (mechanism == "closed_chain")
    closed_chain(m, size);
  else if (mechanism == "andrews")
    andrews(m, size);
  else if (mechanism == "pendulum")
    pendulum(m, size);
  else
    throw std::invalid_argument("no Simbody model of " + mechanism);
}

}  // namespace

extern "C" void sunlagrange_run_simbody(const SimbodyRun* run, Ending* result) {
  Ending& ending = *result;
  const double begin = cpu_seconds(), t_end = run->t_end;
  try {
    Model model;
    build(model, run->mechanism, run->size);
    const SimTK::State start = model.start();
    const auto steps = make_integrator(run->integrator, model.system);
    steps->setAccuracy(run->accuracy);
    steps->setFinalTime(t_end);
    steps->setReturnEveryInternalStep(true);
    steps->initialize(start);
    while (steps->getTime() < t_end && cpu_seconds() - begin < run->cpu_limit) steps->stepTo(t_end);
    ending.steps = steps->getNumStepsTaken();
    ending.evaluations = model.system.getNumRealizationsOfThisStage(SimTK::Stage::Acceleration);
    if (steps->getTime() < t_end) {
      ending.failure = "given up at t = " + std::to_string(steps->getTime()) + " s";
      return;
    }
    const SimTK::State& state = steps->getState();
    model.system.realize(state, SimTK::Stage::Position);
    for (const auto& [body, point] : model.points) {
      const Vec3 p = body.findStationLocationInGround(state, point);
      ending.values.insert(ending.values.end(), {p[0], p[1]});
    }
    for (const SimTK::MobilizedBody& body : model.angles) ending.values.push_back(body.getOneQ(state, 0));
  } catch (const std::exception& error) {
    ending.failure = error.what();
  }
}

}  // namespace sunlagrange::peers
