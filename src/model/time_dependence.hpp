// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include <Eigen/Core>

#include "model/evaluation.hpp"

namespace sunlagrange::internal {

/// The functions of time in the equations of a system (M, f, g, (g', psi), gamma): the groups of elements of one type
/// of which a member reads the time. A group does not read it if its quantities are the same at another time, and if
/// a signalling NaN as the time neither reaches them nor takes part in a calculation or a comparison. The flag of
/// invalid operations of the processor tells the latter, so that a branch by the time counts, whichever way it goes:
/// `t > a && t < b` is false for NaN, as it is before a. A group counts as well if it declines a point or throws, if it
/// computes with NaN anyhow, where the flags of the processor are not kept, and if it has constraints of run-time
/// functions (ModelFunctions) without derivatives, which are differentiated by the time numerically.
class FunctionsOfTime {
 public:
  explicit FunctionsOfTime(std::shared_ptr<const MechanicalSystem> system);

  /// Finds them at a state. Values at two times are compared first, so that a table of the user, which may not be
  /// prepared for NaN, is hardly ever asked for it. Costs three evaluations of the system without its matrices G.
  void find(double t, double other, const Eigen::VectorXd& q, const Eigen::VectorXd& v);

  /// Finds those that are not known yet at another state: a branch by the state may lead to one. Gives NaN again to the
  /// groups that have not depended on the time so far. Costs one evaluation of them.
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
