// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/analysis/drive_forces.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/consistency/consistent_state.hpp>
#include <sunlagrange/derivatives/dual.hpp>

#include "analysis/shared/one_coordinate.hpp"
#include "analysis/shared/rounding.hpp"
#include "analysis/shared/row_space.hpp"
#include "analysis/shared/scaled_system.hpp"
#include "model/checks/required_system.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct DriveLimits {
  static constexpr double stride = 0.1;      ///< [natural scales] of a driven coordinate between two configurations
  static constexpr int max_strides = 10000;  ///< between two times
  static constexpr double near_dead_point = 0.1;  ///< smallest regularity over the largest that needs no warning
  static constexpr double coarse_table = 0.01;    ///< relative error of accelerations that needs no warning
};

/// Finds the configurations, velocities and accelerations of the given motions from time to time.
class MotionFollower {
 public:
  MotionFollower(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                 const std::vector<GivenMotion>& motions, const DriveForcesOptions& options)
      : system_(system), motions_(motions), options_(options), start_(start), from_(start), evaluate_(system) {
    for (const GivenMotion& motion : motions) {
      driven_.push_back(one_coordinate(*system, motion.coordinate, "drive_forces"));
      names_.push_back(system->position_name(driven_.back()));
      if (std::count(driven_.begin(), driven_.end(), driven_.back()) > 1)
        throw Error("drive_forces: \"" + motion.coordinate + "\" is given twice; give it once");
    }
    from_.fixed_positions = names_;
    from_.fixed_velocities.clear();
    from_.v.resize(0);
  }

  /// Moves on from the present state, at first from the start. Returns false, with the reason in `status`, if that is
  /// impossible.
  bool advance_to(double t, Status& status) {
    if (!within_range(t, status)) return false;
    if (state_.q.size() == 0) return find_configuration(t, status) && find_rates(status);
    const double begin = state_.t;
    double distance = 0.0;
    for (std::size_t j = 0; j < driven_.size(); ++j) {
      const double scale = system_->natural_scales()[driven_[j]];
      distance = std::max(distance, std::abs(at(j, t).c0 - state_.q[driven_[j]]) / scale);
      distance = std::max(distance, std::abs(state_.v[driven_[j]] * (t - begin)) / scale);
    }
    const int strides =
        static_cast<int>(std::clamp(std::ceil(distance / DriveLimits::stride), 1.0, double{DriveLimits::max_strides}));
    for (int k = 1; k <= strides; ++k) {
      const double next = k == strides ? t : begin + (t - begin) * k / strides, h = next - state_.t;
      from_.q = state_.q + h * state_.v + 0.5 * h * h * state_.a;
      if (!find_configuration(next, status) || !find_rates(status)) return false;
    }
    return true;
  }

  const MotionState& state() const { return state_; }
  double regularity() const { return regularity_; }
  const std::vector<std::string>& names() const { return names_; }

 private:
  Taylor<double> at(std::size_t j, double t) const {
    return std::visit([t](const auto& law) { return law(Taylor<double>(t, 1.0, 0.0)); }, motions_[j].law);
  }

  /// Returns false if a law overflows at t, or products with its value, rate or acceleration would.
  bool within_range(double t, Status& status) const {
    for (std::size_t j = 0; j < driven_.size(); ++j) {
      const Taylor<double> s = at(j, t);
      const double most = std::max({std::abs(s.c0), std::abs(s.c1), std::abs(2.0 * s.c2)});
      if (std::isfinite(s.c0 + s.c1 + s.c2) && most < largest_value) continue;
      status = {Outcome::model_error, "the motion given for " + names_[j] +
                                          " overflows, or products with it overflow, at t = " + text(t) + ": value " +
                                          text(s.c0) + ", rate " + text(s.c1) + ", acceleration " + text(2.0 * s.c2)};
      return false;
    }
    return true;
  }

  /// Returns the number of degrees of freedom without the motions near the given start, or nothing if there is no
  /// configuration.
  std::optional<int> freedoms_at_start() {
    InitialState free = start_;
    free.fixed_positions.clear();
    free.fixed_velocities.clear();
    free.v.resize(0);
    ConsistencyOptions consistency;
    consistency.linear_solver = options_.linear_solver;
    const ConsistentState found = consistent_state(system_, free, consistency);
    ScaledQuantities here;
    MotionState at = found.state;
    at.v = at.a = VectorXd::Zero(system_->num_positions());
    at.lambda = VectorXd::Zero(system_->num_constraints());
    if (!found.report.feasible || !evaluate_.find_scales(at.t, at.q, at.v) || !evaluate_.evaluate(at, here))
      return std::nullopt;
    return static_cast<int>(at.q.size()) - RowSpace(here.G, evaluate_.threshold(options_.linear_solver)).rank();
  }

  /// Returns the probable reason why there is no configuration at t.
  std::string advice(double t) {
    std::string targets;
    for (std::size_t j = 0; j < driven_.size(); ++j)
      targets += (j > 0 ? ", " : "") + names_[j] + " = " + text(at(j, t).c0);
    if (freedoms_checked_)
      return targets +
             " is out of reach, or a dead point lies before it (if the start is near one, start on the right side of "
             "it)";
    const std::optional<int> freedoms = freedoms_at_start();
    if (freedoms && static_cast<int>(driven_.size()) > *freedoms)
      return std::to_string(driven_.size()) + " motions are given, and the mechanism has " + std::to_string(*freedoms) +
             (*freedoms == 1 ? " degree of freedom" : " degrees of freedom") + ": give no more";
    return targets +
           " is out of reach, or the start is on another branch; give positions near those at the first time, and on "
           "the "
           "right side of a dead point";
  }

  bool find_configuration(double t, Status& status) {
    if (!within_range(t, status)) return false;
    if (options_.keep_going && !options_.keep_going(t)) {
      status = {Outcome::interrupted, "the application ended the search at t = " + text(t)};
      return false;
    }
    from_.t = t;
    for (std::size_t j = 0; j < driven_.size() && from_.q.size() > driven_[j]; ++j) from_.q[driven_[j]] = at(j, t).c0;
    ConsistencyOptions consistency;
    consistency.linear_solver = options_.linear_solver;
    const ConsistentState found = consistent_state(system_, from_, consistency);
    if (!found.report.feasible || found.report.status.outcome == Outcome::model_error) {
      status = found.report.status;
      if (status.finished()) status.outcome = Outcome::infeasible;
      const std::string why = status.outcome == Outcome::model_error ? "" : advice(t) + "; ";
      status.message = "the mechanism cannot follow at t = " + text(t) + ": " + why + status.message;
      return false;
    }
    state_ = found.state;
    return true;
  }

  /// Computes velocities and accelerations at state_.
  bool find_rates(Status& status) {
    const Index n = system_->num_positions(), m = system_->num_constraints(), k = static_cast<Index>(driven_.size());
    state_.v.setZero(n);
    state_.a.setZero(n);
    state_.lambda.setZero(m);
    ScaledQuantities here;
    const auto taken = [&](bool good) {
      if (!good) status = {Outcome::model_error, "the model declined the point at t = " + text(state_.t)};
      return good;
    };
    if (!taken(evaluate_.find_scales(state_.t, state_.q, state_.v) && evaluate_.evaluate(state_, here))) return false;
    MatrixXd rows = MatrixXd::Zero(m + k, n);
    rows.topRows(m) = here.G;
    VectorXd rates(m + k), bends(m + k);
    rates.head(m) = -here.g_rate;  // at v = 0: rows that depend on time
    for (Index j = 0; j < k; ++j) {
      const int i = driven_[static_cast<std::size_t>(j)];
      const Taylor<double> s = at(static_cast<std::size_t>(j), state_.t);
      rows(m + j, i) = 1.0;
      rates[m + j] = s.c1 / evaluate_.columns()[i];
      bends[m + j] = 2.0 * s.c2 / evaluate_.columns()[i];
    }
    const double threshold = evaluate_.threshold(options_.linear_solver);
    const RowSpace space(rows, threshold);
    if (!freedoms_checked_ && !check_freedoms(rows, threshold, status)) return false;
    freedoms_checked_ = true;
    if (space.rank() < n) {
      status = {
          Outcome::rank_loss,
          "at t = " + text(state_.t) + " the given motions leave " + std::to_string(n - space.rank()) +
              " degrees of freedom open; give as many coordinates as the mechanism has degrees of freedom, and at a "
              "dead point others"};
      return false;
    }
    regularity_ = smallest_share(space, m);
    const auto solved = [&](const VectorXd& right, const char* what, VectorXd& x) {
      const VectorXd scaled = space.shortest(right);
      x = evaluate_.columns().cwiseProduct(scaled);
      const double left = (rows * scaled - right).lpNorm<Eigen::Infinity>();
      if (left <= contradiction_residual * std::max(right.lpNorm<Eigen::Infinity>(), 1.0)) return true;
      status = {Outcome::infeasible,
                std::string("the given motions contradict each other, or the constraints, in ") + what +
                    " at t = " + text(state_.t) + ", by " + text(left) +
                    " relatively; give as many coordinates as the mechanism has degrees of freedom"};
      return false;
    };
    VectorXd v;
    if (!solved(rates, "velocity", v)) return false;
    state_.v = v;
    if (!taken(evaluate_.evaluate(state_, here))) return false;
    bends.head(m) = here.gamma;
    if (!solved(bends, "acceleration", state_.a)) return false;
    for (std::size_t j = 0; j < driven_.size(); ++j) {  // exact, not only to rounding
      const Taylor<double> s = at(j, state_.t);
      state_.v[driven_[j]] = s.c1;
      state_.a[driven_[j]] = 2.0 * s.c2;
    }
    return true;
  }

  /// Returns the smallest ratio of the motion of a given coordinate to the largest motion that it causes, in natural
  /// scales.
  double smallest_share(const RowSpace& space, Index m) const {
    const VectorXd& natural = system_->natural_scales();
    double most = 1.0;
    for (std::size_t j = 0; j < driven_.size(); ++j) {
      VectorXd unit = VectorXd::Zero(m + static_cast<Index>(driven_.size()));
      unit[m + static_cast<Index>(j)] = natural[driven_[j]] / evaluate_.columns()[driven_[j]];
      const VectorXd moved = evaluate_.columns().cwiseProduct(VectorXd(space.shortest(unit)));
      most = std::max(most, moved.cwiseQuotient(natural).lpNorm<Eigen::Infinity>());
    }
    return 1.0 / most;
  }

  /// Returns true if there are as many motions as degrees of freedom, and positions follow from them.
  bool check_freedoms(const MatrixXd& rows, double threshold, Status& status) const {
    const Index n = rows.cols(), k = static_cast<Index>(driven_.size()), m = rows.rows() - k;
    const Index freedoms = n - RowSpace(rows.topRows(m), threshold).rank();
    if (k > freedoms) {
      status = {Outcome::rank_loss,
                "the constraints leave " + std::to_string(freedoms) + " degrees of freedom, and " + std::to_string(k) +
                    " motions are given: give as many, and remove what prescribes the motion already, such as a motor"};
      return false;
    }
    const Index m_g = system_->num_position_constraints();
    if (m_g == m) return true;
    MatrixXd of_positions(m_g + k, n);
    of_positions << rows.topRows(m_g), rows.bottomRows(k);
    if (RowSpace(of_positions, threshold).rank() == n) return true;
    status = {Outcome::rank_loss,
              "positions follow from the velocity constraints by integration, which is not done here; simulate with "
              "PrescribedCoordinate for the given motions and read its multipliers"};
    return false;
  }

  std::shared_ptr<const MechanicalSystem> system_;
  const std::vector<GivenMotion>& motions_;
  const DriveForcesOptions& options_;
  const InitialState& start_;
  InitialState from_;
  ScaledSystem evaluate_;
  std::vector<int> driven_;
  std::vector<std::string> names_;
  MotionState state_;
  double regularity_ = 0.0;
  bool freedoms_checked_ = false;
};

void check(const std::shared_ptr<const MechanicalSystem>& system, const std::vector<GivenMotion>& motions,
           const std::vector<double>& times) {
  require_forces(system, "drive_forces", "has no forces");
  if (motions.empty())
    throw Error("drive_forces: motions: no coordinate is given; give as many as the mechanism has freedoms");
  if (times.empty()) throw Error("drive_forces: there are no times; give at least one");
  for (std::size_t k = 0; k < times.size(); ++k) {
    if (!std::isfinite(times[k]) || (k > 0 && !(times[k] > times[k - 1])))
      throw Error("drive_forces: time " + std::to_string(k) + ", " + text(times[k]) + ", is not later than the last");
  }
  for (const GivenMotion& motion : motions) {
    if (const auto* table = std::get_if<MotionTable>(&motion.law)) {
      for (const double t : {times.front(), times.back()}) {
        if (t < table->begin() || t > table->end())
          throw Error("drive_forces: t = " + text(t) + " is outside of the table of \"" + motion.coordinate + "\", " +
                      text(table->begin()) + " to " + text(table->end()) + " s");
      }
    } else {
      ParameterCheck wrong;
      auto law = std::get<TimeLaw>(motion.law);
      wrong.part("law", law, "");
      if (!wrong.complaints().empty())
        throw Error("drive_forces: motion of \"" + motion.coordinate + "\": " + wrong.complaints());
    }
  }
}

/// Returns warnings about the accuracy of a finished search.
std::string accuracy(const DriveForces& found) {
  std::string message;
  const auto least = std::min_element(found.regularity.begin(), found.regularity.end());
  const double most = *std::max_element(found.regularity.begin(), found.regularity.end());
  if (*least < DriveLimits::near_dead_point * most) {
    const MotionState& state = found.states[static_cast<std::size_t>(least - found.regularity.begin())];
    message = "near t = " + text(state.t) + " a given coordinate moves by " + text(*least) +
              " of the others, elsewhere by " + text(most) +
              ": close to a dead point drives amplify the errors of the motion by the inverse";
  }
  if (found.table_error > DriveLimits::coarse_table)
    message += std::string(message.empty() ? "" : "; ") + "the tables are coarse: accelerations may have errors of " +
               text(found.table_error) + " of the largest one, mostly at the ends";
  return message;
}

}  // namespace

DriveForces drive_forces(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                         const std::vector<GivenMotion>& motions, const std::vector<double>& times,
                         const DriveForcesOptions& options) {
  check(system, motions, times);
  DriveForces result;
  for (const GivenMotion& motion : motions) {
    if (const auto* table = std::get_if<MotionTable>(&motion.law))
      result.table_error = std::fmax(result.table_error, table->acceleration_error());
  }
  MotionFollower follower(system, start, motions, options);
  for (const double t : times) {
    if (!follower.advance_to(t, result.status)) return result;
    InverseDynamics drive = inverse_dynamics(system, follower.state(), follower.names());
    if (!drive.status.finished()) {
      result.status = drive.status;
      result.status.message += ", at t = " + text(t);
      return result;
    }
    result.regularity.push_back(follower.regularity());
    result.states.push_back(follower.state());
    result.states.back().lambda = drive.lambda;
    result.drives.push_back(std::move(drive));
  }
  result.status.message = accuracy(result);
  return result;
}

}  // namespace sunlagrange
