// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/derivatives/check_derivatives.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>

#include "base/columns.hpp"
#include "base/words.hpp"
#include "model/checks/examination.hpp"
#include "model/evaluation.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The quantities whose derivatives are checked, at one point.
struct Values {
  VectorXd g, velocity, acceleration, residual;  // g; (g', psi); G a - gamma; M a + G^T lambda - f
};

/// Central differences, entry by entry.
struct Differences {
  MatrixXd value, step;
  VectorXd size;  ///< size of the terms in each row of the differentiated quantity

  double rounding(Eigen::Index i, Eigen::Index j) const {
    return 16.0 * std::numeric_limits<double>::epsilon() * size[i] / step(i, j);
  }
};

class Checker {
 public:
  Checker(const std::shared_ptr<const MechanicalSystem>& system, double t, const VectorXd& q, const VectorXd& v,
          unsigned seed)
      : system_(system), w_(make_workspace(*system, Storage::dense)), t_(t), q_(q), v_(v) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    a_ = VectorXd::NullaryExpr(n(), [&] { return uniform(random); });
    lambda_ = VectorXd::NullaryExpr(m(), [&] { return uniform(random); });
  }

  DerivativeCheck run(double tolerance) {
    result_.tolerance = tolerance;
    result_.members = system_->members();
    result_.model = examine(*system_, t_, q_, v_, Purpose::derivatives);
    evaluate(request::acceleration_level | request::tangent, t_, q_, v_);
    const MatrixXd G = w_->G.dense(), V_q = w_->V_q.dense(), A_q = w_->A_q.dense(), A_v = w_->A_v.dense();
    const MatrixXd r_q = w_->r_q.dense(), r_v = w_->r_v.dense();
    const VectorXd velocity = w_->g_rate;
    const VectorXd acceleration_along = acceleration();
    const int m_g = system_->num_position_constraints();
    const int m_psi = m() - m_g;

    const auto by_q = [this](auto&& pick) {
      return jacobian([&](const VectorXd& x) { return pick(values(t_, x, v_)); }, q_);
    };
    const auto by_v = [this](auto&& pick) {
      return jacobian([&](const VectorXd& x) { return pick(values(t_, q_, x)); }, v_);
    };
    const Differences of_g = by_q([](const Values& x) { return x.g; });
    const Differences of_psi = by_v([m_psi](const Values& x) { return VectorXd(x.velocity.tail(m_psi)); });
    Differences G_difference{MatrixXd(m(), n()), MatrixXd(m(), n()), VectorXd(m())};
    G_difference.value << of_g.value, of_psi.value;
    G_difference.step << of_g.step, of_psi.step;
    G_difference.size << of_g.size, of_psi.size;
    const VectorXd size_of_g = G.topRows(m_g).cwiseAbs() * q_.cwiseAbs();
    const VectorXd size_of_rates = V_q.cwiseAbs() * q_.cwiseAbs() + G.cwiseAbs() * v_.cwiseAbs();
    compare("constraint_jacobian", G, G_difference, true);
    compare("constraint rate (g')", velocity.head(m_g), along_motion([](const Values& x) { return x.g; }, size_of_g),
            true);
    compare("acceleration bias (gamma)", acceleration_along,
            along_motion([](const Values& x) { return x.velocity; }, size_of_rates), true);
    compare("d(g', psi)/dq", V_q, by_q([](const Values& x) { return x.velocity; }), true);
    compare("d(g'', psi')/dq", A_q, by_q([](const Values& x) { return x.acceleration; }), true);
    compare("d(g'', psi')/dv", A_v, by_v([](const Values& x) { return x.acceleration; }), true);
    compare("d(M a + G^T lambda - f)/dq", r_q, by_q([](const Values& x) { return x.residual; }), false);
    compare("d(M a + G^T lambda - f)/dv", r_v, by_v([](const Values& x) { return x.residual; }), false);
    result_.passed = result_.model.finished();
    for (const DerivativeEntry& e : result_.worst) result_.passed = result_.passed && e.error <= tolerance;
    return result_;
  }

 private:
  int n() const { return system_->num_positions(); }
  int m() const { return system_->num_constraints(); }

  void evaluate(unsigned what, double t, const VectorXd& q, const VectorXd& v) {
    if (!evaluate_system(*system_, what, {t, q.data(), v.data(), a_.data(), lambda_.data()}, *w_)) {
      throw Error("check_derivatives: the model declines the point t = " + std::to_string(t) + " or a point near it");
    }
  }
  VectorXd acceleration() const { return w_->G.times(a_) - w_->gamma; }

  Values values(double t, const VectorXd& q, const VectorXd& v) {
    evaluate(request::acceleration_level, t, q, v);
    Values x;
    x.g = w_->g;
    x.velocity = w_->g_rate;
    x.acceleration = acceleration();
    x.residual = -w_->f;
    x.residual += w_->M * a_;
    x.residual += w_->G.transposed() * lambda_;
    return x;
  }

  /// Returns the central differences of f between h and -h, with steps from `longest` down, each a quarter of the one
  /// before. The best is the one where two of them agree and rounding is small. Steps that leave the domain are left
  /// out.
  template <class F>
  static Differences difference(F&& f, double longest) {
    constexpr int steps = 12;
    Differences best;
    VectorXd previous, uncertainty;
    double h = longest;
    for (int k = 0; k < steps; ++k, h *= 0.25) {
      VectorXd plus, minus;
      try {
        plus = f(h);
        minus = f(-h);
      } catch (...) {
        if (k + 1 == steps && uncertainty.size() == 0) throw;
        continue;
      }
      const VectorXd now = (plus - minus) / (2.0 * h);
      if (uncertainty.size() == 0) {
        best = {now, VectorXd::Constant(now.size(), h), plus.cwiseAbs().cwiseMax(minus.cwiseAbs())};
        uncertainty = VectorXd::Constant(now.size(), INFINITY);
      } else {
        for (Eigen::Index i = 0; i < now.size(); ++i) {
          const double rounding = std::numeric_limits<double>::epsilon() * best.size[i] / h;
          const double uncertain = std::abs(now[i] - previous[i]) + rounding;
          if (!(uncertain < uncertainty[i])) continue;
          uncertainty[i] = uncertain;
          best.value(i, 0) = now[i];
          best.step(i, 0) = h;
        }
      }
      previous = now;
    }
    return best;
  }

  /// Returns a tenth of the largest entry, or of 1 if all are zero.
  static double longest_step(const VectorXd& x) {
    const double largest = x.lpNorm<Eigen::Infinity>();
    return 0.1 * (largest > 0.0 ? largest : 1.0);
  }

  template <class F>
  static Differences jacobian(F&& f, const VectorXd& at) {
    Differences result;
    VectorXd x = at;
    for (Eigen::Index j = 0; j < at.size(); ++j) {
      const auto moved = [&](double h) {
        x[j] = at[j] + h;
        return VectorXd(f(x));
      };
      const Differences column = difference(moved, longest_step(at));
      x[j] = at[j];
      if (j == 0) {
        result.value.resize(column.value.rows(), at.size());
        result.step.resize(column.value.rows(), at.size());
        result.size = column.size;
      }
      result.value.col(j) = column.value;
      result.step.col(j) = column.step;
      result.size = result.size.cwiseMax(column.size);
    }
    result.size = result.size.cwiseMax(result.value.cwiseAbs() * at.cwiseAbs());
    return result;
  }

  /// d/ds at (t + s, q + s v + s^2 a/2, v + s a): which gives g' and g'' (psi').
  template <class Pick>
  Differences along_motion(Pick&& pick, const VectorXd& size) {
    const double rate = std::max({v_.lpNorm<Eigen::Infinity>(), a_.lpNorm<Eigen::Infinity>(), 1e-300});
    Differences result = difference(
        [&](double s) { return VectorXd(pick(values(t_ + s, q_ + s * v_ + 0.5 * s * s * a_, v_ + s * a_))); },
        std::min(longest_step(q_) / rate, 0.1));
    result.size = result.size.cwiseMax(size);
    return result;
  }

  void compare(const char* quantity, const MatrixXd& supplied, const Differences& difference, bool constraint_rows) {
    if (supplied.size() == 0) return;
    const double scale = std::max(supplied.cwiseAbs().maxCoeff(), difference.value.cwiseAbs().maxCoeff());
    DerivativeEntry worst;
    worst.quantity = quantity;
    for (Eigen::Index i = 0; i < supplied.rows(); ++i) {
      for (Eigen::Index j = 0; j < supplied.cols(); ++j) {
        const double apart = std::abs(supplied(i, j) - difference.value(i, j));
        const double rounding = difference.rounding(i, j);
        const double error = apart <= rounding ? 0.0 : (apart - rounding) / scale;  // not a number: not rounding
        if (error <= worst.error && !worst.row.empty()) continue;
        worst.row = constraint_rows ? system_->constraint_name(static_cast<int>(i))
                                    : system_->position_name(static_cast<int>(i));
        worst.column = supplied.cols() == 1 && n() != 1 ? "-" : system_->position_name(static_cast<int>(j));
        worst.supplied = supplied(i, j);
        worst.difference = difference.value(i, j);
        worst.error = std::isfinite(error) ? error : INFINITY;
      }
    }
    result_.worst.push_back(worst);
  }

  std::shared_ptr<const MechanicalSystem> system_;
  std::unique_ptr<Workspace> w_;
  double t_;
  VectorXd q_, v_, a_, lambda_;
  DerivativeCheck result_;
};

}  // namespace

std::string DerivativeCheck::verdict() const {
  if (!model.finished()) return "failed: " + model.message;
  if (worst.empty()) return "passed: there is no derivative to check";
  // the first one in their order, because later ones depend on it
  const auto wrong = std::find_if(worst.begin(), worst.end(), [&](const auto& e) { return !(e.error <= tolerance); });
  if (wrong == worst.end())
    return "passed: all derivatives agree with differences to " + sunlagrange::text(tolerance) +
           " of their largest entry";
  return "failed: " + wrong->quantity + ", row \"" + wrong->row + "\"" +
         (wrong->column == "-" ? "" : ", column \"" + wrong->column + "\"") + ": supplied " +
         sunlagrange::text(wrong->supplied) + ", difference " + sunlagrange::text(wrong->difference) +
         "; correct the member that supplies it, or leave it out";
}

std::string DerivativeCheck::text() const {
  std::vector<std::vector<std::string>> rows = {
      {"derivative", "worst row", "column", "supplied", "difference", "error"}};
  for (const DerivativeEntry& e : worst) {
    rows.push_back({e.quantity, e.row, e.column, sunlagrange::text(e.supplied), sunlagrange::text(e.difference),
                    sunlagrange::text(e.error)});
  }
  std::string out = verdict() + "\n" + columns("llllll", rows);
  for (const ElementMembers& m : members) {
    if (m.absent.empty()) continue;
    out += "members not found in " + (m.element == "model" ? "model" : "\"" + m.element + "\"");
    if (m.elements > 1) out += " (and " + std::to_string(m.elements - 1) + " more of its type)";
    out += ": " + joined(m.absent) + "\n";
  }
  return out;
}

DerivativeCheck check_derivatives(const std::shared_ptr<const MechanicalSystem>& system, double t, const VectorXd& q,
                                  const VectorXd& v, double tolerance, unsigned seed) {
  if (q.size() != system->num_positions() || v.size() != system->num_positions()) {
    throw Error("check_derivatives: q and v need " + std::to_string(system->num_positions()) + " entries");
  }
  return Checker(system, t, q, v, seed).run(tolerance);
}

}  // namespace sunlagrange
