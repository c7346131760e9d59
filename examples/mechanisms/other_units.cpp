#include "mechanisms/other_units.hpp"

#include <algorithm>
#include <cmath>

#include <sunlagrange/model/rescaled_system.hpp>
#include <sunlagrange/model/system_evaluator.hpp>

namespace sunlagrange::mechanisms {
namespace {

/// Everything the equations contain at (t, q, v), one number after the other; empty if the point is declined.
std::vector<double> all_values(SystemEvaluator& evaluator, double t, const Eigen::VectorXd& q,
                               const Eigen::VectorXd& v) {
  const SystemQuantities at = evaluator.at(t, q, v);
  if (!at.status.finished()) return {};
  std::vector<double> values(at.M.data(), at.M.data() + at.M.size());
  for (const auto* part : {&at.f, &at.g, &at.g_rate, &at.gamma})
    values.insert(values.end(), part->begin(), part->end());
  values.insert(values.end(), at.G.data(), at.G.data() + at.G.size());
  return values;
}

bool equal(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.empty() || a.size() != b.size()) return false;
  double largest = 0.0;
  double change = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(a[i]));
    change = std::max(change, std::abs(a[i] - b[i]));
  }
  return change <= 1e-9 * largest;
}

}  // namespace

const std::vector<Units>& three_unit_systems() {
  static const std::vector<Units> systems = {{"m_kg", 1.0, 1.0}, {"mm_g", 1e3, 1e3}, {"km_t", 1e-3, 1e-3}};
  return systems;
}

std::vector<bool> angles(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start) {
  const int n = system->num_positions();
  SystemEvaluator evaluator(system);
  const Eigen::VectorXd v = Eigen::VectorXd::LinSpaced(n, 0.7, 1.3);
  const std::vector<double> here = all_values(evaluator, start.t, start.q, v);
  std::vector<bool> result(static_cast<std::size_t>(n), false);
  for (int i = 0; i < n; ++i) {
    const auto shifted = [&](double shift) {
      Eigen::VectorXd q = start.q;
      q[i] += shift;
      return all_values(evaluator, start.t, q, v);
    };
    result[static_cast<std::size_t>(i)] = equal(here, shifted(2.0 * std::acos(-1.0))) && !equal(here, shifted(1.0));
  }
  return result;
}

MechanismInUnits in_units(const Mechanism& mechanism, const Units& units) {
  const std::vector<bool> angle = angles(mechanism.system, mechanism.start);
  UnitFactors factors{Eigen::VectorXd::Constant(mechanism.start.q.size(), units.length), units.length,
                      units.mass * units.length * units.length};
  for (std::size_t i = 0; i < angle.size(); ++i) {
    if (angle[i]) factors.position[static_cast<Eigen::Index>(i)] = 1.0;
  }
  MechanismInUnits result;
  result.tolerance = factors.position.minCoeff();
  result.mechanism = mechanism;
  result.mechanism.reference = nullptr;
  result.mechanism.start.q = mechanism.start.q.cwiseProduct(factors.position);
  if (mechanism.start.v.size() > 0) result.mechanism.start.v = mechanism.start.v.cwiseProduct(factors.position);
  result.mechanism.system = rescaled(mechanism.system, factors);
  return result;
}

}  // namespace sunlagrange::mechanisms
