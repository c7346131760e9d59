// SPDX-License-Identifier: BSD-3-Clause
#include "model/evaluation.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/internal/element_group.hpp>

#include "model/blocks_of_another.hpp"
#include "model/system_analysis.hpp"

namespace sunlagrange::internal {
namespace {

/// While it exists, the evaluation of the full system writes M, f and the tangent blocks into the arrays of `w`,
/// because both systems have the same entries.
class SharedBlocks {
 public:
  explicit SharedBlocks(Workspace& w) : w_(w) {
    w_.base->mass_ready = w_.mass_ready;
    swap();
  }
  SharedBlocks(const SharedBlocks&) = delete;
  SharedBlocks& operator=(const SharedBlocks&) = delete;
  ~SharedBlocks() {
    swap();
    w_.mass_ready = w_.base->mass_ready;
  }

 private:
  void swap() {
    w_.M.values.swap(w_.base->M.values);
    w_.f.swap(w_.base->f);
    w_.r_q.values.swap(w_.base->r_q.values);
    w_.r_v.values.swap(w_.base->r_v.values);
  }
  Workspace& w_;
};

void gather(const Eigen::VectorXd& from, const std::vector<int>& where, Eigen::VectorXd& to) {
  for (Eigen::Index k = 0; k < to.size(); ++k) to[k] = from[where.data()[k]];
}

}  // namespace

/// Access to the private parts of a system.
struct SystemAccess {
  static SystemAnalysis& analysis(const MechanicalSystem& s) { return *s.analysis_; }

  static const MechanicalSystem& with_all_rows(const MechanicalSystem& s) {
    return s.base_ != nullptr ? with_all_rows(*s.base_) : s;
  }

  static const std::vector<std::shared_ptr<const ElementGroup>>& groups(const MechanicalSystem& s) { return s.groups_; }

  static std::shared_ptr<const MechanicalSystem> with_inputs(const std::shared_ptr<const MechanicalSystem>& s,
                                                             InputBinder& binder) {
    const auto copy = std::make_shared<MechanicalSystem>(*s);
    if (s->base_ != nullptr) {
      copy->base_ = with_inputs(s->base_, binder);
      return copy->base_ == s->base_ ? s : copy;
    }
    bool any = false;
    for (auto& group : copy->groups_) {
      if (auto bound = group->with_inputs(binder); bound != nullptr) {
        group = std::move(bound);
        any = true;
      }
    }
    return any ? copy : s;
  }

  static std::shared_ptr<const MechanicalSystem> with_blocks_of(const MechanicalSystem& s,
                                                                const MechanicalSystem& other) {
    const auto copy = std::make_shared<MechanicalSystem>(s);
    copy->blocks_ = other.blocks_;
    for (NamedBlock& block : copy->blocks_) block.kind = BlockKind::generic;
    return copy;
  }

  static std::shared_ptr<const SystemPatterns> patterns(const MechanicalSystem& s, Storage storage) {
    if (storage == Storage::dense) return std::make_shared<const SystemPatterns>(make_patterns(s, storage));
    SystemAnalysis& known = *s.analysis_;
    std::call_once(known.patterns_found,
                   [&] { known.patterns = std::make_shared<const SystemPatterns>(make_patterns(s, storage)); });
    return known.patterns;
  }

  static SystemPatterns make_patterns(const MechanicalSystem& s, Storage storage) {
    SystemPatterns p;
    if (s.base_ != nullptr) {
      p = *patterns(*s.base_, storage);
      p.jacobian = p.jacobian.with_rows(s.kept_);
      return p;
    }
    if (storage == Storage::dense) {
      const double entries = static_cast<double>(s.n_) * (s.n_ + s.num_constraints());
      if (entries > std::numeric_limits<int>::max()) {
        throw Error("the system has " + std::to_string(s.n_) + " coordinates and " +
                    std::to_string(s.num_constraints()) +
                    " constraints, too many for dense matrices; linear solver klu needs none");
      }
      p.mass = SparsePattern::dense(s.n_, s.n_);
      p.tangent = p.mass;
      p.jacobian = SparsePattern::dense(s.num_constraints(), s.n_);
    } else {
      std::vector<std::pair<int, int>> mass;
      std::vector<std::pair<int, int>> jacobian;
      std::vector<std::pair<int, int>> tangent;
      for (const auto& group : s.groups_) group->collect(mass, jacobian, tangent);
      for (int i = 0; i < s.n_; ++i) mass.emplace_back(i, i);
      tangent.insert(tangent.end(), mass.begin(), mass.end());
      p.mass = SparsePattern::from_entries(s.n_, s.n_, std::move(mass));
      p.tangent = SparsePattern::from_entries(s.n_, s.n_, std::move(tangent));
      p.jacobian = SparsePattern::from_entries(s.num_constraints(), s.n_, std::move(jacobian));
    }
    p.natural_scales = s.natural_scales();
    p.mass.for_each_entry([&](int i, int j, int) { p.mass_in_tangent.push_back(p.tangent.slot(i, j)); });
    return p;
  }

  static std::unique_ptr<Workspace> make_workspace(const MechanicalSystem& s, Storage storage) {
    auto w = std::make_unique<Workspace>();
    w->storage = storage;
    w->patterns = patterns(s, storage);
    for (const auto& group : s.groups_) w->slots.push_back(group->make_slots(*w->patterns));
    const auto zero = [&](const SparsePattern& pattern) {
      return PatternMatrix(std::shared_ptr<const SparsePattern>(w->patterns, &pattern));
    };
    w->M = zero(w->patterns->mass);
    w->f.setZero(s.n_);
    w->g.setZero(s.m_g_);
    w->g_rate.setZero(s.num_constraints());
    w->gamma.setZero(s.num_constraints());
    for (PatternMatrix* block : {&w->r_q, &w->r_v}) *block = zero(w->patterns->tangent);
    for (PatternMatrix* block : {&w->G, &w->V_q, &w->A_q, &w->A_v}) *block = zero(w->patterns->jacobian);
    if (s.base_ != nullptr) make_kept_rows(s, *w);
    return w;
  }

  static void make_kept_rows(const MechanicalSystem& s, Workspace& w) {
    w.base = make_workspace(*s.base_, w.storage);
    w.base_lambda.setZero(s.base_->num_constraints());
    const SparsePattern& full = w.base->patterns->jacobian;
    w.patterns->jacobian.for_each_entry(
        [&](int i, int j, int) { w.base_slots.push_back(full.slot(s.kept_.data()[i], j)); });
  }

  static bool evaluate_kept_rows(const MechanicalSystem& s, unsigned what, const Point& point, Workspace& w) {
    Workspace& full = *w.base;
    Point expanded = point;
    if ((what & request::tangent) != 0) {
      for (std::size_t i = 0; i < s.kept_.size(); ++i) w.base_lambda[s.kept_[i]] = point.lambda[i];
      expanded.lambda = w.base_lambda.data();
    }
    {
      const SharedBlocks shared(w);
      if (!evaluate(*s.base_, what, expanded, full)) return false;
    }
    if ((what & (request::constraint | request::jacobian)) != 0) {
      gather(full.g, s.kept_, w.g);  // g rows come first, so the first m_g entries of kept_ are theirs
      gather(full.g_rate, s.kept_, w.g_rate);
      gather(full.gamma, s.kept_, w.gamma);
    }
    if ((what & request::jacobian) != 0) gather(full.G.values, w.base_slots, w.G.values);
    if ((what & request::tangent) != 0) {
      gather(full.V_q.values, w.base_slots, w.V_q.values);
      gather(full.A_q.values, w.base_slots, w.A_q.values);
      gather(full.A_v.values, w.base_slots, w.A_v.values);
    }
    if ((what & request::energy) != 0) {
      w.energy = full.energy;
      w.power = full.power;
    }
    return true;
  }

  static bool evaluate(const MechanicalSystem& s, unsigned what, const Point& point, Workspace& w) {
    if (s.base_ != nullptr) return evaluate_kept_rows(s, what, point, w);
    if ((what & request::mass) != 0 && !w.mass_ready) w.M.set_zero();
    if ((what & request::force) != 0) w.f.setZero();
    if ((what & request::tangent) != 0) {
      w.r_q.set_zero();
      w.r_v.set_zero();
    }
    if ((what & request::energy) != 0) w.energy = w.power = 0.0;
    for (std::size_t k = 0; k < s.groups_.size(); ++k) {
      if (!s.groups_[k]->evaluate(what, point, w.slots[k], w)) return false;
    }
    if ((what & request::mass) != 0) w.mass_ready = s.constant_mass_;
    return true;
  }

  static bool element_terms(const MechanicalSystem& s, int element, double t, const double* q, const double* v,
                            ElementTerms& out, ElementShare share) {
    if (s.base_ != nullptr) {
      if (!element_terms(*s.base_, element, t, q, v, out, share)) return false;
      for (int& row : out.rows) {
        const auto kept = std::lower_bound(s.kept_.begin(), s.kept_.end(), row);
        row = kept != s.kept_.end() && *kept == row ? static_cast<int>(kept - s.kept_.begin()) : -1;
      }
      return true;
    }
    const auto [group, position] = s.elements_[static_cast<std::size_t>(element)];
    return s.groups_[static_cast<std::size_t>(group)]->terms(position, t, q, v, share, out);
  }

  static void draw(const MechanicalSystem& s, double t, const double* q, Drawing& drawing) {
    if (s.base_ != nullptr) return draw(*s.base_, t, q, drawing);
    for (const auto& [group, position] : s.elements_)
      s.groups_[static_cast<std::size_t>(group)]->draw(position, t, q, drawing);
  }

  static void visit_not_smooth(const MechanicalSystem& s, double t, const double* q, const double* v,
                               NotSmooth& visitor) {
    if (s.base_ != nullptr) return visit_not_smooth(*s.base_, t, q, v, visitor);
    for (const auto& [group, position] : s.elements_)
      s.groups_[static_cast<std::size_t>(group)]->visit_not_smooth(position, t, q, v, visitor);
  }
};

SystemAnalysis& analysis_of(const MechanicalSystem& system) {
  return SystemAccess::analysis(system);
}

const MechanicalSystem& with_all_rows(const MechanicalSystem& system) {
  return SystemAccess::with_all_rows(system);
}

const std::vector<std::shared_ptr<const ElementGroup>>& element_groups(const MechanicalSystem& system) {
  return SystemAccess::groups(system);
}

std::shared_ptr<const SystemPatterns> sparse_patterns(const MechanicalSystem& system) {
  return SystemAccess::patterns(system, Storage::sparse);
}

std::unique_ptr<Workspace> make_workspace(const MechanicalSystem& system, Storage storage) {
  return SystemAccess::make_workspace(system, storage);
}

bool evaluate_system(const MechanicalSystem& system, unsigned what, const Point& point, Workspace& w) {
  return SystemAccess::evaluate(system, what, point, w);
}

std::shared_ptr<const MechanicalSystem> with_inputs(const std::shared_ptr<const MechanicalSystem>& system,
                                                    InputBinder& binder) {
  return SystemAccess::with_inputs(system, binder);
}

std::shared_ptr<const MechanicalSystem> with_blocks_of(const std::shared_ptr<const MechanicalSystem>& system,
                                                       const MechanicalSystem& other) {
  return SystemAccess::with_blocks_of(*system, other);
}

bool element_terms(const MechanicalSystem& system, int element, double t, const double* q, const double* v,
                   ElementTerms& out, ElementShare share) {
  return SystemAccess::element_terms(system, element, t, q, v, out, share);
}

void draw_elements(const MechanicalSystem& system, double t, const double* q, Drawing& drawing) {
  SystemAccess::draw(system, t, q, drawing);
}

void visit_elements_not_smooth(const MechanicalSystem& system, double t, const double* q, const double* v,
                               NotSmooth& visitor) {
  SystemAccess::visit_not_smooth(system, t, q, v, visitor);
}

}  // namespace sunlagrange::internal
