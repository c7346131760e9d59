// SPDX-License-Identifier: BSD-3-Clause
#include "model/checks/degenerate_constraints.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <sunlagrange/base/setting.hpp>

#include "base/words.hpp"
#include "model/evaluation.hpp"
#include "model/natural_scales.hpp"

namespace sunlagrange::internal {
namespace {

using Eigen::VectorXd;

constexpr double distant = 0.3;                                       // distance of the distant point
constexpr double small_gradient = 1e-3, small_value = 1e-3;           // beside those of the distant point
constexpr double distances[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7};  // of the points nearby, beside the coordinates
constexpr double times[] = {1e3, 1.0, 1e-3, 1e-6};                    // [s] to points nearby in time
constexpr int directions = 4;

// Points a few units in the last place away: beside a zero where its gradient vanishes, the value of a row differs
// there by its rounding error alone. The error of n operations is at most n u times the sum of the terms, and about
// sqrt(n) u times that sum in most cases. 16 times the largest difference bounds the errors of rows of 256 operations.
constexpr double last_places[] = {1e-15, 1e-14, 1e-13};
constexpr double largest_over_typical_rounding = 16.0;

constexpr std::size_t max_rows = 64;  // that are examined along each of their coordinates

class DegenerateConstraints {
 public:
  DegenerateConstraints(const MechanicalSystem& system, double t, const VectorXd& q, const VectorXd& v)
      : system_(system), w_(make_workspace(system, Storage::sparse)), t_(t), q_(q), v_(v) {}

  Status run() {
    const int m_g = system_.num_position_constraints(), m = system_.num_constraints();
    if (m == 0 || !evaluate(t_, q_, v_)) return {};
    const VectorXd gradient = gradients(), g = w_->g, g_rate = w_->g_rate;
    for (const bool of_velocities : {false, true}) {
      of_velocities_ = of_velocities;
      const int begin = of_velocities ? m_g : 0, end = of_velocities ? m : m_g;
      if (begin == end || !answers(t_, x() + direction(0, distant))) continue;
      const VectorXd distant_gradient = gradients(), distant_value = values(), here = of_velocities ? g_rate : g;
      rows_.clear();
      for (int i = begin; i < end; ++i) {
        if (gradient[i] < small_gradient * distant_gradient[i] &&
            std::abs(here[i]) <= small_value * std::abs(distant_value[i]))
          rows_.push_back({i, 0.0, 0.0});
      }
      if (rows_.empty()) continue;
      bound_rounding(here);
      drop_crossing();
      for (std::size_t k = 0; k < std::min(rows_.size(), max_rows); ++k) {
        if (!crosses_along_an_axis(rows_[k])) names_.push_back(system_.constraint_name(rows_[k].index));
      }
    }
    if (names_.empty()) return {};
    return {
        Outcome::model_error,
        "the model is wrong at t = " + text(t_) + ": " + quoted(names_) +
            " touches zero without crossing it: where it is satisfied its gradient vanishes, and no multiplier can "
            "hold it; write f instead of f^2 or 1 - cos(f), and for points that coincide one row for each direction "
            "(or this pose is the only one that satisfies it)"};
  }

 private:
  /// A row, the sign of its value at the points so far, and the size up to which a value may be rounding.
  struct Row {
    int index;
    double sign;  // 0: the values at all of them may be rounding
    double rounding;
  };

  const VectorXd& x() const { return of_velocities_ ? v_ : q_; }
  const VectorXd& values() const { return of_velocities_ ? w_->g_rate : w_->g; }

  bool evaluate(double t, const VectorXd& q, const VectorXd& v) {
    return evaluate_system(system_, request::constraint | request::jacobian, {t, q.data(), v.data(), nullptr, nullptr},
                           *w_);
  }

  /// Evaluates at a point with q or v replaced. False: the point is outside the domain of the model.
  bool answers(double t, const VectorXd& point) {
    try {
      return of_velocities_ ? evaluate(t, q_, point) : evaluate(t, point, v_);
    } catch (...) {
      return false;
    }
  }

  /// Returns the largest |G_ij| times the natural scale of coordinate j, for each row.
  VectorXd gradients() const {
    VectorXd largest = VectorXd::Zero(system_.num_constraints());
    w_->G.for_each_entry([&](int i, int j, double value) {
      largest[i] = std::max(largest[i], std::abs(value) * system_.natural_scales()[j]);
    });
    return largest;
  }

  /// Returns a change of every coordinate by 0.5 to 1 times `distance`, relative to the size of all of them.
  VectorXd direction(int number, double distance) const {
    const double size = natural_size(system_, x());
    VectorXd change = (distance * (size > 0.0 ? size : 1.0)) * system_.natural_scales();
    for (Eigen::Index j = 0; j < change.size(); ++j) {
      const double s = std::sin(2.4 * static_cast<double>(j + 1) + 1.3 * static_cast<double>(number));
      change[j] *= std::copysign(0.5 + 0.5 * std::abs(s), s);
    }
    return change;
  }

  /// Compares the sign of a row at the evaluated point with those before. True: it has changed.
  bool changes_sign(Row& row) const {
    const double value = values()[row.index];
    if (!(std::abs(value) > row.rounding)) return false;
    if (row.sign == 0.0) row.sign = value;
    return std::signbit(row.sign) != std::signbit(value);
  }

  /// Bounds the rounding errors of the values of the rows. @param here  values at (t, q, v)
  void bound_rounding(const VectorXd& here) {
    const auto compare_at = [&](const VectorXd& point) {
      if (!answers(t_, point)) return;
      for (Row& row : rows_) {
        const double difference = std::abs(values()[row.index] - here[row.index]);
        row.rounding = std::max(row.rounding, largest_over_typical_rounding * difference);
      }
    };
    for (const double distance : last_places) {
      for (int number = 1; number <= directions; ++number) {
        const VectorXd change = direction(number, distance);
        compare_at(x() + change);
        compare_at(x() - change);
      }
    }
  }

  /// Removes the rows that change their sign among the points nearby.
  void drop_crossing() {
    const auto drop_at = [this](double t, const VectorXd& point) {
      if (rows_.empty() || !answers(t, point)) return;
      rows_.erase(std::remove_if(rows_.begin(), rows_.end(), [this](Row& row) { return changes_sign(row); }),
                  rows_.end());
    };
    for (const double distance : distances) {
      for (int number = 1; number <= directions; ++number) {
        const VectorXd change = direction(number, distance);
        drop_at(t_, x() + change);
        drop_at(t_, x() - change);
      }
    }
    for (const double step : times) {
      drop_at(t_ + step, x());
      drop_at(t_ - step, x());
    }
  }

  /// True if the row changes its sign where one of its coordinates alone is moved, as |v|^2 - c^2 w^2 does at rest.
  bool crosses_along_an_axis(Row& row) {
    std::vector<int> columns;
    w_->patterns->jacobian.for_each_entry([&](int i, int j, int) {
      if (i == row.index) columns.push_back(j);
    });
    for (const int j : columns) {
      for (const double part : {1e-3, -1e-3}) {
        VectorXd point = x();
        point[j] += part * std::max(std::abs(point[j]), system_.natural_scales()[j]);
        if (answers(t_, point) && changes_sign(row)) return true;
      }
    }
    return false;
  }

  const MechanicalSystem& system_;
  std::unique_ptr<Workspace> w_;
  double t_;
  const VectorXd& q_;
  const VectorXd& v_;
  bool of_velocities_ = false;
  std::vector<Row> rows_;  // degenerate, as far as it is known
  std::vector<std::string> names_;
};

}  // namespace

Status check_degenerate_constraints(const MechanicalSystem& system, double t, const VectorXd& q, const VectorXd& v) {
  return DegenerateConstraints(system, t, q, v).run();
}

}  // namespace sunlagrange::internal
