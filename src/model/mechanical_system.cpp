#include <sunlagrange/model/mechanical_system.hpp>

#include <algorithm>
#include <limits>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/internal/capabilities.hpp>
#include <sunlagrange/internal/element_group.hpp>

namespace sunlagrange {

using namespace internal;
namespace {

/// Entries called `name`, `name[...]` or `name.(...)`.
std::vector<int> entries_of(const std::vector<std::string>& names, const std::string& name) {
  std::vector<int> found;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& own = names[i];
    const bool part = !name.empty() && own.size() > name.size() && own.compare(0, name.size(), name) == 0 &&
                      (own[name.size()] == '[' || own[name.size()] == '.');
    if (own == name || part) found.push_back(static_cast<int>(i));
  }
  return found;
}

}  // namespace

SystemPatterns MechanicalSystem::make_patterns(Storage storage) const {
  SystemPatterns p;
  if (base_ != nullptr) {
    p = base_->make_patterns(storage);
    p.jacobian = p.jacobian.with_rows(kept_);
    return p;
  }
  if (storage == Storage::dense) {
    const double entries = static_cast<double>(n_) * (n_ + num_constraints());
    if (entries > std::numeric_limits<int>::max()) {
      throw Error("the system has " + std::to_string(n_) + " coordinates and " + std::to_string(num_constraints()) +
                  " constraints, too many for dense matrices; use linear solver klu");
    }
    p.mass = SparsePattern::dense(n_, n_);
    p.tangent = p.mass;
    p.jacobian = SparsePattern::dense(num_constraints(), n_);
  } else {
    std::vector<std::pair<int, int>> mass;
    std::vector<std::pair<int, int>> jacobian;
    std::vector<std::pair<int, int>> tangent;
    for (const auto& group : groups_) group->collect(mass, jacobian, tangent);
    for (int i = 0; i < n_; ++i) mass.emplace_back(i, i);
    tangent.insert(tangent.end(), mass.begin(), mass.end());
    p.mass = SparsePattern::from_entries(n_, n_, std::move(mass));
    p.tangent = SparsePattern::from_entries(n_, n_, std::move(tangent));
    p.jacobian = SparsePattern::from_entries(num_constraints(), n_, std::move(jacobian));
  }
  p.mass.for_each_entry([&](int i, int j, int) { p.mass_in_tangent.push_back(p.tangent.slot(i, j)); });
  return p;
}

std::unique_ptr<Workspace> MechanicalSystem::make_workspace(Storage storage) const {
  auto w = std::make_unique<Workspace>();
  w->storage = storage;
  w->patterns = std::make_shared<const SystemPatterns>(make_patterns(storage));
  for (const auto& group : groups_) w->slots.push_back(group->make_slots(*w->patterns));
  const auto zero = [&](const SparsePattern& pattern) {
    return PatternMatrix(std::shared_ptr<const SparsePattern>(w->patterns, &pattern));
  };
  w->M = zero(w->patterns->mass);
  w->f.setZero(n_);
  w->g.setZero(m_g_);
  w->g_rate.setZero(num_constraints());
  w->gamma.setZero(num_constraints());
  for (PatternMatrix* block : {&w->r_q, &w->r_v}) *block = zero(w->patterns->tangent);
  for (PatternMatrix* block : {&w->G, &w->V_q, &w->A_q, &w->A_v}) *block = zero(w->patterns->jacobian);
  if (base_ != nullptr) make_kept_rows(*w);
  return w;
}

std::vector<int> MechanicalSystem::constraint_rows(const std::string& name) const {
  return entries_of(constraint_names_, name);
}

std::vector<int> MechanicalSystem::position_indices(const std::string& name) const {
  return entries_of(position_names_, name);
}

bool MechanicalSystem::evaluate(unsigned what, const Point& point, Workspace& w) const {
  if (base_ != nullptr) return evaluate_kept_rows(what, point, w);
  if ((what & request::mass) != 0 && !w.mass_ready) w.M.set_zero();
  if ((what & request::force) != 0) w.f.setZero();
  if ((what & request::tangent) != 0) {
    w.r_q.set_zero();
    w.r_v.set_zero();
  }
  if ((what & request::energy) != 0) w.energy = w.power = 0.0;
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    if (!groups_[k]->evaluate(what, point, w.slots[k], w)) return false;
  }
  if ((what & request::mass) != 0) w.mass_ready = constant_mass_;
  return true;
}

int MechanicalSystem::num_elements() const {
  return base_ != nullptr ? base_->num_elements() : static_cast<int>(elements_.size());
}

const std::string& MechanicalSystem::element_name(int element) const {
  static const std::string model = "model";
  if (base_ != nullptr) return base_->element_name(element);
  const auto [group, position] = elements_[static_cast<std::size_t>(element)];
  const std::string& name = groups_[static_cast<std::size_t>(group)]->name(position);
  return name.empty() ? model : name;
}

bool MechanicalSystem::element_terms(int element, double t, const double* q, const double* v, ElementTerms& out) const {
  if (base_ != nullptr) {
    if (!base_->element_terms(element, t, q, v, out)) return false;
    for (int& row : out.rows) {
      const auto kept = std::lower_bound(kept_.begin(), kept_.end(), row);
      row = kept != kept_.end() && *kept == row ? static_cast<int>(kept - kept_.begin()) : -1;
    }
    return true;
  }
  const auto [group, position] = elements_[static_cast<std::size_t>(element)];
  return groups_[static_cast<std::size_t>(group)]->terms(position, t, q, v, out);
}

std::vector<ElementMembers> MechanicalSystem::members() const {
  if (base_ != nullptr) return base_->members();
  std::vector<ElementMembers> all;
  for (const auto& group : groups_) {
    ElementMembers m;
    m.element = group->name(0).empty() ? "model" : group->name(0);
    m.elements = group->size();
    unsigned bit = 1;
    for (const char* name : requirements::member_names) {
      ((group->members() & bit) != 0 ? m.present : m.absent).emplace_back(name);
      bit <<= 1;
    }
    all.push_back(std::move(m));
  }
  return all;
}

std::vector<std::pair<std::string, std::string>> MechanicalSystem::sources() const {
  if (base_ != nullptr) return base_->sources();
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& group : groups_) {
    for (const auto& entry : group->sources()) {
      if (std::find(all.begin(), all.end(), entry) == all.end()) all.push_back(entry);
    }
  }
  unsigned found = 0;
  for (const auto& group : groups_) found |= group->members();
  std::string absent;
  unsigned bit = 1;
  for (const char* name : requirements::member_names) {
    if ((found & bit) == 0) absent += (absent.empty() ? "" : ", ") + std::string(name);
    bit <<= 1;
  }
  if (found != 0 && !absent.empty()) all.emplace_back("members not found", absent);
  return all;
}

}  // namespace sunlagrange
