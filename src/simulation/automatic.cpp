// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/automatic.hpp"

#include <algorithm>
#include <cmath>

#include <sunlagrange/consistency/redundancy.hpp>
#include <sunlagrange/simulation/catalogue.hpp>

#include "consistency/manifold.hpp"
#include "formulation/formulation.hpp"
#include "gains/motion_rate.hpp"
#include "linear_solver/rank/thresholds.hpp"
#include "linear_solver/saddle_point_system.hpp"
#include "model/motion_scales.hpp"

namespace sunlagrange::internal {
namespace {

using Eigen::VectorXd;

/// Held by automatic_method_test; decision 27 has the measurements.
struct ChoiceThresholds {
  double radians = 100.0;    ///< fastest rate x length of the run: below it an implicit integrator gains nothing
  double stiffness = 20.0;   ///< fastest rate over the rate of the motion: above it stability limits explicit steps
  double rough = 1.01e-5;    ///< rtol above which order 5 costs less than order 6
  int rows_analysed = 200;   ///< redundancy is analysed for at most so many constraint rows
  double roundings = 10.0;   ///< of the rows of a projection, as moves of positions beside a singular pose
  int power_steps = 8;       ///< of the power method; the last half gives the rate
  double difference = 1e-7;  ///< relative displacement of the differences of a
};
constexpr ChoiceThresholds choice_threshold;

/// Accelerations a(q, v) in the neighbourhood of one state.
class Accelerations {
 public:
  Accelerations(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& at,
                const LinearSolverOptions& linear_solver)
      : evaluator_(evaluator_for(system, linear_solver)),
        saddle_(evaluator_, linear_solver),
        at_(at),
        q_(at.q),
        v_(at.v),
        a_(at.v),
        lambda_(system->num_constraints()) {
    known_ = difference(VectorXd::Zero(at.q.size()), VectorXd::Zero(at.q.size()), 1.0);
    base_ = a_;
  }

  bool known() const { return known_; }

  /// Computes a(q + step x, v + step y). Returns false if there is none.
  bool difference(const VectorXd& x, const VectorXd& y, double step) {
    q_ = at_.q + step * x;
    v_ = at_.v + step * y;
    const Workspace* at = evaluator_.at(at_.t, q_.data(), v_.data());
    return saddle_.factorize(at) == EvaluationResult::ok &&
           saddle_.accelerations(*at, a_.data(), lambda_.data()) == EvaluationResult::ok && a_.allFinite();
  }

  /// Returns the derivative along (x, y) of the last difference().
  VectorXd slope(double step) const { return (a_ - base_) / step; }

 private:
  PointEvaluator evaluator_;
  SaddlePointSystem saddle_;
  const MotionState& at_;
  VectorXd q_, v_, a_, lambda_, base_;
  bool known_ = false;
};

/// Returns the integrator that was named; a table has its own. Empty: none was named.
std::string named_integrator(const SimulationOptions& requested) {
  if (requested.integrator != "automatic") return requested.integrator;
  return requested.table.has_value() ? "table" : "";
}

/// Returns true also for an integrator that is not known: validated() reports it.
bool fits(const std::string& formulation, const MechanicalSystem& system, const std::string& integrator) {
  try {
    return objection(formulation, system, integrator).empty();
  } catch (const Error&) {
    return true;
  }
}

double largest(const Gain& gain, int rows) {
  double found = 0.0;
  if (gain.automatic()) return found;
  gain.matrix(rows, "gain", true).for_each_entry([&](int, int, double x) { found = std::max(found, std::abs(x)); });
  return found;
}

/// Returns the rate at which given gains reduce errors of the constraints [1/s].
double feedback_rate(const MechanicalSystem& system, const Gains& gains) {
  const int m_g = system.num_position_constraints(), m = system.num_constraints();
  const int second_order = system.motion_law().second_order_rows;
  return std::max({largest(gains.K_D, m_g), std::sqrt(largest(gains.K_P, m_g)), largest(gains.K_N, m - second_order)});
}

/// Rates of a motion, which decide between explicit and implicit integrators.
struct Pace {
  double span = 0.0;     ///< length of the run [s]
  double fastest = 0.0;  ///< fastest_rate(), or the rate of given gains or of the feedback of a program [1/s]
  bool stiff = false;    ///< stability bounds the steps of explicit methods, far below what the motion needs
};

Pace pace_of(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
             const SimulationOptions& requested) {
  Pace pace;
  pace.span = requested.t_end - start.t;
  pace.fastest = feedback_rate(*system, requested.gains);
  if (system->motion_law().has_forces)
    pace.fastest = std::max(pace.fastest, fastest_rate(system, start, requested.linear_solver));
  pace.stiff =
      pace.fastest * pace.span > choice_threshold.radians &&
      pace.fastest > choice_threshold.stiffness * motion_rate(system, start, pace.span, requested.linear_solver);
  return pace;
}

/// Returns the explicit pair for a tolerance; steps of a higher order cost more. fehlberg8 is never chosen: its error
/// estimate 41/840 h (k_1 + k_11 - k_12 - k_13) has the nodes 0, 1, 0, 1, and is zero if v' is a function of t alone.
const char* explicit_pair(double rtol) {
  return rtol > choice_threshold.rough ? "dopri5" : "verner6";
}

/// Returns true if dependent rows become independent nearby. Systems too large for the dense analysis: false.
bool rank_returns(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& at) {
  if (system->num_constraints() > choice_threshold.rows_analysed) return false;
  const RedundancyReport report = analyse_redundancy(system, at.t, at.q, at.v);
  return report.status.finished() && report.permanence_known() && report.permanent == 0;
}

}  // namespace

double fastest_rate(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                    const LinearSolverOptions& linear_solver) {
  const int steps = choice_threshold.power_steps, last = steps / 2;
  Accelerations a(system, start, linear_solver);
  if (!a.known()) return 0.0;
  const Scales scales = characteristic_scales(*system, start);
  const Eigen::Index n = start.q.size();
  VectorXd x(n), y(n);
  for (Eigen::Index i = 0; i < n; ++i) {  // anything that is orthogonal to nothing
    x[i] = std::cos(1.0 + 2.0 * static_cast<double>(i));
    y[i] = std::sin(2.0 + 3.0 * static_cast<double>(i)) / scales.time;
  }
  const auto size = [&] { return std::hypot(x.norm(), scales.time * y.norm()); };
  double grown = 0.0;
  for (int k = 0; k < steps; ++k) {
    const double before = size(), step = choice_threshold.difference * scales.position / before;
    if (!(before > 0.0) || !a.difference(x, y, step)) return 0.0;
    x = y;
    y = a.slope(step);
    const double after = size();
    if (!(after > 0.0) || !std::isfinite(after)) return 0.0;
    if (k >= steps - last) grown += std::log(after / before);
    x /= after;
    y /= after;
  }
  return std::exp(grown / last);
}

double resolved_rank_threshold(const std::shared_ptr<const MechanicalSystem>& system, const SimulationOptions& used,
                               const ConsistentState& start) {
  const double given = used.linear_solver.rank_threshold;
  const bool suits = used.formulation == "projected" && used.start == Start::consistent &&
                     used.inactive_constraints.empty() && given == LinearSolverOptions{}.rank_threshold &&
                     start.report.status.finished() && start.report.rank == system->num_constraints();
  if (!suits) return given;
  PointEvaluator evaluator = evaluator_for(system, used.linear_solver);
  SaddlePointSystem saddle(evaluator, used.linear_solver);
  const MotionState& at = start.state;
  const bool independent = saddle.factorize(evaluator.at(at.t, at.q.data(), at.v.data())) == EvaluationResult::ok &&
                           saddle.solver().weakest_mode().value > RankThresholds::regular_above * given;
  if (!independent) return given;
  // Rounding r of the rows moves positions by r / sigma along a direction with the singular value sigma; no step
  // satisfies a tolerance that is smaller.
  const double finest = choice_threshold.roundings * rounding_of_rows / used.rtol;
  return std::clamp(finest * finest, std::min(RankThresholds::rounding, given), given);
}

std::string provisional_formulation(const MechanicalSystem& system, const SimulationOptions& requested) {
  const std::string integrator = named_integrator(requested);
  std::vector<std::string> names = {std::string(default_formulation(system)), "ggl"};
  for (const FormulationEntry& entry : formulation_registry()) names.emplace_back(entry.name);
  for (const std::string& name : names) {
    if (fits(name, system, integrator)) return name;
  }
  return names.front();
}

MethodChoice choose_method(const std::shared_ptr<const MechanicalSystem>& system, const SimulationOptions& requested,
                           const ConsistentState& start) {
  MethodChoice choice;
  std::string why;
  const std::string integrator = named_integrator(requested);
  const auto accepted = [&](const std::string& form) { return fits(form, *system, integrator); };
  const auto choose = [&](const char* form, const char* reason) {
    if (!choice.formulation.empty() || !accepted(form)) return;
    choice.formulation = form;
    why = reason;
  };
  const Gains& gains = requested.gains;
  const bool deficient = start.report.rank < system->num_constraints();
  const bool singular_pose = deficient && rank_returns(system, start.state);
  if (requested.excess.given()) choose("extended_lagrangian", "an excess energy is given");
  if (!gains.K_D.automatic() || !gains.K_P.automatic() || !gains.K_N.automatic())
    choose("baumgarte", "gains are given");
  if (requested.start != Start::consistent) choose("baumgarte", "the start may be off the constraints");
  choose("projected", singular_pose ? "the start is a singular pose" : "it needs no gains");
  if (choice.formulation.empty()) {
    choice.formulation = provisional_formulation(*system, requested);
    why = "the first that takes system and integrator";
  }
  choice.integrator = integrator;
  if (integrator.empty()) {
    const Pace pace = pace_of(system, start.state, requested);
    // rates at a singular pose say little of the motion that leads away from it
    choice.integrator = singular_pose ? "verner6" : pace.stiff ? "radau" : explicit_pair(requested.rtol);
    why += singular_pose ? "" : pace.stiff ? ", stiff" : ", not stiff";
    why += "; fastest rate {} 1/s over {} s";
    choice.reason.values = {pace.fastest, pace.span};
  }
  choice.reason.name = "formulation and integrator by model and tolerance";
  choice.reason.sentence = "{} with {}: " + why;
  choice.reason.values.insert(choice.reason.values.begin(), {choice.formulation, choice.integrator});
  return choice;
}

}  // namespace sunlagrange::internal
