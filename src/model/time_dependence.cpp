// SPDX-License-Identifier: BSD-3-Clause
#include "model/time_dependence.hpp"

#include <array>
#include <cfenv>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include <sunlagrange/internal/element_group.hpp>

#include "base/numerics.hpp"

namespace sunlagrange::internal {
namespace {

using Eigen::VectorXd;

constexpr unsigned equations = request::mass | request::force | request::constraint;

/// Notices that a signalling NaN takes part in a calculation or a comparison while it exists: that raises the flag of
/// invalid operations, a copy does not (IEEE 754, 7.2). The flags and traps of the caller are restored.
class UseOfNaN {
 public:
  UseOfNaN() { std::feholdexcept(&before_); }
  UseOfNaN(const UseOfNaN&) = delete;
  UseOfNaN& operator=(const UseOfNaN&) = delete;
  ~UseOfNaN() { std::fesetenv(&before_); }

  bool noticed() const { return std::fetestexcept(FE_INVALID) != 0; }

 private:
  std::fenv_t before_{};
};

double signalling_nan() {
  static const volatile double nan = std::numeric_limits<double>::signaling_NaN();
  return nan;
}

/// False: processor or emulator set no flags.
bool flags_work() {
  static const bool work = [] {
    const UseOfNaN use;
    const volatile double nan = signalling_nan();
    const volatile bool less = nan < 1.0;
    return !less && use.noticed();
  }();
  return work;
}

}  // namespace

FunctionsOfTime::FunctionsOfTime(std::shared_ptr<const MechanicalSystem> system)
    : system_(std::move(system)), full_(with_all_rows(*system_)), w_(make_workspace(full_, Storage::sparse)) {}

bool FunctionsOfTime::evaluate(const ElementGroup& elements, const GroupSlots& slots, double t, const VectorXd& q,
                               const VectorXd& v) {
  try {
    w_->mass_ready = false;
    return elements.evaluate(equations, {t, q.data(), v.data(), nullptr, nullptr}, slots, *w_);
  } catch (...) {  // whatever it is: not at a state of the run
    return false;
  }
}

/// Writes the quantities of all groups. Returns false if one of them declines the point.
bool FunctionsOfTime::evaluate_all(double t, const VectorXd& q, const VectorXd& v) {
  const auto& groups = element_groups(full_);
  w_->M.set_zero();
  w_->f.setZero();
  for (std::size_t k = 0; k < groups.size(); ++k) {
    if (!evaluate(*groups[k], w_->slots[k], t, q, v)) return false;
  }
  return true;
}

/// Returns true if evaluate() reads a time that is NaN. @param results  tells whether the results are finite
template <class Evaluate, class Finite>
bool FunctionsOfTime::reads_nan(Evaluate&& evaluate, Finite&& results) {
  if (!flags_work()) return true;
  const UseOfNaN use;
  return !evaluate(signalling_nan()) || use.noticed() || !results();
}

bool FunctionsOfTime::all_read_nan(const VectorXd& q, const VectorXd& v) {
  return reads_nan([&](double t) { return evaluate_all(t, q, v); },
                   [&] {
                     for (const VectorXd* x : {&w_->M.values, &w_->f, &w_->g, &w_->g_rate, &w_->gamma}) {
                       if (!are_finite(*x, x->size())) return false;
                     }
                     return true;
                   });
}

void FunctionsOfTime::find(double t, double other, const VectorXd& q, const VectorXd& v) {
  groups_.clear();
  others_.clear();
  if (evaluate_all(t, q, v)) {
    const std::array<VectorXd, 5> here{w_->M.values, w_->f, w_->g, w_->g_rate, w_->gamma};
    const bool same = evaluate_all(other, q, v) && here[0] == w_->M.values && here[1] == w_->f && here[2] == w_->g &&
                      here[3] == w_->g_rate && here[4] == w_->gamma;
    if (same && !all_read_nan(q, v)) return;
  }
  find_groups(t, other, q, v);
}

void FunctionsOfTime::find_readers(double t, const VectorXd& q, const VectorXd& v) {
  if (groups_.empty() && others_.empty()) {
    if (all_read_nan(q, v)) find_groups(t, t, q, v);
    return;
  }
  for (std::size_t k = others_.size(); k-- > 0;) {
    if (!group_reads_nan(others_[k], q, v)) continue;
    groups_.push_back(std::move(others_[k]));
    others_.erase(others_.begin() + static_cast<std::ptrdiff_t>(k));
  }
}

bool FunctionsOfTime::group_reads_nan(const Group& group, const VectorXd& q, const VectorXd& v) {
  return reads_nan([&](double nan) { return values(group, nan, q, v, of_group_); },
                   [&] { return are_finite(of_group_, of_group_.size()); });
}

void FunctionsOfTime::find_groups(double t, double other, const VectorXd& q, const VectorXd& v) {
  std::vector<Group> all;
  std::unordered_map<const ElementGroup*, std::size_t> numbers;
  for (const auto& elements : element_groups(full_)) {
    numbers[elements.get()] = all.size();
    all.push_back({elements.get(), &w_->slots[all.size()], {}, {}});
  }
  for (int k = 0; k < full_.num_elements(); ++k) {
    const auto [elements, position] = full_.element(k);
    const std::vector<int> own = elements->coordinates_of(position);
    std::vector<int>& coordinates = all[numbers[elements]].coordinates;
    coordinates.insert(coordinates.end(), own.begin(), own.end());
  }
  std::vector<double> here, there;
  for (Group& group : all) {
    w_->g_rate.setConstant(NAN);  // the rows of the group are those that it writes
    const bool known = evaluate(*group.elements, *group.slots, t, q, v);
    for (int i = 0; i < w_->g_rate.size(); ++i) {
      if (!std::isnan(w_->g_rate[i])) group.rows.push_back(i);
    }
    const bool depends = !known || !values(group, t, q, v, here) || !values(group, other, q, v, there) ||
                         here != there || group_reads_nan(group, q, v);
    (depends ? groups_ : others_).push_back(std::move(group));
  }
}

bool FunctionsOfTime::values(const Group& group, double t, const VectorXd& q, const VectorXd& v,
                             std::vector<double>& values) {
  values.clear();
  for (const int slot : group.slots->mass) w_->M.values[slot] = 0.0;
  for (const int i : group.coordinates) w_->f[i] = 0.0;
  if (!evaluate(*group.elements, *group.slots, t, q, v)) return false;
  for (const int slot : group.slots->mass) values.push_back(w_->M.values[slot]);
  for (const int i : group.coordinates) values.push_back(w_->f[i]);
  for (const int i : group.rows) {
    if (i < w_->g.size()) values.push_back(w_->g[i]);
    values.push_back(w_->g_rate[i]);
    values.push_back(w_->gamma[i]);
  }
  return true;
}

bool FunctionsOfTime::values(double t, const VectorXd& q, const VectorXd& v, std::vector<double>& values) {
  values.clear();
  for (const Group& group : groups_) {
    if (!this->values(group, t, q, v, of_group_)) return false;
    values.insert(values.end(), of_group_.begin(), of_group_.end());
  }
  return true;
}

}  // namespace sunlagrange::internal
