// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/model/rescaled_system.hpp>

#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/internal/element_group.hpp>
#include <sunlagrange/model/assembly.hpp>
#include <sunlagrange/model/not_smooth.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/requirements.hpp>

#include "model/blocks_of_another.hpp"
#include "model/checks/required_system.hpp"
#include "model/evaluation.hpp"
#include "model/time_held.hpp"

namespace sunlagrange {
namespace internal {

/// The whole system as one element. All quantities and derivatives are those of the system, multiplied.
class RescaledGroup final : public ElementGroup {
 public:
  /// The name of the element is empty, so that rows keep their names.
  RescaledGroup(std::shared_ptr<const MechanicalSystem> system, UnitFactors factors,
                std::optional<double> held_time = std::nullopt)
      : ElementGroup(facts_of(*system)), base_(std::move(system)), factors_(std::move(factors)), held_time_(held_time) {
    const MechanicalSystem& base = *base_;
    admit("", base.num_positions(), base.num_position_constraints(), base.num_constraints());
    const std::shared_ptr<const SystemPatterns> patterns = make_workspace(base, Storage::sparse)->patterns;
    add_pattern("", {entries(patterns->mass), entries(patterns->jacobian), entries(patterns->tangent)});
    std::vector<int> all(static_cast<std::size_t>(base.num_positions()));
    std::iota(all.begin(), all.end(), 0);
    enter("", all);
  }

  Sources sources() const override { return base_->sources(); }

  std::shared_ptr<const ElementGroup> with_inputs(InputBinder& binder) const override {
    const auto bound = internal::with_inputs(base_, binder);
    if (bound == base_) return nullptr;
    const auto copy = std::make_shared<RescaledGroup>(*this);
    copy->base_ = bound;
    return copy;
  }

  bool evaluate(unsigned what, const Point& point, const GroupSlots&, Workspace& w) const override {
    if (w.base == nullptr) w.base = make_workspace(*base_, w.storage);
    const Workspace& from = *w.base;
    if (!evaluate_system(*base_, what, unscaled(what, point, w), *w.base)) return false;
    const double E = factors_.energy;
    const double r = factors_.row;
    if ((what & request::mass) != 0) matrix(E, true, from.M, w.M);
    for (Eigen::Index i = 0; i < w.f.size() && (what & request::force) != 0; ++i) {
      w.f[i] = E / factors_.position[i] * from.f[i];
    }
    if ((what & (request::constraint | request::jacobian)) != 0) {
      w.g = r * from.g;
      w.g_rate = r * from.g_rate;
      w.gamma = r * from.gamma;
    }
    if ((what & request::jacobian) != 0) matrix(r, false, from.G, w.G);
    if ((what & request::tangent) != 0) {
      matrix(E, true, from.r_q, w.r_q);
      matrix(E, true, from.r_v, w.r_v);
      matrix(r, false, from.V_q, w.V_q);
      matrix(r, false, from.A_q, w.A_q);
      matrix(r, false, from.A_v, w.A_v);
    }
    if ((what & request::energy) != 0) {
      w.energy = E * from.energy;
      w.power = E * from.power;
    }
    return true;
  }

 protected:
  std::vector<std::string> own_constraint_names(int) const override {
    std::vector<std::string> names;
    for (int i = 0; i < num_constraints() + num_velocity_constraints(); ++i) names.push_back(base_->constraint_name(i));
    return names;
  }

  bool local_terms(int, const Point& at, ElementShare, ElementTerms& out) const override {
    const auto w = make_workspace(*base_, Storage::dense);
    if (!evaluate(request::acceleration_level | (energy_known() ? request::energy : 0U), at, {}, *w)) return false;
    out.mass = w->M.dense();
    out.force = w->f;
    out.momentum = out.mass * Eigen::Map<const Eigen::VectorXd>(at.v, w->f.size());
    out.jacobian = w->G.dense();
    out.g.head(w->g.size()) = w->g;
    out.g_rate = w->g_rate;
    out.gamma = w->gamma;
    out.energy = w->energy;
    out.power = w->power;
    return true;
  }

  void local_draw(int, double t, const double* q, Drawing& drawing) const override {
    const Eigen::VectorXd own =
        Eigen::Map<const Eigen::VectorXd>(q, factors_.position.size()).cwiseQuotient(factors_.position);
    draw_elements(*base_, t, own.data(), drawing);
  }

  void describe(int, Parameters& visitor) const override {
    for (const double time : times_not_smooth(*base_)) visitor.not_smooth_at(time);
  }

  void local_not_smooth(int, double t, const double* q, const double* v, NotSmooth& visitor) const override {
    const auto own = [this](const double* x) -> Eigen::VectorXd {
      return Eigen::Map<const Eigen::VectorXd>(x, factors_.position.size()).cwiseQuotient(factors_.position);
    };
    internal::visit_elements_not_smooth(*base_, held_time_.value_or(t), own(q).data(), own(v).data(), visitor);
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

  /// Returns the point in the units of the base; its arrays are in the arena of `w`.
  Point unscaled(unsigned what, const Point& point, Workspace& w) const {
    const int n = base_->num_positions();
    const int m = base_->num_constraints();
    w.arena.reset();
    const auto divided = [&](const double* x) {
      double* y = w.arena.take<double>(n);
      for (int i = 0; i < n; ++i) y[i] = x[i] / factors_.position[i];
      return y;
    };
    Point result{held_time_.value_or(point.t), divided(point.q), divided(point.v), nullptr, nullptr};
    if ((what & request::tangent) == 0) return result;
    result.a = divided(point.a);
    double* lambda = w.arena.take<double>(m);
    for (int i = 0; i < m; ++i) lambda[i] = factors_.row / factors_.energy * point.lambda[i];
    result.lambda = lambda;
    return result;
  }

  void matrix(double factor, bool rows_are_positions, const PatternMatrix& from, PatternMatrix& to) const {
    const double* unit = factors_.position.data();
    from.pattern().for_each_entry([&](int i, int j, int k) {
      const double column = factor / unit[j];
      to.values[k] = from.values[k] * (rows_are_positions ? column / unit[i] : column);
    });
  }

  std::shared_ptr<const MechanicalSystem> base_;
  UnitFactors factors_;
  std::optional<double> held_time_;  ///< fixed time at which laws are evaluated
};

/// A group with an evaluation of its own.
template <>
struct ElementType<RescaledGroup> {
  static void add(Assembly& assembly, std::unique_ptr<RescaledGroup> group) {
    assembly.enter(*assembly.take(std::move(group)), 0);
  }
};

std::shared_ptr<const MechanicalSystem> with_time_held(const std::shared_ptr<const MechanicalSystem>& system,
                                                       double t) {
  const int n = system->num_positions();
  Assembly assembly;
  for (int i = 0; i < n; ++i)
    assembly.set_natural_scale(assembly.add_coordinates(system->position_name(i), 1), system->natural_scales()[i]);
  UnitFactors same;
  same.position = Eigen::VectorXd::Ones(n);
  ElementType<RescaledGroup>::add(assembly, std::make_unique<RescaledGroup>(system, same, t));
  return assembly.build();
}

}  // namespace internal

using namespace internal;
namespace {

void require_factor(double factor, const std::string& what) {
  if (!(factor > 0.0 && std::isfinite(factor)))
    throw Error("rescaled: the factor of " + what + " is " + text(factor) + ", must be positive and finite");
}

}  // namespace

std::shared_ptr<const MechanicalSystem> rescaled(const std::shared_ptr<const MechanicalSystem>& system,
                                                 const UnitFactors& factors) {
  require_forces(system, "rescaled", "has no forces that other units would multiply; write its fields in them");
  const int n = system->num_positions();
  if (factors.position.size() != n)
    throw Error("rescaled: " + std::to_string(factors.position.size()) + " factors of positions, but the system has " +
                std::to_string(n) + "; give one for each");
  Assembly assembly;
  for (int i = 0; i < n; ++i) {
    require_factor(factors.position[i], "position \"" + system->position_name(i) + "\"");
    assembly.add_coordinates(system->position_name(i), 1);
  }
  require_factor(factors.row, "the constraint rows");
  require_factor(factors.energy, "energies");
  ElementType<RescaledGroup>::add(assembly, std::make_unique<RescaledGroup>(system, factors));
  return with_blocks_of(assembly.build(), *system);
}

}  // namespace sunlagrange
