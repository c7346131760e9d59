#include "model/checks/degenerate_constraints.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <sunlagrange/base/setting.hpp>

#include "linear_algebra/symmetric_eigen.hpp"
#include "model/evaluation.hpp"
#include "model/natural_scales.hpp"

namespace sunlagrange::internal {
namespace {

using Eigen::VectorXd;

constexpr double vanishing = 1e-3;     // gradient beside that of a point nearby: what is worth a look
constexpr double flat = 1e-3;          // curvature beside the largest of the row
constexpr double step_of_size = 1e-3;  // of the differences
constexpr double left_of_way = 0.3;    // of the way to the extremum of the quadratic, that the row itself may leave
constexpr double last_digits = 4.0;    // by which positions are moved to see the noise of a row
constexpr std::size_t most_coordinates = 64;
constexpr double parts_of_way[] = {1e-2, 1e-4, 1e-6, 1e-6, 1e-6};  // at which rows may show that they change their sign

class DegenerateConstraints {
 public:
  DegenerateConstraints(const MechanicalSystem& system, double t, const VectorXd& q, const VectorXd& v)
      : system_(system), w_(make_workspace(system, Storage::sparse)), t_(t), q_(q), v_(v) {}

  Status run() {
    const int m_g = system_.num_position_constraints(), m = system_.num_constraints();
    if (m == 0 || !evaluate(q_, v_)) return {};
    const VectorXd here = gradients();
    for (const bool of_velocities : {false, true}) {
      const int begin = of_velocities ? m_g : 0, end = of_velocities ? m : m_g;
      if (begin == end || !answers((of_velocities ? v_ : q_) + way_of_all(of_velocities, 0.0), of_velocities)) continue;
      const VectorXd nearby = gradients();
      std::vector<int> vanishes;
      for (int i = begin; i < end; ++i)
        if (here[i] < vanishing * nearby[i]) vanishes.push_back(i);
      drop_crossing(vanishes, of_velocities);
      for (const int i : vanishes)
        if (touches(i, of_velocities)) names_ += (names_.empty() ? "\"" : ", \"") + system_.constraint_name(i) + "\"";
    }
    if (names_.empty()) return {};
    return {Outcome::model_error,
            "the model is wrong at t = " + text(t_) + ": " + names_ +
                " touches zero without crossing it: where it is satisfied its gradient vanishes, and no multiplier can "
                "hold "
                "it; write f instead of f^2 or 1 - cos(f), and for points that coincide one row for each direction (or "
                "this pose is the only one that satisfies it)"};
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

  /// Moves every coordinate, by another part of the size of all. @param phase  another direction for each
  VectorXd way_of_all(bool of_velocities, double phase) const {
    const VectorXd& scales = system_.natural_scales();
    const double size = size_of(of_velocities ? v_ : q_);
    VectorXd way(scales.size());
    for (Eigen::Index j = 0; j < way.size(); ++j)
      way[j] = size * scales[j] * (0.17 + 0.12 * std::sin(2.4 * static_cast<double>(j + 1) + phase));
    return way;
  }

  /// Takes out the rows that change their sign between both ends of a way to and fro, both halves as their gradient
  /// says: they cross zero. All rows at once, because far from the origin every gradient is small beside that of a
  /// point nearby. Of a square that rounding makes negative one half is not as its gradient says.
  void drop_crossing(std::vector<int>& rows, bool of_velocities) {
    const VectorXd& x = of_velocities ? v_ : q_;
    const VectorXd& value = of_velocities ? w_->g_rate : w_->g;
    if (rows.empty() || !answers(x, of_velocities)) return;
    const VectorXd here = value;
    const PatternMatrix G = w_->G;
    double direction = 0.0;
    for (const double part : parts_of_way) {
      const VectorXd way = part * way_of_all(of_velocities, direction += 1.0);
      if (!answers(x + way, of_velocities)) continue;
      const VectorXd ahead = value;
      if (!answers(x - way, of_velocities)) continue;
      VectorXd change = VectorXd::Zero(system_.num_constraints());  // on the way, by the gradient
      change += G * way;
      const auto crosses = [&](int i) {
        const double close = 0.25 * std::abs(change[i]);
        return ahead[i] * value[i] < 0.0 && std::abs(ahead[i] - here[i] - change[i]) < close &&
               std::abs(here[i] - value[i] - change[i]) < close;
      };
      rows.erase(std::remove_if(rows.begin(), rows.end(), crosses), rows.end());
      if (rows.empty()) return;
    }
  }

  /// The largest |G_ij| times the natural scale of coordinate j, for each row.
  VectorXd gradients() const {
    VectorXd largest = VectorXd::Zero(system_.num_constraints());
    w_->G.for_each_entry([&](int i, int j, double value) {
      largest[i] = std::max(largest[i], std::abs(value) * system_.natural_scales()[j]);
    });
    return largest;
  }

  /// One row as a function of its own coordinates, of q or of v.
  struct Row {
    int index;
    bool of_velocities;
    std::vector<int> columns;
    VectorXd x, steps;  // all coordinates; differences of its own
  };

  /// False: the model declines the point. @param gradient  times the steps; may be null
  bool look(const Row& row, double t, const VectorXd& x, double& value, VectorXd* gradient) {
    const double now = std::exchange(t_, t);
    const bool answered = answers(x, row.of_velocities);
    t_ = now;
    if (!answered) return false;
    value = row.of_velocities ? w_->g_rate[row.index] : w_->g[row.index];
    if (gradient == nullptr) return true;
    for (std::size_t b = 0; b < row.columns.size(); ++b)
      gradient->data()[b] = w_->G(row.index, row.columns.data()[b]) * row.steps.data()[b];
    return true;
  }

  Row row_of(int index, bool of_velocities) const {
    Row row{index, of_velocities, {}, of_velocities ? v_ : q_, {}};
    w_->patterns->jacobian.for_each_entry([&](int i, int j, int) {
      if (i == index) row.columns.push_back(j);
    });
    const VectorXd& scales = system_.natural_scales();
    double size = 0.0;
    for (const int j : row.columns) size = std::max(size, std::abs(row.x[j]) / scales[j]);
    if (!(size > 0.0)) size = size_of(row.x);
    row.steps.resize(static_cast<Eigen::Index>(row.columns.size()));
    for (std::size_t a = 0; a < row.columns.size(); ++a)
      row.steps.data()[a] = step_of_size * size * scales[row.columns.data()[a]];
    return row;
  }

  /// By how much the last digits of its coordinates change a row and its gradient.
  bool noise(const Row& row, const VectorXd& x, double& of_value, double& of_gradient) {
    double value = 0.0, moved_value = 0.0;
    VectorXd gradient(row.steps.size()), moved_gradient(row.steps.size());
    if (!look(row, t_, x, value, &gradient)) return false;
    for (const int j : row.columns) {
      VectorXd moved = x;
      moved[j] += last_digits * std::numeric_limits<double>::epsilon() * std::abs(x[j]);
      if (!look(row, t_, moved, moved_value, &moved_gradient)) return false;
      of_value = std::max(of_value, std::abs(moved_value - value));
      of_gradient = std::max(of_gradient, (moved_gradient - gradient).lpNorm<Eigen::Infinity>());
    }
    return true;
  }

  /// Is there a time close by when the extremum lies on the other side of zero? Then the row crosses it there.
  bool moves_across(const Row& row, const VectorXd& extremum, double curvature, double noise) {
    for (const double step : {-1e-3, -1e-6, 1e-6, 1e-3}) {
      double value = 0.0;
      if (look(row, t_ + step, extremum, value, nullptr) && std::copysign(1.0, curvature) * value < -2.0 * noise)
        return true;
    }
    return false;
  }

  /// The quadratic with the gradient and the curvature that the row has here leads to an extremum where the row itself
  /// is zero, and no direction leads across.
  bool touches(int index, bool of_velocities) {
    const Row row = row_of(index, of_velocities);
    const std::size_t k = row.columns.size();
    if (k == 0 || k > most_coordinates) return false;
    double value = 0.0;
    VectorXd gradient(row.steps.size()), before = gradient, after = gradient;
    if (!look(row, t_, row.x, value, &gradient)) return false;
    std::vector<double> H(k * k);
    for (std::size_t a = 0; a < k; ++a) {
      VectorXd moved = row.x;
      moved[row.columns.data()[a]] -= row.steps.data()[a];
      if (!look(row, t_, moved, value, &before)) return false;
      moved[row.columns.data()[a]] += 2.0 * row.steps.data()[a];
      if (!look(row, t_, moved, value, &after)) return false;
      for (std::size_t b = 0; b < k; ++b) {
        const double half = 0.25 * (after.data()[b] - before.data()[b]);
        H.data()[a * k + b] += half;
        H.data()[b * k + a] += half;
      }
    }
    SymmetricEigen eigen(static_cast<int>(k));
    eigen.decompose(static_cast<int>(k), H.data());
    const double lowest = eigen.value(0), highest = eigen.value(static_cast<int>(k) - 1);
    const double largest = -lowest > highest ? lowest : highest;
    if (!(largest != 0.0) || (lowest < -flat * std::abs(largest) && highest > flat * std::abs(largest))) return false;
    double noise_here = 0.0, noise_of_gradient = 0.0, noise_there = 0.0, way = 0.0;
    if (!noise(row, row.x, noise_here, noise_of_gradient)) return false;
    VectorXd extremum = row.x;
    for (int l = 0; l < static_cast<int>(k); ++l) {
      const Eigen::Map<const VectorXd> direction(eigen.vector(l), gradient.size());
      const double along = direction.dot(gradient);
      if (std::abs(eigen.value(l)) > flat * std::abs(largest)) {
        way += 0.5 * along * along / eigen.value(l);
        for (std::size_t a = 0; a < k; ++a)
          extremum[row.columns.data()[a]] -= row.steps.data()[a] * direction.data()[a] * along / eigen.value(l);
      } else if (std::abs(along) > 1e-2 * gradient.norm() && std::abs(along) > 10.0 * noise_of_gradient) {
        return false;
      }
    }
    if (!noise(row, extremum, noise_there, noise_of_gradient) || !look(row, t_, extremum, value, nullptr)) return false;
    const double noise_of_row = std::max(noise_here, noise_there);
    return std::abs(value) <= std::max(left_of_way * std::abs(way), noise_of_row) &&
           !moves_across(row, extremum, largest, noise_of_row);
  }

  const MechanicalSystem& system_;
  std::unique_ptr<Workspace> w_;
  double t_;
  const VectorXd& q_;
  const VectorXd& v_;
  std::string names_;
};

}  // namespace

Status check_degenerate_constraints(const MechanicalSystem& system, double t, const VectorXd& q, const VectorXd& v) {
  return DegenerateConstraints(system, t, q, v).run();
}

}  // namespace sunlagrange::internal
