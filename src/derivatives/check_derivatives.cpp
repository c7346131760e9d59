#include <sunlagrange/derivatives/check_derivatives.hpp>

#include <cmath>
#include <random>
#include <sstream>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/internal/difference_step.hpp>

#include "base/columns.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Values whose derivatives are checked, at one point.
struct Values {
  VectorXd g, velocity, acceleration, residual;  // g; (g', psi); G a - gamma; M a + G^T lambda - f
};

class Checker {
 public:
  Checker(const std::shared_ptr<const MechanicalSystem>& system, double t, const VectorXd& q, const VectorXd& v,
          unsigned seed)
      : system_(system), w_(system->make_workspace(Storage::dense)), t_(t), q_(q), v_(v) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    a_ = VectorXd::NullaryExpr(n(), [&] { return uniform(random); });
    lambda_ = VectorXd::NullaryExpr(m(), [&] { return uniform(random); });
  }

  DerivativeCheck run(double tolerance) {
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
    MatrixXd G_difference(m(), n());
    G_difference << by_q([](const Values& x) { return x.g; }),
        by_v([](const Values& x) { return x.velocity; }).bottomRows(m_psi);
    compare("constraint_jacobian", G, G_difference, true);
    compare("constraint rate (g')", velocity.head(m_g), along_motion([](const Values& x) { return x.g; }), true);
    compare("acceleration bias (gamma)", acceleration_along, along_motion([](const Values& x) { return x.velocity; }),
            true);
    compare("d(g', psi)/dq", V_q, by_q([](const Values& x) { return x.velocity; }), true);
    compare("d(g'', psi')/dq", A_q, by_q([](const Values& x) { return x.acceleration; }), true);
    compare("d(g'', psi')/dv", A_v, by_v([](const Values& x) { return x.acceleration; }), true);
    compare("d(M a + G^T lambda - f)/dq", r_q, by_q([](const Values& x) { return x.residual; }), false);
    compare("d(M a + G^T lambda - f)/dv", r_v, by_v([](const Values& x) { return x.residual; }), false);
    for (const DerivativeEntry& e : result_.worst) result_.passed = result_.passed && e.error <= tolerance;
    return result_;
  }

 private:
  int n() const { return system_->num_positions(); }
  int m() const { return system_->num_constraints(); }

  void evaluate(unsigned what, double t, const VectorXd& q, const VectorXd& v) {
    if (!system_->evaluate(what, {t, q.data(), v.data(), a_.data(), lambda_.data()}, *w_)) {
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

  template <class F>
  static MatrixXd jacobian(F&& f, const VectorXd& at) {
    MatrixXd result;
    VectorXd x = at;
    for (Eigen::Index j = 0; j < at.size(); ++j) {
      const double h = difference_step * (1.0 + std::abs(at[j]));
      x[j] = at[j] + h;
      const VectorXd plus = f(x);
      x[j] = at[j] - h;
      const VectorXd minus = f(x);
      x[j] = at[j];
      if (j == 0) result.resize(plus.size(), at.size());
      result.col(j) = (plus - minus) / (2.0 * h);
    }
    return result;
  }

  /// d/ds at (t + s, q + s v + s^2 a/2, v + s a): what g' and g'' (psi') mean.
  template <class Pick>
  VectorXd along_motion(Pick&& pick) {
    const double s = difference_step / (1.0 + v_.lpNorm<Eigen::Infinity>());
    const auto at = [&](double x) { return pick(values(t_ + x, q_ + x * v_ + 0.5 * x * x * a_, v_ + x * a_)); };
    const VectorXd plus = at(s);
    return (plus - at(-s)) / (2.0 * s);
  }

  void compare(const char* quantity, const MatrixXd& supplied, const MatrixXd& difference, bool constraint_rows) {
    if (supplied.size() == 0) return;
    const double scale = std::max(1.0, difference.cwiseAbs().maxCoeff());
    DerivativeEntry worst;
    worst.quantity = quantity;
    for (Eigen::Index i = 0; i < supplied.rows(); ++i) {
      for (Eigen::Index j = 0; j < supplied.cols(); ++j) {
        const double error = std::abs(supplied(i, j) - difference(i, j)) / scale;
        if (error <= worst.error && !worst.row.empty()) continue;
        worst.row = constraint_rows ? system_->constraint_name(static_cast<int>(i))
                                    : system_->position_name(static_cast<int>(i));
        worst.column = supplied.cols() == 1 && n() != 1 ? "-" : system_->position_name(static_cast<int>(j));
        worst.supplied = supplied(i, j);
        worst.difference = difference(i, j);
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

std::string DerivativeCheck::text() const {
  std::vector<std::vector<std::string>> rows = {
      {"derivative", "worst row", "column", "supplied", "difference", "error"}};
  for (const DerivativeEntry& e : worst) {
    rows.push_back({e.quantity, e.row, e.column, sunlagrange::text(e.supplied), sunlagrange::text(e.difference),
                    sunlagrange::text(e.error)});
  }
  return columns("llllll", rows);
}

DerivativeCheck check_derivatives(const std::shared_ptr<const MechanicalSystem>& system, double t, const VectorXd& q,
                                  const VectorXd& v, double tolerance, unsigned seed) {
  if (q.size() != system->num_positions() || v.size() != system->num_positions()) {
    throw Error("check_derivatives: q and v need " + std::to_string(system->num_positions()) + " entries");
  }
  return Checker(system, t, q, v, seed).run(tolerance);
}

}  // namespace sunlagrange
