// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <sunlagrange/base/setting.hpp>

#include "model/checks/examination.hpp"
#include "simulation/checks/check.hpp"

namespace sunlagrange::internal {
namespace {

/// Held by indefinite_in_mid_run_test.
struct InertiaThresholds {
  double rounding = 1e-10;  ///< of the largest inertia along the path: the rounding error of a difference that vanishes
};
constexpr InertiaThresholds inertia_threshold;

/// Checks that a mass matrix that varies stays positive semidefinite. At every state it examines the diagonal and the
/// kinetic energy of the motion, which costs little; the examination of the start is repeated at the end.
class Inertia final : public Check {
 public:
  explicit Inertia(ObservedRun& run) : run_(run) {}

  void observe(const AcceptedStep& step) override {
    if (!found_) examine_newest();
    if (found_ && step.stepper != nullptr) run_.reject(*found_);
  }

  void finish(Status& status) override {
    if (!status.finished()) return;
    if (!found_ && !run_.path.samples().empty() && applies()) {
      const PathSample& now = run_.path.newest();
      Status end = examine(*run_.path.system(), now.t, now.q, now.v, Purpose::derivatives);
      if (!end.finished()) found_ = std::move(end);
    }
    if (found_) status = *found_;
  }

 private:
  bool applies() const {
    const MechanicalSystem& system = *run_.path.system();
    return !system.constant_mass() && system.motion_law().has_forces && run_.path.newest().evaluated;
  }

  void examine_newest() {
    if (!applies()) return;
    const PathSample& now = run_.path.newest();
    const PatternMatrix& M = run_.path.quantities().M;
    if (largest_.size() == 0) largest_ = Eigen::VectorXd::Zero(now.q.size());
    double energy = 0.0, terms = 0.0;
    int row = -1;
    M.for_each_entry([&](int i, int j, double entry) {
      const double term = 0.5 * now.v[i] * entry * now.v[j];
      energy += term;
      terms += std::abs(term);
      if (i != j) return;
      largest_[j] = std::max(largest_[j], std::abs(entry));
      if (entry < -inertia_threshold.rounding * largest_[j]) row = j;
    });
    largest_terms_ = std::max(largest_terms_, terms);
    if (row < 0 && !(energy < -inertia_threshold.rounding * largest_terms_)) return;
    const std::string name = row >= 0 ? run_.path.system()->position_name(row) : "";
    found_ =
        Status{Outcome::model_error,
               "the model is wrong at t = " + text(now.t) + ": mass_matrix is not positive semidefinite any more: " +
                   (row >= 0 ? "M(" + name + ", " + name + ") = " + text(M(row, row)) + " is negative"
                             : "the kinetic energy is " + text(energy) + " J") +
                   "; check how it depends on t and q, and that the motion stays where it holds"};
  }

  ObservedRun& run_;
  Eigen::VectorXd largest_;     // |M_jj| along the path
  double largest_terms_ = 0.0;  // sum of |v_i M_ij v_j| / 2
  std::optional<Status> found_;
};

}  // namespace

std::unique_ptr<Check> make_inertia(ObservedRun& run, const CheckList& /*earlier*/) {
  return std::make_unique<Inertia>(run);
}

}  // namespace sunlagrange::internal
