#include "other_units.hpp"
#include "model/evaluation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <sunlagrange/internal/element_group.hpp>

namespace sunlagrange::mechanisms {
namespace {

using internal::ElementFacts;
using internal::ElementGroup;
using internal::ElementTerms;
using internal::GroupSlots;
using internal::PatternMatrix;
using internal::Point;
using internal::SparsePattern;
using internal::Storage;
using internal::SystemPatterns;
using internal::Workspace;
namespace request = internal::request;

/// A system and the factors of its numbers.
struct Scaled {
  std::shared_ptr<const MechanicalSystem> base;
  std::vector<double> position;  ///< factor of each coordinate
  double row = 1.0;              ///< of each constraint row
  double energy = 1.0;
};

/// The whole system as one element. All quantities, derivatives included, are those of the system, multiplied.
class ScaledSystem final : public ElementGroup {
 public:
  /// Its name is empty: rows keep their names.
  explicit ScaledSystem(Scaled scaled) : ElementGroup(facts_of(*scaled.base)), scaled_(std::move(scaled)) {
    const MechanicalSystem& base = *scaled_.base;
    admit("", base.num_positions(), base.num_position_constraints(), base.num_constraints());
    const std::shared_ptr<const internal::SystemPatterns> patterns =
        make_workspace(base, internal::Storage::sparse)->patterns;
    add_pattern("", {entries(patterns->mass), entries(patterns->jacobian), entries(patterns->tangent)});
    std::vector<int> all(static_cast<std::size_t>(base.num_positions()));
    std::iota(all.begin(), all.end(), 0);
    enter("", all);
  }

  Sources sources() const override { return scaled_.base->sources(); }

  bool evaluate(unsigned what, const Point& point, const GroupSlots&, internal::Workspace& w) const override {
    if (w.base == nullptr) w.base = make_workspace(*scaled_.base, w.storage);
    const internal::Workspace& from = *w.base;
    if (!evaluate_system(*scaled_.base, what, unscaled(what, point, w), *w.base)) return false;
    const double E = scaled_.energy;
    const double r = scaled_.row;
    if ((what & internal::request::mass) != 0) matrix(E, true, from.M, w.M);
    for (Eigen::Index i = 0; i < w.f.size() && (what & internal::request::force) != 0; ++i) {
      w.f[i] = E / scaled_.position.data()[i] * from.f[i];
    }
    if ((what & (internal::request::constraint | internal::request::jacobian)) != 0) {
      w.g = r * from.g;
      w.g_rate = r * from.g_rate;
      w.gamma = r * from.gamma;
    }
    if ((what & internal::request::jacobian) != 0) matrix(r, false, from.G, w.G);
    if ((what & internal::request::tangent) != 0) {
      matrix(E, true, from.r_q, w.r_q);
      matrix(E, true, from.r_v, w.r_v);
      matrix(r, false, from.V_q, w.V_q);
      matrix(r, false, from.A_q, w.A_q);
      matrix(r, false, from.A_v, w.A_v);
    }
    if ((what & internal::request::energy) != 0) {
      w.energy = E * from.energy;
      w.power = E * from.power;
    }
    return true;
  }

 protected:
  std::vector<std::string> own_constraint_names(int) const override {
    std::vector<std::string> names;
    for (int i = 0; i < num_constraints() + num_velocity_constraints(); ++i)
      names.push_back(scaled_.base->constraint_name(i));
    return names;
  }

  bool local_terms(int, const Point& at, ElementTerms& out) const override {
    const auto w = make_workspace(*scaled_.base, Storage::dense);
    if (!evaluate(request::acceleration_level | (energy_known() ? request::energy : 0U), at, {}, *w)) return false;
    out.mass = w->M.dense();
    out.force = w->f;
    out.momentum = out.mass * Eigen::Map<const Eigen::VectorXd>(at.v, w->f.size());
    out.jacobian = w->G.dense();
    out.energy = w->energy;
    out.power = w->power;
    return true;
  }

 private:
  static ElementFacts facts_of(const MechanicalSystem& base) {
    ElementFacts facts;
    facts.constant_mass = base.constant_mass();
    facts.energy_known = base.energy_known();
    facts.has_constraint = base.num_position_constraints() > 0;
    facts.has_velocity_constraint = base.num_velocity_constraints() > 0;
    return facts;
  }

  static Entries entries(const SparsePattern& pattern) {
    Entries list;
    pattern.for_each_entry([&](int i, int j, int) { list.emplace_back(i, j); });
    return list;
  }

  /// The point in the units of the base; its arrays live in the arena of `w`.
  Point unscaled(unsigned what, const Point& point, internal::Workspace& w) const {
    const int n = scaled_.base->num_positions();
    const int m = scaled_.base->num_constraints();
    w.arena.reset();
    const auto divided = [&](const double* x) {
      double* y = w.arena.take<double>(n);
      for (int i = 0; i < n; ++i) y[i] = x[i] / scaled_.position[static_cast<std::size_t>(i)];
      return y;
    };
    Point result{point.t, divided(point.q), divided(point.v), nullptr, nullptr};
    if ((what & internal::request::tangent) == 0) return result;
    result.a = divided(point.a);
    double* lambda = w.arena.take<double>(m);
    for (int i = 0; i < m; ++i) lambda[i] = scaled_.row / scaled_.energy * point.lambda[i];
    result.lambda = lambda;
    return result;
  }

  void matrix(double factor, bool rows_are_positions, const internal::PatternMatrix& from,
              internal::PatternMatrix& to) const {
    const double* unit = scaled_.position.data();
    from.pattern().for_each_entry([&](int i, int j, int k) {
      const double column = factor / unit[j];
      to.values[k] = from.values[k] * (rows_are_positions ? column / unit[i] : column);
    });
  }

  Scaled scaled_;
};

/// Everything the equations contain at (t, q, v), one number after the other; empty if the point is declined.
std::vector<double> all_values(const MechanicalSystem& system, double t, const Eigen::VectorXd& q,
                               const Eigen::VectorXd& v) {
  const auto w = make_workspace(system, internal::Storage::dense);
  if (!evaluate_system(system, internal::request::acceleration_level, {t, q.data(), v.data(), nullptr, nullptr}, *w))
    return {};
  std::vector<double> values;
  for (const auto* part : {&w->M.values, &w->f, &w->g, &w->g_rate, &w->gamma, &w->G.values}) {
    values.insert(values.end(), part->begin(), part->end());
  }
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
}  // namespace sunlagrange::mechanisms

/// A group that evaluates itself.
template <>
struct sunlagrange::internal::ElementType<sunlagrange::mechanisms::ScaledSystem> {
  static void add(Assembly& assembly, std::unique_ptr<mechanisms::ScaledSystem> system) {
    assembly.enter(*assembly.take(std::move(system)), 0);
  }
};

namespace sunlagrange::mechanisms {

const std::vector<Units>& three_unit_systems() {
  static const std::vector<Units> systems = {{"m_kg", 1.0, 1.0}, {"mm_g", 1e3, 1e3}, {"km_t", 1e-3, 1e-3}};
  return systems;
}

std::vector<bool> angles(const MechanicalSystem& system, const InitialState& start) {
  const int n = system.num_positions();
  const Eigen::VectorXd v = Eigen::VectorXd::LinSpaced(n, 0.7, 1.3);
  const std::vector<double> here = all_values(system, start.t, start.q, v);
  std::vector<bool> result(static_cast<std::size_t>(n), false);
  for (int i = 0; i < n; ++i) {
    const auto shifted = [&](double shift) {
      Eigen::VectorXd q = start.q;
      q[i] += shift;
      return all_values(system, start.t, q, v);
    };
    result[static_cast<std::size_t>(i)] = equal(here, shifted(2.0 * std::acos(-1.0))) && !equal(here, shifted(1.0));
  }
  return result;
}

MechanismInUnits in_units(const Mechanism& mechanism, const Units& units) {
  const std::vector<bool> angle = angles(*mechanism.system, mechanism.start);
  Scaled scaled{mechanism.system, {}, units.length, units.mass * units.length * units.length};
  for (const bool is_angle : angle) scaled.position.push_back(is_angle ? 1.0 : units.length);
  Assembly assembly;
  for (std::size_t i = 0; i < angle.size(); ++i) {
    assembly.add_coordinates(mechanism.system->position_name(static_cast<int>(i)), 1);
  }
  MechanismInUnits result;
  result.tolerance = *std::min_element(scaled.position.begin(), scaled.position.end());
  result.mechanism = mechanism;
  result.mechanism.reference = nullptr;
  const Eigen::Map<const Eigen::VectorXd> factor(scaled.position.data(), mechanism.start.q.size());
  result.mechanism.start.q = mechanism.start.q.cwiseProduct(factor);
  if (mechanism.start.v.size() > 0) result.mechanism.start.v = mechanism.start.v.cwiseProduct(factor);
  internal::ElementType<ScaledSystem>::add(assembly, std::make_unique<ScaledSystem>(scaled));
  result.mechanism.system = assembly.build();
  return result;
}

}  // namespace sunlagrange::mechanisms
