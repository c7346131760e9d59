// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/stability/boundedness.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>

#include "linear_algebra/decompositions.hpp"
#include "linear_algebra/small_matrices.hpp"
#include "linear_algebra/spd.hpp"
#include "model/evaluation.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double least_fall = 0.1;    // of the logarithm over the run; less counts as no decay
constexpr double rates_agree = 0.05;  // largest relative difference of the rates of the whole time and of its last half

void require_history(const ErrorHistory& history) {
  if (history.t.empty()) throw Error("stability: the error history is empty");
  require_size(history.e, history.e.rows(), static_cast<Index>(history.t.size()), "the error history");
  for (std::size_t k = 0; k < history.t.size(); ++k) {
    if (std::isfinite(history.t[k]) && (k == 0 || history.t[k] >= history.t[k - 1])) continue;
    throw Error("stability: time " + std::to_string(k) + " of the error history, " + text(history.t[k]) +
                ", is not finite or less than the one before");
  }
}

VectorXd norms(const ErrorHistory& history, const Eigen::MatrixXd& weight) {
  if (weight.size() == 0) return history.e.colwise().norm();
  require_positive_definite(weight, history.e.rows(), "the weight");
  const Eigen::MatrixXd L = cholesky(symmetric_part(weight)).value();
  return (L.transpose().triangularView<Eigen::Upper>() * history.e).colwise().norm();
}

/// Logarithm of the envelope max_{s >= t}, with the time that each point represents as weight.
struct Envelope {
  std::vector<double> t, log, weight;
};

Envelope envelope_of(const std::vector<double>& t, const VectorXd& norm) {
  const double largest = norm.maxCoeff();
  const std::size_t n = t.size();
  Envelope e{t, std::vector<double>(n), std::vector<double>(n, 0.0)};
  double ahead = largest * std::numeric_limits<double>::epsilon() * 1e-30;  // finite logarithm for errors of zero
  for (std::size_t k = n; k-- > 0;) {
    ahead = std::max(ahead, norm[static_cast<Index>(k)]);
    e.log[k] = std::log(ahead);
    if (k > 0) e.weight[k] += 0.5 * (t[k] - t[k - 1]);
    if (k + 1 < n) e.weight[k] += 0.5 * (t[k + 1] - t[k]);
  }
  return e;
}

/// Weighted least-squares fit of a line or a constant, point by point.
class LineFit {
 public:
  void add(double x, double y, double w) {
    w_ += w;
    x_ += w * x;
    y_ += w * y;
    xx_ += w * x * x;
    xy_ += w * x * y;
    yy_ += w * y * y;
  }
  double slope() const {
    const double spread = xx_ - x_ * x_ / w_;
    return spread > 0.0 ? (xy_ - x_ * y_ / w_) / spread : 0.0;
  }
  double residual_of_constant() const { return w_ > 0.0 ? std::max(0.0, yy_ - y_ * y_ / w_) : 0.0; }
  double residual_of_line() const {
    if (!(w_ > 0.0)) return 0.0;
    const double s = slope();
    return std::max(0.0, residual_of_constant() - s * (xy_ - x_ * y_ / w_));
  }

 private:
  double w_ = 0.0, x_ = 0.0, y_ = 0.0, xx_ = 0.0, xy_ = 0.0, yy_ = 0.0;
};

/// Returns the rate of growth of max_{s <= t}, which the envelope max_{s >= t} does not show.
double growth_rate(const Envelope& e, const VectorXd& norm) {
  LineFit fit;
  double so_far = std::exp(e.log.back());
  for (std::size_t k = 0; k < e.t.size(); ++k) {
    so_far = k == 0 && norm[0] > 0.0 ? norm[0] : std::max(so_far, norm[static_cast<Index>(k)]);
    fit.add(e.t[k] - e.t[0], std::log(so_far), e.weight[k]);
  }
  return std::max(0.0, fit.slope());
}

LineFit fit_line(const Envelope& e, std::size_t from, std::size_t to) {
  LineFit fit;
  for (std::size_t k = from; k < to; ++k) fit.add(e.t[k] - e.t[from], e.log[k] - e.log[from], e.weight[k]);
  return fit;
}

/// Returns the first point of the constant part behind the line, or the number of points if there is none.
std::size_t find_plateau(const Envelope& e, const VectorXd& norm) {
  const std::size_t n = e.t.size();
  std::vector<double> tail(n + 1, 0.0);
  LineFit constant;
  for (std::size_t k = n; k-- > 0;) {
    constant.add(0.0, e.log[k] - e.log.back(), e.weight[k]);
    tail[k] = constant.residual_of_constant();
  }
  LineFit line;
  std::size_t best = n;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 1; k < n; ++k) {
    line.add(e.t[k - 1] - e.t[0], e.log[k - 1] - e.log.back(), e.weight[k - 1]);
    const double residual = line.residual_of_line() + tail[k];
    if (residual < least) {
      least = residual;
      best = k;
    }
  }
  if (best + 2 >= n || best < 2) return n;
  const double lasts = e.t.back() - e.t[best];
  Envelope raw = e;
  for (std::size_t k = best; k < n; ++k) {
    raw.log[k] = std::log(std::max(norm[static_cast<Index>(k)], std::exp(e.log.back())));
  }
  const double head = fit_line(e, 0, best).slope();
  const LineFit tail_fit = fit_line(raw, best, n);
  // A slow mode falls along a line, noise does not.
  const bool on_a_line = tail_fit.residual_of_line() < 0.5 * tail_fit.residual_of_constant();
  const double flat = std::abs(tail_fit.slope());
  const bool is_flat = flat < 0.1 * std::abs(head) && (flat * lasts < 1.0 || !on_a_line);
  return is_flat && head < 0.0 && lasts >= 0.1 * (e.t.back() - e.t.front()) ? best : n;
}

std::string verdict_of(const Boundedness& b) {
  std::string s = "||y|| started at " + text(b.delta) + " and stayed below " + text(b.epsilon);
  if (std::isnan(b.rate))
    s += "; it never exceeded its noise, so there is no rate";
  else if (b.rate > 0.0)
    s += "; it fell at " + text(b.rate) + " 1/s, in the last half at " + text(b.late_rate) +
         (b.long_enough ? "" : " (the run is too short for a rate)") + ", overshoot " + text(b.overshoot);
  else
    s += "; it did not fall, rate " + text(b.rate) + " 1/s";
  if (b.noise_floor > 0.0) s += "; noise floor " + text(b.noise_floor);
  return s;
}

}  // namespace

ErrorHistory constraint_error_history(const Trajectory& trajectory, const MechanicalSystem& system) {
  if (trajectory.empty()) throw Error("stability: the trajectory is empty");
  if (trajectory.num_positions() != system.num_positions()) {
    throw Error("stability: the trajectory has " + std::to_string(trajectory.num_positions()) +
                " positions, the system " + std::to_string(system.num_positions()) + "; they do not belong together");
  }
  const int m_g = system.num_position_constraints(), m = system.num_constraints();
  const std::unique_ptr<Workspace> w = make_workspace(system, Storage::sparse);
  ErrorHistory history;
  history.e.resize(m_g + m, static_cast<Index>(trajectory.size()));
  for (std::size_t k = 0; k < trajectory.size(); ++k) {
    const double t = trajectory.t(k);
    if (!evaluate_system(system, request::constraint,
                         {t, trajectory.q(k).data(), trajectory.v(k).data(), nullptr, nullptr}, *w)) {
      throw Error("stability: the model declines the recorded state at t = " + text(t));
    }
    history.t.push_back(t);
    history.e.col(static_cast<Index>(k)) << w->g, w->g_rate;
  }
  return history;
}

Boundedness measure_boundedness(const ErrorHistory& history, const BoundednessOptions& options) {
  require_history(history);
  if (!(options.noise_floor >= 0.0)) {
    throw Error("stability: noise_floor = " + text(options.noise_floor) + " must not be negative");
  }
  const VectorXd norm = norms(history, options.weight);
  const std::vector<double>& t = history.t;
  const std::size_t n = t.size();
  Boundedness b;
  b.delta = norm[0];
  Index at = 0;
  b.epsilon = norm.maxCoeff(&at);
  b.t_epsilon = t[static_cast<std::size_t>(at)];
  b.growth = b.delta > 0.0 ? b.epsilon / b.delta : NAN;
  b.final_error = norm[norm.size() - 1];
  b.noise_floor = options.noise_floor;
  b.t_floor = b.rate = b.overshoot = b.late_rate = NAN;
  if (b.epsilon > 0.0) {
    const Envelope e = envelope_of(t, norm);
    if (b.noise_floor == 0.0) {
      const std::size_t plateau = find_plateau(e, norm);
      if (plateau < n) b.noise_floor = std::exp(e.log[plateau]);
    }
    std::size_t above = 0;  // number of points before the envelope reaches the noise
    while (above < n && std::exp(e.log[above]) > 3.0 * b.noise_floor) ++above;
    if (above < n && b.noise_floor > 0.0) b.t_floor = t[above];
    if (above >= 3 && t[above - 1] > t[0]) {
      b.rate = -fit_line(e, 0, above).slope();
      const auto middle =
          std::lower_bound(t.begin(), t.begin() + static_cast<std::ptrdiff_t>(above), 0.5 * (t[0] + t[above - 1]));
      b.late_rate = -fit_line(e, static_cast<std::size_t>(middle - t.begin()), above).slope();
      b.long_enough = std::abs(b.late_rate - b.rate) <= rates_agree * std::abs(b.late_rate);
      if (b.rate * (t[above - 1] - t[0]) < least_fall) b.rate = -growth_rate(e, norm);
      b.overshoot = 0.0;
      for (std::size_t k = 0; k < n; ++k) {
        const double excess = norm[static_cast<Index>(k)] - b.noise_floor;
        if (excess > 0.0) b.overshoot = std::max(b.overshoot, excess / b.delta * std::exp(b.rate * (t[k] - t[0])));
      }
    }
  }
  b.verdict = verdict_of(b);
  return b;
}

BoundCheck check_bound(const ErrorHistory& history, const DecayCertificate& certificate, double noise_floor) {
  require_history(history);
  if (!certificate.certified)
    throw Error("stability: there is nothing to check, the certificate says: " + certificate.verdict);
  require_size(certificate.P, history.e.rows(), history.e.rows(), "the certificate's P");
  if (!(noise_floor >= 0.0)) throw Error("stability: noise_floor = " + text(noise_floor) + " must not be negative");
  const VectorXd norm = norms(history, {}), in_form = norms(history, certificate.P);
  const double floor_in_form = noise_floor * std::sqrt(largest_singular_value(symmetric_part(certificate.P)));
  const auto ratio = [](double error, double floor, double bound) {
    return error <= floor ? 0.0 : (error - floor) / bound;
  };
  BoundCheck result;
  result.t_worst = history.t.front();
  result.first_violation = NAN;
  for (std::size_t k = 0; k < history.t.size(); ++k) {
    const auto i = static_cast<Index>(k);
    const double elapsed = history.t[k] - history.t[0], decay = std::exp(-certificate.rate * elapsed);
    const double now = ratio(norm[i], noise_floor, norm[0] * certificate.bound(elapsed));
    result.worst_ratio_in_form =
        std::max(result.worst_ratio_in_form, ratio(in_form[i], floor_in_form, in_form[0] * decay));
    if (now > 1.0 + 1e-12 && std::isnan(result.first_violation)) result.first_violation = history.t[k];
    if (now <= result.worst_ratio) continue;
    result.worst_ratio = now;
    result.t_worst = history.t[k];
  }
  result.respected = std::isnan(result.first_violation);
  result.verdict = (result.respected ? "respected: at most "
                                     : "violated first at t = " + text(result.first_violation) + ", up to ") +
                   text(result.worst_ratio) + " of the bound, at t = " + text(result.t_worst);
  return result;
}

}  // namespace sunlagrange
