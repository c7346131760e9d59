// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <Eigen/Dense>

#include <sunlagrange/analysis.hpp>

#include "mechanisms/mechanism.hpp"

/// Every registered mechanism, made small, for analyses. What an analysis cannot treat is a table of properties with
/// the words in which the library must refuse them; whatever has none of these properties must be treated.
namespace sunlagrange::test {

struct AnalysedMechanism {
  std::string name;
  mechanisms::Mechanism mechanism;
  MotionState start;     ///< consistent, unless the mechanism starts as given
  Eigen::MatrixXd free;  ///< n x k: velocities that G allows, orthonormal in natural scales
  bool moving = false;   ///< a row of g or psi asks for a velocity at rest
  bool redundant = false;

  const std::shared_ptr<const MechanicalSystem>& system() const { return mechanism.system; }
  bool program() const { return system()->first_order(); }
  int freedoms() const { return static_cast<int>(free.cols()); }

  /// As many as there are freedoms, such that their velocities determine all others as well as possible.
  std::vector<int> independent() const {
    std::vector<int> chosen;
    const Eigen::MatrixXd rows = (system()->natural_scales().cwiseInverse().asDiagonal() * free).transpose();  // k x n
    if (rows.rows() == 0) return chosen;
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(rows);
    for (Eigen::Index i = 0; i < rows.rows(); ++i) chosen.push_back(qr.colsPermutation().indices()[i]);
    return chosen;
  }
};

inline AnalysedMechanism analysed(const mechanisms::MechanismEntry& entry) {
  AnalysedMechanism result;
  result.name = entry.name;
  result.mechanism = entry.make(entry.sized() ? 3 : 0);
  const auto& system = result.mechanism.system;
  ConsistencyOptions options;
  options.start = result.mechanism.start_mode;
  result.start = consistent_state(system, result.mechanism.start, options).state;
  if (result.program()) return result;
  const MotionState& at = result.start;
  const SystemQuantities rest = SystemEvaluator(system).at(at.t, at.q);
  result.moving = rest.g_rate.size() > 0 && rest.g_rate.lpNorm<Eigen::Infinity>() > 1e-9;
  const RedundancyReport rows = analyse_redundancy(system, at.t, at.q, at.v);
  result.redundant = rows.redundant > 0;
  const Eigen::Index n = system->num_positions();
  const Eigen::VectorXd& scales = system->natural_scales();
  if (rows.rank == 0) {
    result.free = scales.asDiagonal();
    return result;
  }
  const Eigen::MatrixXd G = SystemEvaluator(system).at(at.t, at.q, at.v).G * scales.asDiagonal();
  const Eigen::MatrixXd V = Eigen::JacobiSVD<Eigen::MatrixXd>(G, Eigen::ComputeFullV).matrixV();
  result.free = scales.asDiagonal() * V.rightCols(n - rows.rank);
  return result;
}

inline const std::vector<AnalysedMechanism>& analysed_mechanisms() {
  static const std::vector<AnalysedMechanism> all = [] {
    std::vector<AnalysedMechanism> list;
    for (const auto& entry : mechanisms::mechanism_registry()) list.push_back(analysed(entry));
    return list;
  }();
  return all;
}

/// Why an analysis cannot treat a mechanism.
struct Refusal {
  bool (*applies)(const AnalysedMechanism&);
  const char* words;  ///< of the message
};

/// The message of what refuses or ends without an answer; empty: it finished.
template <class Call>
std::string refusal_of(const Call& call) {
  try {
    const Status status = call();
    if (status.finished()) return "";
    BOOST_TEST(!status.message.empty());
    return status.message;
  } catch (const Error& error) {
    return error.what();
  }
}

/// Is there a reason in the table? Then the library must give it.
template <class Call>
bool refused(const AnalysedMechanism& one, const std::vector<Refusal>& table, const Call& call) {
  for (const Refusal& reason : table) {
    if (!reason.applies(one)) continue;
    const std::string message = refusal_of(call);
    BOOST_TEST(message.find(reason.words) != std::string::npos, "expected: " << reason.words << "; said: " << message);
    BOOST_TEST_MESSAGE(one.name << ": " << reason.words);
    return true;
  }
  return false;
}

inline bool is_program(const AnalysedMechanism& one) {
  return one.program();
}
inline bool holds_velocities(const AnalysedMechanism& one) {
  return one.system()->num_velocity_constraints() > 0;
}
inline bool moves_by_itself(const AnalysedMechanism& one) {
  return one.moving;
}

}  // namespace sunlagrange::test
