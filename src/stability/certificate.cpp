// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/stability/certificate.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <sunlagrange/base/figures.hpp>
#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/stability/first_order_form.hpp>

#include "stability/error_step.hpp"
#include "stability/sampled_remainder.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

using Eigen::VectorXd;

constexpr const char* declined = "the program declined a point or returned values that are not finite";
constexpr const char* no_ball =
    "near the run no points with |e| up to eps were found, or the program declined one; take a smaller eps";

void require_usable(const ErrorProgram& program, const ButcherTable& table, double tau, double t_end,
                    const CertificateOptions& options) {
  std::string list;
  const auto complain = [&list](const std::string& text) { list += (list.empty() ? "" : "; ") + text; };
  const auto positive = [](double x) { return std::isfinite(x) && x > 0.0; };
  if (!program.rhs || !program.error) complain("the program needs both rhs and error");
  if (program.law.size() == 0) complain("the program has no law");
  if (program.y0.size() == 0 || !program.y0.allFinite()) complain("y0 is empty or not finite");
  for (const std::string& problem : table.problems()) complain("table " + table.name + ": " + problem);
  if (!positive(tau)) complain("tau = " + text(tau) + " must be positive");
  if (!(std::isfinite(t_end) && t_end > program.t0))
    complain("t_end = " + text(t_end) + " must be finite and exceed t0 = " + text(program.t0));
  if (positive(tau) && (t_end - program.t0) / tau > 2e9) complain("more than 2e9 steps; use a larger tau");
  if (!positive(options.eps)) complain("eps = " + text(options.eps) + " must be positive");
  if (!(options.q > 0.0 && options.q <= 1.0)) complain("q = " + text(options.q) + " must lie in (0, 1]");
  if (!(options.safety >= 1.0)) complain("safety = " + text(options.safety) + " must be at least 1");
  if (!(options.step_limit >= 0.0)) complain("step_limit = " + text(options.step_limit) + " must not be negative");
  if (options.given_norm && options.given_norm->size() != program.law.size())
    complain("given_norm is of size " + std::to_string(options.given_norm->size()) + ", the law of size " +
             std::to_string(program.law.size()));
  if (options.remainder == RemainderKind::given) {
    if (!(options.remainder_constant >= 0.0 && std::isfinite(options.remainder_constant)))
      complain("remainder_constant = " + text(options.remainder_constant) + " must be finite and not negative");
    if (!positive(options.step_limit))
      complain("a given remainder bound holds up to some step: set step_limit (tau_1 of [002, Theorem 2])");
  }
  if (options.growth == Growth::as_printed && program.law.depends_on_state())
    complain("the printed series need derivatives of K along the run; use growth = of_the_method for laws with y");
  if (options.growth == Growth::as_printed && table.order > 4) complain("nothing is printed beyond order 4");
  if (!list.empty()) throw Error("certificate: " + list);
}

/// The run of one certificate; functions stand in the order of the steps.
class Certification {
 public:
  Certification(const ErrorProgram& program, const ButcherTable& table, double tau, double t_end,
                const CertificateOptions& options)
      : program_(program), options_(options), tau_(tau), step_(program, table, options.growth) {
    count_ = std::max(1, static_cast<int>(std::ceil((t_end - program.t0) / tau - 1e-9)));
    out_.table = table.name;
    out_.tau = tau;
    out_.eps = options.eps;
    out_.smallest_slack = INFINITY;
  }

  Certificate run() {
    y_ = program_.y0;
    t_ = program_.t0;
    out_.t_reached = t_;
    if (!step_.error(t_, y_, e_)) {
      fail_to_evaluate(0, declined);
      return finish();
    }
    if (e_.size() != program_.law.size()) {
      throw Error("certificate: e has " + std::to_string(e_.size()) + " entries, the law is of size " +
                  std::to_string(program_.law.size()));
    }
    choose_norm();
    check_start();
    for (int n = 0; n < count_ && !(options_.stop_at_failure && !out_.failures.empty()); ++n) {
      if (!one_step(n)) break;
      out_.completed = n + 1 == count_;
    }
    return finish();
  }

 private:
  // ---- set-up

  void choose_norm() {
    const int r = program_.law.size();
    const NormKind kind =
        options_.norm.value_or(program_.law.is_second_order() ? NormKind::lyapunov : NormKind::euclidean);
    if (options_.given_norm) {
      out_.norm = options_.given_norm;
    } else if (kind == NormKind::euclidean) {
      out_.norm = StepNorm::euclidean(r);
    } else if (kind == NormKind::maximum) {
      out_.norm = StepNorm::maximum(r);
    } else {
      make_lyapunov_norm();
    }
    out_.how = std::string(to_string(out_.norm->kind())) + " norm";
    if (options_.remainder == RemainderKind::measured) out_.how += ", remainder measured";
    if (options_.remainder == RemainderKind::given) {
      out_.how += ", remainder bounded by " + text(options_.remainder_constant) + " tau^" +
                  std::to_string(options_.remainder_power) + " as given";
    }
    if (options_.remainder == RemainderKind::sampled) {
      out_.how += ", remainder bounded by sampled steps, safety factor " + text(options_.safety);
      sampled_.emplace(step_, *out_.norm, tau_, options_.eps, options_.safety);
    }
  }

  void make_lyapunov_norm() {
    try {
      if (step_.take(t_, y_, e_, tau_)) {
        out_.norm = lyapunov_norm(step_.R(), options_.q, program_.law.scale());
        return;
      }
    } catch (const Error& error) {
      no_norm_ = error.what();
    }
    out_.norm = StepNorm::euclidean(program_.law.size(), program_.law.scale());  // the observation goes on
  }

  void check_start() {
    error_size_ = (*out_.norm)(e_);
    out_.start_error = error_size_;
    observe();
    if (error_size_ > options_.eps) {
      fail(CertificateCondition::start, 0, error_size_, options_.eps, [this] {
        return "|e| = " + text(error_size_) + " at the start exceeds eps = " + text(options_.eps) +
               "; start closer to the constraints, or allow a larger eps";
      });
    }
    if (options_.step_limit > 0.0 && tau_ > options_.step_limit) fail_step_limit(0, options_.step_limit);
  }

  // ---- one step

  bool one_step(int n) {
    CertificateStep now;
    now.t = t_;
    now.error = error_size_;
    double ball_contraction = 0.0;
    const bool ball = sampled_ && visit_ball(n, ball_contraction, now.bound);
    if (!step_.take(t_, y_, e_, tau_)) {
      fail_to_evaluate(n, declined);
      return false;
    }
    now.contraction = std::max(ball_contraction, contraction());
    now.remainder = (*out_.norm)(step_.r());
    if (options_.remainder == RemainderKind::measured || (sampled_ && !ball)) now.bound = now.remainder;
    if (options_.remainder == RemainderKind::given)
      now.bound = options_.remainder_constant * std::pow(tau_, options_.remainder_power);
    now.budget = options_.eps * (1.0 - (options_.q < 1.0 ? options_.q : now.contraction));
    check(n, now);
    next_y_ = step_.y();
    next_e_ = step_.e();
    if (sampled_) check_step_limit(n, now.budget);
    advance(n);
    return true;
  }

  bool visit_ball(int n, double& contraction, double& bound) {
    if (!sampled_->visit(t_, y_)) {
      fail_to_evaluate(n, no_ball);
      return false;
    }
    contraction = sampled_->contraction();
    bound = sampled_->bound();
    return true;
  }

  double contraction() {
    if (!program_.law.is_constant()) return out_.norm->induced(step_.R());
    if (!constant_contraction_) constant_contraction_ = out_.norm->induced(step_.R());
    return *constant_contraction_;
  }

  void check(int n, const CertificateStep& now) {
    if (!no_norm_.empty()) {
      fail(CertificateCondition::contraction, n, spectral_radius(step_.R()), options_.q, [this] { return no_norm_; });
    } else if (!(now.contraction <= options_.q && now.contraction < 1.0)) {
      fail(CertificateCondition::contraction, n, now.contraction, options_.q, [&] {
        return "|R| = " + text(now.contraction) + " of the growth operator is not " +
               (options_.q < 1.0 ? "within q = " + text(options_.q) : std::string("below 1")) +
               "; see admissible_gains and admissible_steps";
      });
    }
    if (now.error <= options_.eps && !(now.remainder <= now.bound)) {  // bounds hold within the ball only
      fail(CertificateCondition::remainder_bound, n, now.remainder, now.bound, [&] {
        return "the remainder of this step is " + text(now.remainder) + ", above its bound " + text(now.bound) +
               (sampled_ ? "; sample with a larger safety factor, or take smaller steps"
                         : "; the constant given does not hold along this run");
      });
    }
    if (!(now.bound <= now.budget)) {
      fail(CertificateCondition::remainder, n, now.bound, now.budget, [&] {
        return "the remainder, " + text(now.bound) + ", exceeds (1 - q) eps = " + text(now.budget) +
               "; take smaller steps, allow a larger eps, or choose gains that contract more";
      });
    }
    out_.largest_contraction = std::max(out_.largest_contraction, now.contraction);
    out_.largest_remainder = std::max(out_.largest_remainder, now.remainder);
    out_.largest_bound = std::max(out_.largest_bound, now.bound);
    out_.smallest_slack = std::min(out_.smallest_slack, (now.budget - now.bound) / options_.eps);
    if (options_.keep_history) out_.history.push_back(now);
  }

  void check_step_limit(int n, double budget) {
    const double limit = sampled_->step_limit(t_, y_, e_, 0.1 * std::max(budget, 0.0));
    if (limit < tau_) fail_step_limit(n, limit);
  }

  void advance(int n) {
    y_ = next_y_;
    e_ = next_e_;
    t_ = program_.t0 + (n + 1) * tau_;
    out_.steps = n + 1;
    out_.t_reached = t_;
    error_size_ = (*out_.norm)(e_);
    observe();
  }

  void observe() {
    if (error_size_ <= out_.largest_error) return;
    out_.largest_error = error_size_;
    out_.t_of_largest = t_;
  }

  // ---- failures

  template <typename Words>
  void fail(CertificateCondition condition, int n, double value, double bound, Words&& words) {
    for (const CertificateFailure& failure : out_.failures) {
      if (failure.condition == condition) return;
    }
    out_.failures.push_back({condition, n, t_, value, bound, words()});
  }

  void fail_step_limit(int n, double limit) {
    fail(CertificateCondition::step_limit, n, tau_, limit, [&] {
      return "tau = " + text(tau_) + " exceeds tau_1 = " + text(limit) +
             ", up to which the remainder follows its bound; take smaller steps";
    });
  }

  void fail_to_evaluate(int n, const char* words) {
    fail(CertificateCondition::evaluation, n, INFINITY, 0.0, [words] { return std::string(words); });
  }

  Certificate finish() {
    out_.certified = out_.completed && out_.failures.empty();
    return std::move(out_);
  }

  const ErrorProgram& program_;
  const CertificateOptions& options_;
  double tau_;
  int count_ = 0;
  ErrorStep step_;
  std::optional<SampledRemainder> sampled_;
  std::optional<double> constant_contraction_;
  std::string no_norm_;
  double t_ = 0.0;
  double error_size_ = 0.0;
  VectorXd y_, e_, next_y_, next_e_;
  Certificate out_;
};

}  // namespace

std::string Certificate::text() const {
  using sunlagrange::text;
  std::string out;
  if (certified) {
    out = "certified: |e| stayed below eps = " + text(eps) + " over " + std::to_string(steps) + " steps of " +
          text(tau) + " with " + table + " (" + how + ")\n";
  } else if (const CertificateFailure* first = failure()) {
    out = "not certified: at step " + std::to_string(first->step) + ", t = " + text(first->t) + ", condition " +
          to_string(first->condition) + ": " + first->words + (how.empty() ? "\n" : " (" + how + ")\n");
    for (std::size_t i = 1; i < failures.size(); ++i) {
      out += "  also at step " + std::to_string(failures[i].step) + ", condition " + to_string(failures[i].condition) +
             ": " + failures[i].words + "\n";
    }
  }
  out += "  observed: largest |e| " + text(largest_error) + " at t = " + text(t_of_largest) + "; contraction up to " +
         text(largest_contraction) + ", remainder up to " + text(largest_remainder) + ", its bound up to " +
         text(largest_bound) + "\n";
  return out;
}

Certificate certify(const ErrorProgram& program, const ButcherTable& table, double tau, double t_end,
                    const CertificateOptions& options) {
  require_usable(program, table, tau, t_end, options);
  return Certification(program, table, tau, t_end, options).run();
}

Certificate certify_run(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                        const FormulationOptions& options, const ButcherTable& table, double tau, double t_end,
                        const CertificateOptions& certificate, const std::optional<ConstraintDynamics>& law) {
  FirstOrderForm form(system, start, options);
  ErrorProgram program;
  const int m_g = system->num_position_constraints();
  if (law) {
    program.law = *law;
  } else if (!system->motion_law().has_forces) {
    program.law = ConstraintDynamics::of_program(system, options.gains);
  } else if (options.excess.given()) {
    program.law = ConstraintDynamics::extended(options.excess, system, start, options.gains);
  } else {
    program.law = ConstraintDynamics::second_order(options.gains, m_g, system->num_constraints() - m_g);
  }
  program.rhs = [&form](double t, const VectorXd& y, VectorXd& ydot) { return form.rhs(t, y, ydot); };
  program.error = [&form](double t, const VectorXd& y, VectorXd& e) { return form.constraint_error(t, y, e); };
  program.t0 = start.t;
  program.y0 = form.pack(start);
  return certify(program, table, tau, t_end, certificate);
}

void CertificateFailure::describe(Figures& f) {
  f("condition", condition, "condition that did not hold");
  f("step", step, "number of the step");
  f("t", t, "s", "time");
  f("value", value, "", "value that exceeds the bound");
  f("bound", bound, "", "bound");
  f("text", words, "the failure in words");
}

void CertificateStep::describe(Figures& f) {
  f("t", t, "s", "time");
  f("error", error, "", "norm of the constraint error");
  f("contraction", contraction, "1", "norm of the step map of the error");
  f("remainder", remainder, "", "remainder of the step");
  f("bound", bound, "", "bound of the remainder");
  f("budget", budget, "", "remainder that is allowed");
}

void Certificate::describe(Figures& f) {
  f("certified", certified, "true if the conditions prove that the error stays below eps");
  f.derived("stayed_below", stayed_below(), "true if the observed error stayed below eps");
  f("failures", failures, "first failure of each condition");
  f("table", table, "Butcher table of the run");
  f("how", how, "norm and kind of remainder in words");
  f("steps", steps, "steps that were taken");
  f("completed", completed, "true if all steps were taken");
  f("step", tau, "s", "step");
  f("eps", eps, "", "bound of the error");
  f("t_reached", t_reached, "s", "time that was reached");
  f("start_error", start_error, "", "norm of the error at the start");
  f("largest_error", largest_error, "", "largest observed norm of the error");
  f("t_of_largest", t_of_largest, "s", "time of that error");
  f("largest_contraction", largest_contraction, "1", "largest norm of the step map of the error");
  f("largest_remainder", largest_remainder, "", "largest remainder of a step");
  f("largest_bound", largest_bound, "", "largest bound of a remainder");
  f("smallest_slack", smallest_slack, "1", "smallest (allowed - bound of the remainder) / eps");
  f.table("history", history, "steps of the run, if they are kept");
  f.derived("text", text(), "account in words");
}

}  // namespace sunlagrange
