#include "simulation/error_law_watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linear_algebra/decompositions.hpp"

namespace sunlagrange::internal {
namespace {

/// The eigenvalues of A are found anew when an entry has changed by more than this, relative.
constexpr double changed = 1e-2;

}  // namespace

/// False: no law, or one that is not finite here.
bool ErrorLawWatch::look(IntegratorStepper& stepper, const double* q, const double* v) {
  if (!stepper.error_matrix(q, v, A_) || !A_.allFinite()) return false;
  if (A_.rows() == seen_.rows() && ((A_ - seen_).array().abs() <= changed * seen_.array().abs()).all()) return true;
  seen_ = A_;
  const Eigen::VectorXcd values = eigenvalues(A_);
  mu_.assign(values.data(), values.data() + values.size());
  return true;
}

void ErrorLawWatch::begin(IntegratorStepper& stepper, const double* q, const double* v) {
  sum_ = 0.0;
  seen_.resize(0, 0);
  varies_ = look(stepper, q, v) && !mu_.empty();
}

/// Of a step h with the law as it was looked at last.
double ErrorLawWatch::exponent(double h) const {
  double largest = -std::numeric_limits<double>::infinity();
  for (const std::complex<double>& mu : mu_) {
    if (R_.empty()) {
      largest = std::max(largest, h * mu.real());
      continue;
    }
    std::complex<double> R = 0.0;
    for (auto r = R_.rbegin(); r != R_.rend(); ++r) R = *r + h * mu * R;
    largest = std::max(largest, std::log(std::abs(R)));
  }
  return largest;
}

void ErrorLawWatch::accept(IntegratorStepper& stepper, double h, const double* q, const double* v, Report& report) {
  if (!varies_) return;
  const double before = exponent(h);
  if (!look(stepper, q, v)) return;
  sum_ = std::max(0.0, sum_ + 0.5 * (before + exponent(h)));
  if (std::isnan(report.error_growth)) report.error_growth = 0.0;
  if (!(sum_ > report.error_growth)) return;
  report.error_growth = sum_;
  report.t_error_growth = stepper.time();
}

}  // namespace sunlagrange::internal
