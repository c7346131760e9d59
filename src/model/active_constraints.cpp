// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/model/active_constraints.hpp>

#include <algorithm>
#include <cstddef>

#include <sunlagrange/base/registry.hpp>
#include <sunlagrange/base/status.hpp>

#include "base/problems.hpp"
#include "base/words.hpp"
#include "model/checks/required_system.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

std::vector<std::string> constraint_names(const MechanicalSystem& system) {
  std::vector<std::string> names;
  for (int i = 0; i < system.num_constraints(); ++i) {
    if (i == 0 || system.constraint_name(i) != system.constraint_name(i - 1))
      names.push_back(system.constraint_name(i));
  }
  return names;
}

std::string known_constraints(const MechanicalSystem& system) {
  return system.num_constraints() == 0 ? "none, the system has no constraints" : quoted(constraint_names(system));
}

}  // namespace

std::vector<int> find_constraint_rows(const MechanicalSystem& system, const std::vector<std::string>& names,
                                      const std::string& asking) {
  std::vector<int> rows;
  std::string problems;
  for (const std::string& name : names) {
    const std::vector<int> found = system.constraint_rows(name);
    if (found.empty())
      problems += (asking.empty() ? "" : asking + ": ") + "no constraint is called \"" + name + "\"" +
                  did_you_mean(name, constraint_names(system)) + "\n";
    rows.insert(rows.end(), found.begin(), found.end());
  }
  if (!problems.empty()) throw Error(problems + "known constraints: " + known_constraints(system));
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

std::shared_ptr<const MechanicalSystem> without_constraints(const std::shared_ptr<const MechanicalSystem>& system,
                                                            const std::vector<std::string>& names) {
  require_system(system, "without_constraints");
  return without_constraint_rows(system, find_constraint_rows(*system, names, "without_constraints"));
}

std::shared_ptr<const MechanicalSystem> without_constraint_rows(const std::shared_ptr<const MechanicalSystem>& system,
                                                                const std::vector<int>& rows) {
  require_system(system, "without_constraint_rows");
  const int m = system->num_constraints();
  std::string problems;
  std::vector<bool> off(static_cast<std::size_t>(m), false);
  for (const int row : rows) {
    if (row < 0 || row >= m) {
      problems += "without_constraint_rows: row " + std::to_string(row) + " does not exist, must be in [0, " +
                  std::to_string(m) + ")\n";
    } else {
      off[static_cast<std::size_t>(row)] = true;
    }
  }
  throw_if_any(problems);
  if (rows.empty()) return system;
  require_forces(*system, "without_constraint_rows",
                 "has rows that belong to its velocity and cannot be switched off; make another program");

  auto reduced = std::shared_ptr<MechanicalSystem>(new MechanicalSystem());
  const bool nested = system->base_ != nullptr;  // rows are switched off already: gather from the base
  reduced->base_ = nested ? system->base_ : system;
  reduced->n_ = system->n_;
  reduced->constant_mass_ = system->constant_mass_;
  reduced->energy_known_ = system->energy_known_;
  reduced->blocks_ = system->blocks_;
  reduced->position_names_ = system->position_names_;
  reduced->position_kinds_ = system->position_kinds_;
  reduced->position_domains_ = system->position_domains_;
  reduced->natural_scales_ = system->natural_scales_;
  reduced->natural_scales_are_one_ = system->natural_scales_are_one_;
  for (int i = 0; i < m; ++i) {
    if (off[static_cast<std::size_t>(i)]) continue;
    reduced->kept_.push_back(nested ? system->kept_[static_cast<std::size_t>(i)] : i);
    reduced->constraint_names_.push_back(system->constraint_name(i));
    ++(i < system->m_g_ ? reduced->m_g_ : reduced->m_psi_);
  }
  return reduced;
}

}  // namespace sunlagrange
