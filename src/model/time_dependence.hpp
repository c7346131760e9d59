// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include <Eigen/Core>

#include "model/evaluation.hpp"

namespace sunlagrange::internal {

/// The functions of time in the equations of a system (M, f, g, (g', psi), gamma): the groups of elements of one type
/// of which a member reads the time. A group does not read it if its quantities are the same at another time, and if
/// they neither change nor compute nor compare anything with a time that is NaN. So a branch by the time counts,
/// whichever way it goes. A group counts as well if it declines a point or throws, if it computes with NaN anyhow, and
/// where the processor does not tell that NaN was used.
class FunctionsOfTime {
 public:
  explicit FunctionsOfTime(std::shared_ptr<const MechanicalSystem> system);

  /// Finds them at a state. Values at two times are compared first, so that a table of the user, which may not be
  /// prepared for NaN, is hardly ever asked for it. Costs three evaluations of the system without its matrices G.
  void find(double t, double other, const Eigen::VectorXd& q, const Eigen::VectorXd& v);

  /// Finds those that are not known yet at another state: a branch of the model may lead to one. Costs one evaluation
  /// of what is not known to depend on the time.
  void find_readers(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v);

  /// Returns true if none is known.
  bool none() const { return groups_.empty(); }

  /// Evaluates what depends on the time. Returns false if the model declines the point, or throws.
  bool values(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v, std::vector<double>& values);

 private:
  /// All elements of one type, and what they write.
  struct Group {
    const ElementGroup* elements;
    const GroupSlots* slots;
    std::vector<int> coordinates, rows;  // in f and in (g, psi)
  };

  bool evaluate(const ElementGroup& elements, const GroupSlots& slots, double t, const Eigen::VectorXd& q,
                const Eigen::VectorXd& v);
  bool evaluate_all(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v);
  bool values(const Group& group, double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
              std::vector<double>& values);
  template <class Evaluate, class Finite>
  static bool reads_nan(Evaluate&& evaluate, Finite&& results);
  bool all_read_nan(const Eigen::VectorXd& q, const Eigen::VectorXd& v);
  bool group_reads_nan(const Group& group, const Eigen::VectorXd& q, const Eigen::VectorXd& v);
  void find_groups(double t, double other, const Eigen::VectorXd& q, const Eigen::VectorXd& v);

  std::shared_ptr<const MechanicalSystem> system_;
  const MechanicalSystem& full_;  // with the rows that are switched off
  std::unique_ptr<Workspace> w_;
  std::vector<Group> groups_;  // that depend on the time
  std::vector<Group> others_;  // that did not where they were asked; empty before find_groups()
  std::vector<double> of_group_;
};

}  // namespace sunlagrange::internal
