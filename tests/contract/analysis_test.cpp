#include <boost/test/unit_test.hpp>

#include <complex>

#include <Eigen/Dense>

#include <sunlagrange/analysis.hpp>

#include "mechanisms/mechanism.hpp"

/// Over all registered mechanisms: an equilibrium is one, its modes are motions of the nonlinear equations, and what
/// has none says why.
using namespace sunlagrange;
using Eigen::VectorXd;
using mechanisms::Mechanism;

namespace {

/// Accelerations of the nonlinear equations, by the kernel and not by the linearisation.
VectorXd acceleration(const std::shared_ptr<const MechanicalSystem>& system, double t, const VectorXd& q,
                      const VectorXd& v) {
  ConsistencyOptions as_given;
  as_given.start = Start::as_given;
  return consistent_state(system, {t, q, v}, as_given).state.a;
}

/// Largest difference of mu dv and the directional derivative of the acceleration, relative.
double error_of_mode(const std::shared_ptr<const MechanicalSystem>& system, const Linearisation& at, const Mode& mode) {
  const double h = 1e-5;
  const auto derivative = [&](const VectorXd& dq, const VectorXd& dv) -> VectorXd {
    const double size = std::max({dq.norm(), dv.norm(), 1e-30});
    const double step = h / size;
    return (acceleration(system, at.state.t, at.state.q + step * dq, at.state.v + step * dv) -
            acceleration(system, at.state.t, at.state.q - step * dq, at.state.v - step * dv)) /
           (2.0 * step);
  };
  const Eigen::VectorXcd expected = mode.eigenvalue * mode.velocity;
  const VectorXd real = derivative(mode.shape.real(), mode.velocity.real());
  const VectorXd imaginary = derivative(mode.shape.imag(), mode.velocity.imag());
  const double scale = expected.norm() + std::abs(mode.eigenvalue) * mode.velocity.norm() + mode.shape.norm();
  return std::max((real - expected.real()).norm(), (imaginary - expected.imag()).norm()) / scale;
}

}  // namespace

BOOST_AUTO_TEST_CASE(equilibria_and_their_modes) {
  EquilibriumOptions options;
  options.max_iterations = 50;  // what is found takes fewer; the others say that they ended there
  int found_some = 0, reasons = 0;
  for (const auto& entry : mechanisms::mechanism_registry()) {
    BOOST_TEST_CONTEXT(entry.name) {
      const Mechanism mechanism = entry.make(entry.sized() ? 3 : 0);
      const auto& system = mechanism.system;
      if (system->first_order()) {
        BOOST_CHECK_THROW(static_equilibrium(system, mechanism.start), Error);
        BOOST_CHECK_THROW(linearise(system, mechanism.start), Error);
        continue;
      }
      const Linearisation there = linearise(system, mechanism.start);
      BOOST_TEST((there.status.finished() || !there.status.message.empty()));
      const Equilibrium found = static_equilibrium(system, mechanism.start, options);
      if (!found.status.finished()) {
        BOOST_TEST(!found.status.message.empty());
        BOOST_TEST_MESSAGE(entry.name << ": " << found.status.message);
        ++reasons;
        continue;
      }
      ++found_some;
      const SystemQuantities at = SystemEvaluator(system).at(found.state.t, found.state.q);
      const double forces = at.f.lpNorm<Eigen::Infinity>() + 1e-12;
      BOOST_TEST((at.G.transpose() * found.state.lambda - at.f).lpNorm<Eigen::Infinity>() < 1e-6 * forces);
      BOOST_TEST((at.G * found.linearisation.velocities).norm() < 1e-6 * (1.0 + at.G.norm()));
      BOOST_TEST_MESSAGE(entry.name << ": " << found.modes.verdict);
      if (found.linearisation.lost > 0) continue;
      for (const Mode& mode : found.modes.modes) {
        if (mode.zero) continue;
        BOOST_TEST(error_of_mode(system, found.linearisation, mode) < 1e-4, mode.eigenvalue);
      }
    }
  }
  BOOST_TEST_MESSAGE(found_some << " with an equilibrium, " << reasons << " with a reason why not");
  BOOST_TEST(found_some >= 8);
}
