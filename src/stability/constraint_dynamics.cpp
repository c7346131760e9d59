// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/stability/constraint_dynamics.hpp>

#include <cmath>
#include <string>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/model/kinematic_program.hpp>

#include "model/checks/required_system.hpp"
#include "model/evaluation.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

std::string size_of(const MatrixXd& matrix) {
  return std::to_string(matrix.rows()) + " x " + std::to_string(matrix.cols());
}

void require_square_and_finite(const MatrixXd& matrix, const char* name) {
  if (matrix.rows() == 0 || matrix.rows() != matrix.cols())
    throw Error(std::string("constraint dynamics: ") + name + " is " + size_of(matrix) + ", must be square");
  if (!matrix.allFinite())
    throw Error(std::string("constraint dynamics: ") + name + " has an entry that is not finite");
}

void require_positive(double value, const char* name, const char* advice) {
  if (std::isfinite(value) && value > 0.0) return;
  throw Error(std::string("constraint dynamics: ") + name + " = " + text(value) + " must be positive; " + advice);
}

void require_rows(int m, const char* name) {
  if (m < 1) throw Error(std::string("constraint dynamics: ") + name + " = " + std::to_string(m) + " must be positive");
}

MatrixXd expanded(const Gain& gain, int m, const std::string& field, bool allow_zero) {
  if (gain.automatic()) {
    throw Error("constraint dynamics: " + field +
                " is automatic; give the value that is used (FirstOrderForm::facts() and reports show it)");
  }
  return gain.matrix(m, field, allow_zero).dense();
}

/// Returns 1 / omega_i for g', where omega_i^2 is the stiffness of row i or, without stiffness, its damping.
void take_units(const MatrixXd& K, int m_g, VectorXd& scale) {
  for (int i = 0; i < m_g; ++i) {
    const double stiffness = -K(m_g + i, i);
    const double damping = -K(m_g + i, m_g + i);
    if (stiffness > 0.0)
      scale[m_g + i] = 1.0 / std::sqrt(stiffness);
    else if (damping > 0.0)
      scale[m_g + i] = 1.0 / damping;
  }
}

}  // namespace

ConstraintDynamics ConstraintDynamics::from_matrix(const MatrixXd& K, const VectorXd& scale) {
  require_square_and_finite(K, "K");
  ConstraintDynamics result;
  result.size_ = static_cast<int>(K.rows());
  result.constant_ = K;
  result.scale_ = scale.size() == 0 ? VectorXd::Ones(K.rows()) : scale;
  if (result.scale_.size() != K.rows() || !result.scale_.allFinite() || result.scale_.minCoeff() <= 0.0)
    throw Error("constraint dynamics: scale needs " + std::to_string(K.rows()) +
                " positive entries, one per entry of e");
  return result;
}

ConstraintDynamics ConstraintDynamics::first_order(double k, int m) {
  require_positive(k, "k",
                   "K = -k, and the sign printed with [002, Example 2] is unstable (erratum F1); for another law use "
                   "from_matrix");
  require_rows(m, "m");
  return from_matrix(-k * MatrixXd::Identity(m, m));
}

ConstraintDynamics ConstraintDynamics::first_order(const MatrixXd& gain) {
  require_square_and_finite(gain, "gain");
  return from_matrix(-gain);
}

ConstraintDynamics ConstraintDynamics::second_order(const Gains& gains, int m_g, int m_psi) {
  if (m_g < 0 || m_psi < 0 || m_g + m_psi == 0) {
    throw Error("constraint dynamics: m_g = " + std::to_string(m_g) + ", m_psi = " + std::to_string(m_psi) +
                ": must not be negative, and one of them positive");
  }
  const int r = 2 * m_g + m_psi;
  MatrixXd K = MatrixXd::Zero(r, r);
  VectorXd scale = VectorXd::Ones(r);
  if (m_g > 0) {
    K.block(0, m_g, m_g, m_g).setIdentity();
    K.block(m_g, 0, m_g, m_g) = -expanded(gains.K_P, m_g, "K_P", true);
    K.block(m_g, m_g, m_g, m_g) = -expanded(gains.K_D, m_g, "K_D", true);
    take_units(K, m_g, scale);
  }
  if (m_psi > 0) K.bottomRightCorner(m_psi, m_psi) = -expanded(gains.K_N, m_psi, "K_N", true);
  ConstraintDynamics result = from_matrix(K, scale);
  result.second_order_ = m_g > 0;
  return result;
}

ConstraintDynamics ConstraintDynamics::second_order(double omega, double zeta, int m_g) {
  require_positive(omega, "omega", "it is the natural frequency of the constraint error in rad/s");
  require_positive(zeta, "zeta", "1 is critical damping");
  require_rows(m_g, "m_g");
  return second_order(Gains::natural_frequency(omega, zeta), m_g);
}

ConstraintDynamics ConstraintDynamics::time_dependent(int r, OfTime K, std::vector<OfTime> derivatives) {
  require_rows(r, "r");
  if (!K) throw Error("constraint dynamics: K(t) is empty");
  ConstraintDynamics result;
  result.size_ = r;
  result.of_time_ = std::move(K);
  result.derivatives_ = std::move(derivatives);
  result.scale_ = VectorXd::Ones(r);
  return result;
}

ConstraintDynamics ConstraintDynamics::state_dependent(int r, OfState K) {
  require_rows(r, "r");
  if (!K) throw Error("constraint dynamics: K(t, y) is empty");
  ConstraintDynamics result;
  result.size_ = r;
  result.of_state_ = std::move(K);
  result.scale_ = VectorXd::Ones(r);
  return result;
}

ConstraintDynamics ConstraintDynamics::extended(const ExcessEnergy& excess,
                                                std::shared_ptr<const MechanicalSystem> system,
                                                const MotionState& start, const Gains& gains) {
  require_system(system, "constraint dynamics");
  const int m_g = system->num_position_constraints();
  const MatrixXd first = error_matrix(excess, *system, start.t, start.q, start.v, gains);
  const int n = system->num_positions();
  ConstraintDynamics result =
      state_dependent(static_cast<int>(first.rows()), [excess, system, gains, n](double t, const VectorXd& y) {
        return error_matrix(excess, *system, t, y.head(n), y.tail(n), gains);
      });
  take_units(first, m_g, result.scale_);
  result.second_order_ = m_g > 0;
  return result;
}

ConstraintDynamics ConstraintDynamics::of_program(std::shared_ptr<const MechanicalSystem> program, const Gains& gains) {
  if (program == nullptr || program->program() == nullptr)
    throw Error("constraint dynamics: of_program() needs a kinematic program, see make_program()");
  const int m = program->num_constraints();
  if (program->program()->feedback == nullptr) return first_order(expanded(gains.K_N, m, "K_N", true));
  const std::shared_ptr<Workspace> w = make_workspace(*program, Storage::sparse);
  return state_dependent(m, [program, w, m](double t, const VectorXd& y) {
    const VectorXd rest = VectorXd::Zero(y.size());
    MatrixXd K(m, m);
    if (!evaluate_system(*program, request::constraint, {t, y.data(), rest.data(), nullptr, nullptr}, *w) ||
        !program->program()->feedback->derivative(t, y.data(), w->g.data(), K.data()))
      K.setConstant(NAN);
    return K;
  });
}

MatrixXd ConstraintDynamics::K(double t, const VectorXd& y) const {
  if (is_constant()) return constant_;
  if (of_state_ && y.size() == 0) {
    throw Error(
        "constraint dynamics: K depends on y, and there is none here; use a certificate along a run, or "
        "time_dependent with K along a curve");
  }
  MatrixXd value = of_state_ ? of_state_(t, y) : of_time_(t);
  if (value.rows() != size_ || value.cols() != size_) {
    throw Error("constraint dynamics: K at t = " + text(t) + " is " + size_of(value) + ", must be " +
                std::to_string(size_) + " x " + std::to_string(size_));
  }
  return value;
}

MatrixXd ConstraintDynamics::derivative(int order, double t, double tau) const {
  if (order < 1 || order > 3)
    throw Error("constraint dynamics: derivative of order " + std::to_string(order) + "; 1 to 3 are offered");
  if (is_constant()) return MatrixXd::Zero(size_, size_);
  const auto index = static_cast<std::size_t>(order - 1);
  if (index < derivatives_.size() && derivatives_[index]) return derivatives_[index](t);
  // central differences on seven points, weights of K(t + j h), j = 0 ... 3
  static constexpr double weights[3][4] = {{0.0, 45.0 / 60.0, -9.0 / 60.0, 1.0 / 60.0},
                                           {-490.0 / 180.0, 270.0 / 180.0, -27.0 / 180.0, 2.0 / 180.0},
                                           {0.0, -13.0 / 8.0, 1.0, -1.0 / 8.0}};
  const double h = tau / 4.0;
  const double sign = order == 2 ? 1.0 : -1.0;
  MatrixXd sum = weights[index][0] * K(t);
  for (int j = 1; j <= 3; ++j) sum += weights[index][j] * (K(t + j * h) + sign * K(t - j * h));
  return sum / std::pow(h, order);
}

}  // namespace sunlagrange
