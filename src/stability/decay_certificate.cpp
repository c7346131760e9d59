// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/stability/decay_certificate.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>

#include "linear_algebra/small_matrices.hpp"

namespace sunlagrange {

using namespace internal;

double DecayCertificate::bound(double elapsed) const {
  return overshoot * std::exp(-rate * elapsed);
}

DecayCertificate decay_certificate(const Eigen::MatrixXd& A, const Eigen::MatrixXd& P) {
  require_square(A, "A");
  require_symmetric(P, A.rows(), "P");
  const FormMeasure form = measure_form(A, P, {});
  DecayCertificate result;
  result.P = symmetric_part(P);
  if (!form.definite) {
    result.verdict = "not certified: P is not positive definite, its smallest eigenvalue is " + text(form.lowest);
  } else if (!(form.rate > 0.0)) {
    result.verdict = "not certified: -(A^T P + P A) is not positive definite; relative to P it proves a rate of " +
                     text(form.rate) + " 1/s";
  } else {
    result.certified = true;
    result.rate = form.rate;
    result.overshoot = std::sqrt(form.highest / form.lowest);
    result.verdict = "certified: decay at " + text(result.rate) + " 1/s, overshoot " + text(result.overshoot);
  }
  return result;
}

namespace {

void require_samples(const std::vector<FormSample>& samples) {
  if (samples.empty()) throw Error("stability: no samples; give A and P at one time at least");
  require_square(samples.front().A, "A of sample 0");
  const Eigen::Index n = samples.front().A.rows();
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const std::string sample = " of sample " + std::to_string(k);
    require_size(samples[k].A, n, n, "A" + sample);
    require_symmetric(samples[k].P, n, "P" + sample);
    if (samples[k].P_rate.size() > 0) require_symmetric(samples[k].P_rate, n, "dP/dt" + sample);
    if (k > 0 && !(samples[k].t >= samples[k - 1].t)) {
      throw Error("stability: t" + sample + " is " + text(samples[k].t) + ", less than that before it, " +
                  text(samples[k - 1].t) + "; sort the samples");
    }
  }
}

std::string failure(const FormSample& sample, int k, const FormMeasure& form, double rate) {
  const std::string where = "not certified: at sample " + std::to_string(k) + ", t = " + text(sample.t) + ", ";
  if (!form.definite) return where + "P is not positive definite, its smallest eigenvalue is " + text(form.lowest);
  return where + "-(A^T P + P A + dP/dt) proves a rate of " + text(form.rate) +
         " 1/s only; required: " + (rate > 0.0 ? text(rate) : "more than 0");
}

}  // namespace

SampledCertificate sampled_certificate(const std::vector<FormSample>& samples, double rate) {
  require_samples(samples);
  if (!(rate >= 0.0)) throw Error("stability: rate = " + text(rate) + " must not be negative");
  SampledCertificate result;
  result.P = symmetric_part(samples.front().P);
  result.rates.resize(static_cast<Eigen::Index>(samples.size()));
  double lowest = std::numeric_limits<double>::infinity(), highest = 0.0, worst = lowest;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const int k = static_cast<int>(i);
    const FormMeasure form = measure_form(samples[i].A, samples[i].P, samples[i].P_rate);
    result.rates[k] = form.definite ? form.rate : std::numeric_limits<double>::quiet_NaN();
    lowest = std::min(lowest, form.lowest);
    highest = std::max(highest, form.highest);
    // The verdict names the first sample that fails, or else the one with the smallest rate.
    const bool fails = !form.definite || !(form.rate > 0.0) || form.rate < rate;
    if (fails && result.verdict.empty()) {
      result.verdict = failure(samples[i], k, form, rate);
      result.sample = k;
    } else if (result.verdict.empty() && form.rate < worst) {
      worst = form.rate;
      result.sample = k;
    }
  }
  if (!result.verdict.empty()) return result;
  result.certified = true;
  result.rate = worst;
  result.overshoot = std::sqrt(highest / lowest);
  result.verdict = "certified on " + std::to_string(samples.size()) + " samples: decay at " + text(worst) +
                   " 1/s, overshoot " + text(result.overshoot);
  return result;
}

}  // namespace sunlagrange
