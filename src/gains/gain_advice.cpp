// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/gains/gain_advice.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <sunlagrange/base/butcher_table.hpp>
#include <sunlagrange/base/figures.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/model/kinematic_program.hpp>

#include "gains/constraint_law.hpp"
#include "gains/excess_law.hpp"
#include "gains/motion_rate.hpp"
#include "gains/row_inertia.hpp"
#include "linear_algebra/decompositions.hpp"
#include "linear_algebra/spd.hpp"
#include "model/checks/required_system.hpp"
#include "model/evaluation.hpp"
#include "model/motion_scales.hpp"
#include "model/natural_scales.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

using Eigen::VectorXd;

/// Largest share of the stability region that proposed gains use.
constexpr double used_share = 0.5;

/// Factor by which the frozen law overestimates the largest step if steps are large.
constexpr double overestimate = 1.25;

/// Additional right-hand sides, as a share, from which on there is a warning.
constexpr double expensive = 0.5;

/// BDF: gains that cost this many times more than the steps resolve also spoil the accuracy.
constexpr double unresolved = 2.0;

/// Decay slower than this share of the motion's rate hardly acts while the motion lasts.
constexpr double idle = 0.02;

/// The rate that the steps of BDF resolve grows with the accuracy as tolerance^-0.15.
double bdf_resolution(double tolerance) {
  return std::pow(tolerance, -0.15);
}

double relative_tolerance(const MechanicalSystem& system, const MotionState& start, const GainQuestion& question) {
  double position = start.typical_position;
  if (!(position > 0.0)) position = natural_size(system, start.q);
  return std::clamp(question.rtol + (position > 0.0 ? question.atol / position : 0.0), 1e-14, 1e-2);
}

/// Returns omega / motion_rate.
double proposed_ratio(IntegratorKind kind, double tolerance) {
  switch (kind) {
    case IntegratorKind::fixed_step:
      return 1.0;
    case IntegratorKind::adams:
      return 0.4;
    case IntegratorKind::bdf:
      return 0.25 * bdf_resolution(tolerance);
    case IntegratorKind::explicit_adaptive:
    case IntegratorKind::unknown:
      break;
  }
  return 0.3;
}

/// Returns the additional right-hand sides relative to those at gain zero, fitted to measured runs; `ratio` = fastest /
/// motion_rate.
double cost_of(IntegratorKind kind, double ratio, double tolerance) {
  switch (kind) {
    case IntegratorKind::fixed_step:
      return 0.0;
    case IntegratorKind::adams:
      return std::hypot(1.0, 0.2 * ratio) - 1.0;
    case IntegratorKind::bdf:
      return std::sqrt(std::hypot(1.0, 1.5 * ratio / bdf_resolution(tolerance))) - 1.0;
    case IntegratorKind::explicit_adaptive:
    case IntegratorKind::unknown:
      break;
  }
  return std::hypot(1.0, 0.42 * ratio) - 1.0;
}

/// Returns the multipliers that carry the applied forces: sqrt(f^T M^-1 f x inertia_i), for each row with the forces on
/// its own coordinates and lumped M.
VectorXd loads(const Workspace& w, const VectorXd& inertias) {
  const VectorXd mass = w.M.diagonal();
  VectorXd sums = VectorXd::Zero(inertias.size());
  w.G.for_each_entry([&](int i, int j, double) {
    if (mass[j] > 0.0) sums[i] += w.f[j] * w.f[j] / mass[j];
  });
  return sums.cwiseProduct(inertias).cwiseSqrt();
}

/// Returns |K^-1 x|; infinite where K is zero.
VectorXd settled(const GainMatrix& K, const VectorXd& x) {
  if (!K.is_diagonal()) return solve_full_pivoting(K.full, x).cwiseAbs();
  VectorXd y(x.size());
  for (int i = 0; i < x.size(); ++i) {
    y[i] = K(i, i) > 0.0 ? std::abs(x[i]) / K(i, i) : std::numeric_limits<double>::infinity();
  }
  return y;
}

/// Computes one GainAdvice.
class Adviser {
 public:
  Adviser(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start, const GainQuestion& question)
      : shared_system_(system),
        system_(*system),
        start_(start),
        q_(question),
        kind_(question.integrator.kind),
        tolerance_(relative_tolerance(*system, start, question)),
        second_order_rows_(system->motion_law().second_order_rows),
        first_order_rows_(system->num_constraints() - second_order_rows_) {
    advice_.motion_rate = question.time_scale > 0.0
                              ? 1.0 / question.time_scale
                              : sunlagrange::motion_rate(system, start, question.t_span, question.linear_solver);
  }

  GainAdvice give() {
    propose();
    judge_law();
    judge_penalty();
    return std::move(advice_);
  }

 private:
  const ButcherTable* table() const { return q_.integrator.table.get(); }
  bool fixed() const { return kind_ == IntegratorKind::fixed_step && q_.integrator.step > 0.0 && table() != nullptr; }

  void propose() {
    advice_.omega = proposed_ratio(kind_, tolerance_) * advice_.motion_rate;
    if (fixed()) {
      advice_.omega = std::min(advice_.omega, used_share * stable_reach(*table(), {-1.0, 0.0}) / q_.integrator.step);
    }
    const auto resolve = [](const Gain& gain, int m, const char* field, double automatic) {
      return gain.automatic() ? GainMatrix::scalar(m, automatic) : gain.matrix(m, field, true);
    };
    const double omega = advice_.omega;
    advice_.K_D = resolve(q_.gains.K_D, second_order_rows_, "K_D", 2.0 * omega);
    advice_.K_P = resolve(q_.gains.K_P, second_order_rows_, "K_P", omega * omega);
    advice_.K_N = resolve(q_.gains.K_N, first_order_rows_, "K_N", omega);
  }

  void judge_law() {
    advice_.stability_margin = std::numeric_limits<double>::quiet_NaN();
    if (fixed()) advice_.stability_margin = std::numeric_limits<double>::infinity();
    advice_.slowest = std::numeric_limits<double>::infinity();
    const std::vector<std::complex<double>> found = roots();
    for (const std::complex<double>& mu : found) {
      advice_.fastest = std::max(advice_.fastest, std::abs(mu));
      advice_.slowest = std::min(advice_.slowest, std::max(0.0, -mu.real()));
      if (fixed() && std::abs(mu) > 0.0) {
        advice_.stability_margin =
            std::min(advice_.stability_margin, stable_reach(*table(), mu) / (q_.integrator.step * std::abs(mu)));
      }
    }
    if (system_.num_constraints() == 0) return;
    if (fixed()) advice_.step_rate = q_.integrator.step * advice_.fastest;
    const double ratio = advice_.fastest / advice_.motion_rate;
    advice_.added_cost = cost_of(kind_, ratio, tolerance_);
    if (fixed()) warn_of_instability();
    if (advice_.added_cost > expensive) warn_of_cost(ratio);
    if (q_.excess.given() || own_feedback()) warn_of_growth(found);
    if (advice_.slowest < idle * advice_.motion_rate) {
      warn(GainWarningKind::idle, advice_.slowest, idle * advice_.motion_rate,
           "the slowest violation decays with " + text(advice_.slowest) + " 1/s, the motion has " +
               text(advice_.motion_rate) + " 1/s: it hardly acts; " +
               (own_feedback() ? "raise the feedback" : "raise " + gains(", ") + ", or leave the gains automatic"));
    }
  }

  /// Returns the roots of the law at the start; none if m, k or c are not definite, which is refused elsewhere.
  std::vector<std::complex<double>> roots() const {
    if (own_feedback() && system_.num_constraints() > 0) return roots_of_feedback();
    if (!q_.excess.given() || system_.num_constraints() == 0) return law_roots(advice_.K_D, advice_.K_P, advice_.K_N);
    ExcessLaw law(q_.excess, system_, characteristic_scales(system_, start_),
                  GainMatrix::block_diagonal(advice_.K_D, advice_.K_N), advice_.K_P);
    Eigen::MatrixXd K_D(system_.num_constraints(), system_.num_constraints());
    Eigen::MatrixXd K_P(system_.num_constraints(), second_order_rows_);
    const double* a = start_.a.size() == start_.v.size() ? start_.a.data() : nullptr;
    if (law.renew(start_.t, start_.q.data(), start_.v.data(), K_D, K_P, a) != ExcessLaw::Verdict::good) return {};
    const Eigen::MatrixXd A = ExcessLaw::error_matrix(K_D, K_P);
    if (!A.allFinite()) return {};
    const Eigen::VectorXcd values = eigenvalues(A);
    return {values.data(), values.data() + values.size()};
  }

  bool own_feedback() const { return system_.program() != nullptr && system_.program()->feedback != nullptr; }

  /// Returns the eigenvalues of da/df at the start, for f' = a(f, y, t) of a program.
  std::vector<std::complex<double>> roots_of_feedback() const {
    const auto w = make_workspace(system_, Storage::dense);
    const Point point{start_.t, start_.q.data(), start_.v.data(), nullptr, nullptr};
    const Eigen::Index m = system_.num_constraints();
    Eigen::MatrixXd A(m, m);
    if (!evaluate_system(system_, request::constraint, point, *w) ||
        !system_.program()->feedback->derivative(start_.t, start_.q.data(), w->g.data(), A.data()) || !A.allFinite())
      return {};
    const Eigen::VectorXcd values = eigenvalues(A);
    return {values.data(), values.data() + values.size()};
  }

  /// Returns the names of the gains that this system has, e.g. "K_D, K_P, K_N".
  std::string gains(const std::string& between) const {
    const std::string second = second_order_rows_ > 0 ? "K_D" + between + "K_P" : "";
    return second + (second.empty() || first_order_rows_ == 0 ? "" : between) + (first_order_rows_ > 0 ? "K_N" : "");
  }

  /// m' + c may be negative where m shrinks; the feedback of a program may have any sign.
  void warn_of_growth(const std::vector<std::complex<double>>& found) {
    for (const std::complex<double>& mu : found) advice_.growth = std::max(advice_.growth, mu.real());
    if (advice_.growth <= 1e-9 * advice_.fastest) advice_.growth = 0.0;
    if (advice_.growth == 0.0) return;
    warn(GainWarningKind::growing, advice_.growth, 0.0,
         own_feedback()
             ? "unstable law: at the start the feedback of the model lets f grow with " + text(advice_.growth) +
                   " 1/s, whatever the step: the eigenvalues of da/df must have negative real parts"
             : "unstable law: at the start the excess variables grow with " + text(advice_.growth) +
                   " 1/s, whatever the step; m' + c feeds them where m shrinks along the motion: raise the dissipation "
                   "c");
  }

  void warn_of_instability() {
    const std::string at = "at step " + text(q_.integrator.step) + " s the largest step x rate of the gains is " +
                           text(advice_.step_rate) + ", " + table()->name + " allows " +
                           text(advice_.step_rate * advice_.stability_margin);
    const double allowed = advice_.step_rate * advice_.stability_margin;
    if (advice_.stability_margin < 1.0) {
      warn(GainWarningKind::unstable, advice_.step_rate, allowed,
           "unstable: " + at + "; shorten the step below " + text(q_.integrator.step * advice_.stability_margin) +
               " s, or divide " + fastest_law() + " by " + text(1.0 / advice_.stability_margin) +
               (second_order_rows_ == 0 ? ""
                : q_.excess.given()     ? " and k by its square"
                                        : " and K_P by its square"));
    } else if (advice_.stability_margin < overestimate) {
      warn(GainWarningKind::near_limit, advice_.step_rate, allowed,
           "near the stability limit: " + at +
               " for frozen constraints, up to a quarter less along a motion; shorten the step or lower the gains");
    }
  }

  const char* fastest_law() const {
    if (own_feedback()) return "the feedback";
    if (q_.excess.given()) return "c";
    if (second_order_rows_ == 0) return "K_N";
    return first_order_rows_ > 0 ? "K_D (K_N)" : "K_D";
  }

  void warn_of_cost(double ratio) {
    std::string words = "expensive: the gains are " + text(ratio) + " times faster than the motion (" +
                        text(advice_.motion_rate) + " 1/s); expect about " + text(1.0 + advice_.added_cost) +
                        " times the right-hand sides of a run without gains";
    if (kind_ == IntegratorKind::bdf && advice_.added_cost > unresolved) words += ", and errors above the tolerance";
    warn(GainWarningKind::expensive, 1.0 + advice_.added_cost, 1.0 + expensive,
         words + "; automatic gains would be " +
             (second_order_rows_ > 0
                  ? "K_D = " + text(2.0 * advice_.omega) + ", K_P = " + text(advice_.omega * advice_.omega)
                  : "") +
             (second_order_rows_ > 0 && first_order_rows_ > 0 ? ", " : "") +
             (first_order_rows_ > 0 ? "K_N = " + text(advice_.omega) : ""));
  }

  void judge_penalty() {
    const int m = system_.num_constraints();
    const bool given = !q_.gains.Lambda.automatic();
    if (m == 0 || (!given && !(q_.relative_penalty > 0.0))) return;
    const auto [inertias, shortfall] = row_inertias(shared_system_, start_, q_.linear_solver);
    if (!given) advice_.alteration = shortfall / q_.relative_penalty;
    advice_.Lambda =
        given ? q_.gains.Lambda.matrix(m, "Lambda", false) : GainMatrix{q_.relative_penalty * inertias, {}};
    const auto w = make_workspace(system_, Storage::sparse);
    if (!evaluate_system(system_, request::acceleration_level,
                         {start_.t, start_.q.data(), start_.v.data(), nullptr, nullptr}, *w)) {
      return;
    }
    const VectorXd lambda = start_.lambda.cwiseAbs().cwiseMax(loads(*w, inertias));
    const VectorXd source = spd_solve(advice_.Lambda, lambda);
    const int m_g = system_.num_position_constraints();
    advice_.expected_violation.resize(m);
    advice_.expected_violation << settled(advice_.K_P, source.head(m_g)), settled(advice_.K_N, source.tail(m - m_g));
    if (m_g > 0) warn_of_softness(*w);
  }

  /// Compares the violation at which the penalty settles with the tolerances.
  void warn_of_softness(const Workspace& w) {
    const int m_g = system_.num_position_constraints();
    const double size = natural_size(system_, start_.q);
    const double tolerance = q_.rtol * size + q_.atol;
    CoordinateSizes sizes(system_);
    sizes.measure(start_.q, size > 0.0 ? size : 1.0);
    const ErrorTolerances tolerances(system_, q_);
    const auto relative = [&](int j) { return tolerances.of(j, sizes(j)) / tolerance; };
    VectorXd row_sums = VectorXd::Zero(system_.num_constraints());
    w.G.for_each_entry([&](int i, int j, double entry) { row_sums[i] += std::abs(entry) * relative(j); });
    const double allowed = 30.0 * tolerance;
    int worst = 0;
    const double excess =
        (advice_.expected_violation.head(m_g).array() - allowed * row_sums.head(m_g).array()).maxCoeff(&worst);
    if (!(excess > 0.0) || fixed()) return;
    warn(GainWarningKind::soft, advice_.expected_violation[worst], allowed * row_sums[worst],
         "soft: constraint \"" + system_.constraint_name(worst) + "\" will settle at about " +
             text(advice_.expected_violation[worst]) +
             ", more than the tolerances allow; raise Lambda (K_P acts as well)");
  }

  void warn(GainWarningKind kind, double value, double allowed, std::string words) {
    advice_.warnings.push_back({kind, value, allowed, std::move(words)});
  }

  const std::shared_ptr<const MechanicalSystem>& shared_system_;
  const MechanicalSystem& system_;
  const MotionState& start_;
  const GainQuestion& q_;
  IntegratorKind kind_;
  double tolerance_;
  int second_order_rows_;  // g'' + K_D g' + K_P g = 0
  int first_order_rows_;   // psi' + K_N psi = 0, and f of programs
  GainAdvice advice_;
};

/// Returns text such as "0.63 x" or "no limit".
std::string margin_text(const GainAdvice& advice) {
  if (std::isnan(advice.stability_margin)) return "kept by the step control";
  if (std::isinf(advice.stability_margin)) return "no gains";
  return text(advice.stability_margin) + " (step x rate " + text(advice.step_rate) + " of " +
         text(advice.step_rate * advice.stability_margin) + ")";
}

}  // namespace

Settings GainAdvice::lines() const {
  Settings lines{{"rate of the motion", "", text(motion_rate) + " 1/s"}, {"stability margin", "", margin_text(*this)}};
  if (expected_violation.size() > 0) {
    lines.push_back({"expected violation", "", text(expected_violation.maxCoeff())});
  }
  lines.push_back(
      {"expected cost of the gains", "", "+" + text(std::round(100.0 * added_cost)) + " % right-hand sides"});
  for (const GainWarning& warning : warnings) lines.push_back({"gains, warning", "", warning.text});
  return lines;
}

GainAdvice advise_gains(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                        const GainQuestion& question) {
  require_system(system, "advise_gains");
  const int n = system->num_positions();
  const int m = system->num_constraints();
  if (start.q.size() != n || start.v.size() != n || start.a.size() != n || start.lambda.size() != m) {
    throw Error("advise_gains: the start has sizes q " + std::to_string(start.q.size()) + ", v " +
                std::to_string(start.v.size()) + ", a " + std::to_string(start.a.size()) + ", lambda " +
                std::to_string(start.lambda.size()) + "; needs " + std::to_string(n) + " and " + std::to_string(m) +
                ": complete it with consistent_state()");
  }
  if (question.integrator.kind == IntegratorKind::fixed_step &&
      (!(question.integrator.step > 0.0) || question.integrator.table == nullptr)) {
    throw Error("advise_gains: integrator.step = " + text(question.integrator.step) +
                (question.integrator.table == nullptr ? ", no table" : "") +
                ": fixed steps need step > 0 and the method's Butcher table");
  }
  if (!(question.rtol > 0.0) || !(question.atol >= 0.0) || !std::isfinite(question.rtol + question.atol)) {
    throw Error("advise_gains: rtol = " + text(question.rtol) + ", atol = " + text(question.atol) +
                ": must be positive, atol may be zero");
  }
  if (!(question.t_span >= 0.0)) throw Error("advise_gains: t_span = " + text(question.t_span) + ": must be >= 0 [s]");
  if (!(question.relative_penalty >= 0.0))
    throw Error("advise_gains: relative_penalty = " + text(question.relative_penalty) + ": must be >= 0");
  if (!(question.time_scale >= 0.0) || !std::isfinite(question.time_scale))
    throw Error("advise_gains: time_scale = " + text(question.time_scale) + ": must be >= 0 [s], 0: not known");
  return Adviser(system, start, question).give();
}

void GainWarning::describe(Figures& f) {
  f("kind", kind, "kind of the warning");
  f("value", value, "", "figure of the warning");
  f("allowed", allowed, "", "limit that it has passed");
  f("text", text, "finding and what to change");
}

void GainAdvice::describe(Figures& f) {
  f.not_negative("motion_rate", motion_rate, "1/s", "fastest angular rate of the motion");
  f.not_negative("omega", omega, "1/s", "proposed K_D = 2 omega, K_P = omega^2, K_N = omega");
  f("K_D", K_D, "1/s", "gain of the constraint rate");
  f("K_P", K_P, "1/s^2", "gain of the constraint violation");
  f("K_N", K_N, "1/s", "gain of the velocity constraints");
  f.derived("Lambda", Lambda.dense(), "", "penalty; empty for other forms");
  f("fastest", fastest, "1/s", "largest |mu| of the law of the constraint error");
  f("slowest", slowest, "1/s", "smallest rate at which violations decay; 0: some do not");
  f("growth", growth, "1/s", "rate at which the law itself lets the error grow");
  f("step_rate", step_rate, "1", "step x fastest rate, with fixed steps");
  f("stability_margin", stability_margin, "1", "factor by which a fixed step may grow; below 1: unstable");
  f("expected_violation", expected_violation, "unit of g", "violation at which each row settles, of penalty forms");
  f.not_negative("alteration", alteration, "1", "relative change of accelerations by the penalty");
  f("added_cost", added_cost, "1", "expected right-hand sides over those without gains, less 1");
  f("warnings", warnings, "figures of the gains beyond their limits");
  std::string words;
  for (const Setting& line : lines()) words += (words.empty() ? "" : "\n") + line.name + ": " + line.used;
  f.derived("text", words, "rate, margin, violation, cost and warnings in words");
}

}  // namespace sunlagrange
