// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/model/mechanical_system.hpp>

#include <algorithm>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/internal/capabilities.hpp>
#include <sunlagrange/internal/element_group.hpp>
#include <sunlagrange/model/parameters.hpp>

#include "model/system_analysis.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

/// Returns the entries called `name`, `name[...]` or `name.(...)`.
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

/// Notes whether anything is described.
class AnyParameter final : public Parameters {
 public:
  bool found = false;

 private:
  void number(const Parameter& /*about*/, double& /*value*/) override { found = true; }
  void table(const Parameter& /*about*/, std::vector<double>& /*values*/) override { found = true; }
  void enter(const ParameterPart& /*about*/) override { found = true; }
  void function(const ParameterPart& /*about*/) override { found = true; }
};

/// Returns true if the elements describe their parameters, as all elements of the library do. They are written for many
/// models, and what they leave out is no mistake.
bool describes_parameters(const ElementGroup& group) {
  AnyParameter any;
  group.describe(0, any);
  return any.found;
}

}  // namespace

MechanicalSystem::MechanicalSystem() : analysis_(std::make_shared<SystemAnalysis>()) {}

std::vector<int> MechanicalSystem::constraint_rows(const std::string& name) const {
  return entries_of(constraint_names_, name);
}

std::vector<int> MechanicalSystem::position_indices(const std::string& name) const {
  return entries_of(position_names_, name);
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

std::pair<const ElementGroup*, int> MechanicalSystem::element(int element) const {
  if (base_ != nullptr) return base_->element(element);
  const auto [group, position] = elements_[static_cast<std::size_t>(element)];
  return {groups_[static_cast<std::size_t>(group)].get(), position};
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
  return all;
}

std::vector<std::string> MechanicalSystem::missing_members() const {
  if (base_ != nullptr) return base_->missing_members();
  unsigned found = 0;
  for (const auto& group : groups_) {
    if (!describes_parameters(*group)) found |= group->members();
  }
  std::vector<std::string> missing;
  unsigned bit = 1;
  for (const char* name : requirements::member_names) {
    if (found != 0 && (found & bit) == 0) missing.emplace_back(name);
    bit <<= 1;
  }
  return missing;
}

}  // namespace sunlagrange
