// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <sstream>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/consistency/redundancy.hpp>

#include "base/words.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

std::string count(int number, const std::string& noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

std::string equation(const DependentConstraint& d) {
  if (d.relation.empty()) return "\"" + d.constraint + "\": its gradient vanishes";
  std::string line = "\"" + d.constraint + "\" = ";
  for (std::size_t k = 0; k < d.relation.size(); ++k) {
    const RelationTerm& term = d.relation[k];
    const double size = std::abs(term.coefficient);
    if (k > 0) line += term.coefficient < 0.0 ? " - " : " + ";
    if (k == 0 && term.coefficient < 0.0) line += "-";
    line += (std::abs(size - 1.0) < 1e-9 ? "" : text(size) + " x ") + "\"" + term.constraint + "\"";
  }
  return line;
}

void list(std::ostream& out, const RedundancyReport& r, bool permanent, const std::string& headline) {
  bool first = true;
  for (const DependentConstraint& d : r.dependent) {
    if (d.permanent != permanent) continue;
    if (first) out << headline << "\n";
    first = false;
    out << "  " << equation(d) << "\n";
  }
}

}  // namespace

std::string RedundancyReport::text() const {
  std::ostringstream out;
  if (!status.finished()) return status.message + "\n";
  out << count(rows, "constraint row") << ", rank " << rank << ", " << redundant << " redundant; "
      << count(degrees_of_freedom, "degree") << " of freedom"
      << (permanence_known() && redundant > permanent ? " for an instant" : "") << "\n";
  if (rows == 0) return out.str();
  const auto number = [](double x) { return sunlagrange::text(x); };
  out << "singular values of G, balanced: " << number(smallest_singular_value) << " ... "
      << number(largest_singular_value) << "\n";
  if (redundant == 0) {
    out << "all multipliers are unique\n";
    return out.str();
  }
  const bool known = permanence_known();
  list(out, *this, true, "permanently redundant, can be removed (relations of the gradients here):");
  list(out, *this, false,
       known ? "dependent in this singular configuration only, do not remove:"
             : "dependent here; no nearby configuration was reached, so it is not known whether for longer:");
  for (const LostDirection& direction : lost) {
    out << "lost direction (relative singular value " << number(direction.singular_value) << "):";
    for (const ConstraintShare& s : direction.shares)
      out << " \"" << s.constraint << "\" " << std::lround(100.0 * s.share) << " %";
    out << "\n";
  }
  int not_unique = 0;
  for (const std::vector<int>& group : groups) {
    std::vector<std::string> names;
    for (const int row : group) names.push_back(constraint_names[static_cast<std::size_t>(row)]);
    not_unique += static_cast<int>(group.size());
    out << "individual multipliers of {" << quoted(names)
        << "} are not unique; their joint force G^T lambda and the accelerations are\n";
  }
  if (not_unique < rows) out << "all other multipliers (" << rows - not_unique << ") are unique\n";
  return out.str();
}

}  // namespace sunlagrange
