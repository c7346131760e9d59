#include "model/touching_rows.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <sunlagrange/base/setting.hpp>

#include "linear_algebra/symmetric_eigen.hpp"
#include "model/evaluation.hpp"
#include "model/natural_scales.hpp"

namespace sunlagrange::internal {
namespace {

using Eigen::VectorXd;

constexpr double vanishing = 1e-3;         // gradient beside that of a point nearby
constexpr double flat = 1e-3;              // curvature beside the largest of the row
constexpr double step_of_size = 1e-3;      // of the differences
constexpr double rounding_of_row = 1e-13;  // beside its gradient nearby times the size
constexpr std::size_t most_coordinates = 64;

class TouchingRows {
 public:
  TouchingRows(const MechanicalSystem& system, double t, const VectorXd& q, const VectorXd& v)
      : system_(system), w_(make_workspace(system, Storage::sparse)), t_(t), q_(q), v_(v) {}

  Status run() {
    const int m_g = system_.num_position_constraints(), m = system_.num_constraints();
    if (m == 0 || !evaluate(q_, v_)) return {};
    const VectorXd g = w_->g, rates = w_->g_rate, here = gradients();
    for (const bool of_velocities : {false, true}) {
      const int begin = of_velocities ? m_g : 0, end = of_velocities ? m : m_g;
      VectorXd x = of_velocities ? v_ : q_;
      const double size = size_of(x);
      for (Eigen::Index j = 0; j < x.size(); ++j)
        x[j] += size * system_.natural_scales()[j] * (0.17 + 0.12 * std::sin(2.4 * static_cast<double>(j + 1)));
      if (begin == end || !answers(x, of_velocities)) continue;
      const VectorXd nearby = gradients();
      for (int i = begin; i < end; ++i) {
        if (!(here[i] < vanishing * nearby[i])) continue;
        if (touches(i, of_velocities, of_velocities ? rates[i] : g[i], nearby[i] * size))
          names_ += (names_.empty() ? "\"" : ", \"") + system_.constraint_name(i) + "\"";
      }
    }
    if (names_.empty()) return {};
    return {Outcome::model_error,
            "the model is wrong at t = " + text(t_) + ": " + names_ +
                " touches zero without crossing it: its gradient vanishes where it is satisfied, and it holds nothing; "
                "write f instead of f^2 or 1 - cos(f), and for points that coincide one row for each direction"};
  }

 private:
  bool evaluate(const VectorXd& q, const VectorXd& v) {
    return evaluate_system(system_, request::constraint | request::jacobian, {t_, q.data(), v.data(), nullptr, nullptr},
                           *w_);
  }

  /// x in the place of q or v; a point outside the domain of the model is no answer.
  bool answers(const VectorXd& x, bool velocities) {
    try {
      return velocities ? evaluate(q_, x) : evaluate(x, v_);
    } catch (...) {
      return false;
    }
  }

  double size_of(const VectorXd& x) const {
    const double size = natural_size(system_, x);
    return size > 0.0 ? size : 1.0;
  }

  /// The largest |G_ij| times the natural scale of coordinate j, for each row.
  VectorXd gradients() const {
    VectorXd largest = VectorXd::Zero(system_.num_constraints());
    w_->G.for_each_entry([&](int i, int j, double value) {
      largest[i] = std::max(largest[i], std::abs(value) * system_.natural_scales()[j]);
    });
    return largest;
  }

  /// The quadratic g_i + c u + u H u / 2 has its extremum at zero, and no direction leads across. u_j: steps of
  /// coordinate j.
  bool touches(int row, bool velocities, double value, double largest_term) {
    std::vector<int> columns;
    w_->patterns->jacobian.for_each_entry([&](int i, int j, int) {
      if (i == row) columns.push_back(j);
    });
    const std::size_t k = columns.size();
    if (k > most_coordinates) return false;
    const VectorXd& x = velocities ? v_ : q_;
    const double size = size_of(x);
    VectorXd steps(static_cast<Eigen::Index>(k));
    for (std::size_t a = 0; a < k; ++a)
      steps.data()[a] = step_of_size * size * system_.natural_scales()[columns.data()[a]];
    const auto gradient_at = [&](std::size_t a, double sign, VectorXd& c) {
      VectorXd moved = x;
      moved[columns.data()[a]] += sign * steps.data()[a];
      if (!answers(moved, velocities)) return false;
      c.resize(steps.size());
      for (std::size_t b = 0; b < k; ++b) c.data()[b] = w_->G(row, columns.data()[b]) * steps.data()[b];
      return true;
    };
    std::vector<double> H(k * k);
    VectorXd before, after, gradient;
    for (std::size_t a = 0; a < k; ++a) {
      if (!gradient_at(a, -1.0, before) || !gradient_at(a, 1.0, after) || !gradient_at(a, 0.0, gradient)) return false;
      for (std::size_t b = 0; b < k; ++b) {
        const double half = 0.25 * (after.data()[b] - before.data()[b]);
        H[a * k + b] += half;
        H[b * k + a] += half;
      }
    }
    SymmetricEigen eigen(static_cast<int>(k));
    eigen.decompose(static_cast<int>(k), H.data());
    const double lowest = eigen.value(0), highest = eigen.value(static_cast<int>(k) - 1);
    const double largest = std::max(std::abs(lowest), std::abs(highest));
    if (!(largest > 0.0) || (lowest < -flat * largest && highest > flat * largest)) return false;
    double way_to_extremum = 0.0;
    for (int l = 0; l < static_cast<int>(k); ++l) {
      const double along = Eigen::Map<const VectorXd>(eigen.vector(l), gradient.size()).dot(gradient);
      if (std::abs(eigen.value(l)) > flat * largest)
        way_to_extremum += 0.5 * along * along / eigen.value(l);
      else if (std::abs(along) > 1e-2 * gradient.norm() && std::abs(along) > rounding_of_row * largest_term)
        return false;
    }
    return std::abs(value - way_to_extremum) <= 0.3 * std::abs(way_to_extremum) + rounding_of_row * largest_term;
  }

  const MechanicalSystem& system_;
  std::unique_ptr<Workspace> w_;
  double t_;
  const VectorXd& q_;
  const VectorXd& v_;
  std::string names_;
};

}  // namespace

Status touching_rows(const MechanicalSystem& system, double t, const VectorXd& q, const VectorXd& v) {
  return TouchingRows(system, t, q, v).run();
}

}  // namespace sunlagrange::internal
