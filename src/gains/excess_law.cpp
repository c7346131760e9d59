// SPDX-License-Identifier: BSD-3-Clause
#include "gains/excess_law.hpp"

#include <algorithm>
#include <cmath>

#include <sunlagrange/internal/difference_step.hpp>

#include "linear_algebra/vector_map.hpp"

namespace sunlagrange::internal {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// x^T A x with the leading block of A that x fits; no allocation.
double quadratic_form(const MatrixXd& A, const VectorXd& x) {
  double sum = 0.0;
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    for (Eigen::Index i = 0; i < x.size(); ++i) sum += x[i] * A(i, j) * x[j];
  }
  return sum;
}

}  // namespace

ExcessLaw::ExcessLaw(ExcessEnergy energy, const MechanicalSystem& system, const Scales& scales, const GainMatrix& K_D,
                     const GainMatrix& K_P)
    : energy_(std::move(energy)),
      scales_(scales),
      natural_scales_(system.natural_scales()),
      m_g_(K_P.size()),
      m_(K_D.size()),
      factor_(m_),
      block_(m_g_),
      whole_(m_),
      q_(system.num_positions()),
      v_(system.num_positions()),
      shifted_(system.num_positions()),
      shifted_velocity_(system.num_positions()),
      mass_(m_, m_),
      rate_(m_, m_),
      other_(m_, m_),
      stiffness_(energy_.coupled_stiffness ? m_ : m_g_, m_g_),
      constant_rate_(K_D.dense()),
      constant_position_(MatrixXd::Zero(m_, m_g_)) {
  constant_position_.topRows(m_g_) = K_P.dense();
}

const char* ExcessLaw::lost(Verdict verdict) {
  switch (verdict) {
    case Verdict::good:
      break;
    case Verdict::mass:
      return "mass is not symmetric positive definite";
    case Verdict::stiffness:
      return "stiffness is not symmetric positive semidefinite (its m_g x m_g block)";
    case Verdict::dissipation:
      return "dissipation is not positive semidefinite (its symmetric part)";
  }
  return "";
}

MatrixXd ExcessLaw::error_matrix(const MatrixXd& K_D, const MatrixXd& K_P) {
  const Eigen::Index m = K_D.rows();
  const Eigen::Index m_g = K_P.cols();
  MatrixXd A = MatrixXd::Zero(m_g + m, m_g + m);
  A.block(0, m_g, m_g, m_g).setIdentity();
  A.bottomLeftCorner(m, m_g) = -K_P;
  A.bottomRightCorner(m, m) = -K_D;
  return A;
}

ExcessLaw::Verdict ExcessLaw::renew(double t, const double* q, const double* v, MatrixXd& K_D, MatrixXd& K_P,
                                    const double* a) {
  q_ = as_vector(q, q_.size());
  v_ = as_vector(v, v_.size());
  K_P.setZero();
  K_D.setZero();
  if (energy_.dissipation) {
    fill_excess_matrix("dissipation", K_D, [&](MatrixXd& c) { energy_.dissipation(t, q_, v_, c); });
    if (!whole_.semidefinite(K_D, false)) return Verdict::dissipation;
  }
  if (energy_.stiffness) {
    stiffness_.setZero();
    fill_excess_matrix("stiffness", stiffness_, [&](MatrixXd& k) { energy_.stiffness(t, q_, k); });
    if (!block_.semidefinite(stiffness_, true) || !stiffness_.allFinite()) return Verdict::stiffness;
    K_P.topRows(stiffness_.rows()) = stiffness_;
  }
  if (has_mass()) {
    mass(t, q_, v_, mass_);
    if (!factor_.factorize(mass_)) return Verdict::mass;
    add_mass_rate(t, a, K_D);
    factor_.solve_in_place(K_D);
    factor_.solve_in_place(K_P);
  }
  if (!energy_.dissipation) K_D += constant_rate_;
  if (!energy_.stiffness) K_P += constant_position_;
  return Verdict::good;
}

void ExcessLaw::mass(double t, const VectorXd& q, const VectorXd& v, MatrixXd& m) {
  m.setZero();
  if (energy_.mass_of_motion)
    fill_excess_matrix("mass_of_motion", m, [&](MatrixXd& filled) { energy_.mass_of_motion(t, q, v, filled); });
  else
    fill_excess_matrix("mass", m, [&](MatrixXd& filled) { energy_.mass(t, q, filled); });
}

/// A central difference of m along (1, v, a).
void ExcessLaw::add_mass_rate(double t, const double* a, MatrixXd& target) {
  rate_.setZero();
  if (energy_.mass_rate) {
    fill_excess_matrix("mass_rate", rate_, [&](MatrixXd& rate) { energy_.mass_rate(t, q_, v_, rate); });
    target += rate_;
    return;
  }
  const double speed = v_.cwiseQuotient(natural_scales_).lpNorm<Eigen::Infinity>();
  double s = difference_step * scales_.time;  // of the central difference for m'
  if (speed * scales_.time > scales_.position) s = difference_step * scales_.position / speed;
  const auto mass_at = [&](double side, MatrixXd& m) {
    shifted_ = q_ + side * v_;
    shifted_velocity_ = v_;
    if (a != nullptr) shifted_velocity_ += side * as_vector(a, v_.size());
    mass(t + side, shifted_, shifted_velocity_, m);
  };
  mass_at(s, rate_);
  mass_at(-s, other_);
  rate_ -= other_;
  target += rate_ / (2.0 * s);
}

void ExcessLaw::acceleration_matrix(double t, const VectorXd& v_y, MatrixXd& E) {
  shifted_velocity_ = v_;
  for (Eigen::Index i = 0; i < v_.size(); ++i) {
    const double step = difference_step * scales_.position * natural_scales_[i] / scales_.time;
    shifted_velocity_[i] = v_[i] + step;
    mass(t, q_, shifted_velocity_, rate_);
    shifted_velocity_[i] = v_[i] - step;
    mass(t, q_, shifted_velocity_, other_);
    shifted_velocity_[i] = v_[i];
    rate_ -= other_;
    E.col(i).noalias() = rate_ * v_y;
    E.col(i) /= 2.0 * step;
  }
  factor_.solve_in_place(E);
}

/// 1/2 v_y^T m v_y + sign/2 y^T k y.
double ExcessLaw::lagrangian(double t, const VectorXd& q, const VectorXd& y, const VectorXd& v_y, double sign) {
  double sum = 0.0;
  if (has_mass()) {
    mass(t, q, v_, other_);
    sum += 0.5 * quadratic_form(other_, v_y);
  }
  if (energy_.stiffness) {
    stiffness_.setZero();
    fill_excess_matrix("stiffness", stiffness_, [&](MatrixXd& k) { energy_.stiffness(t, q, k); });
    sum += sign * 0.5 * quadratic_form(stiffness_, y);
  }
  return sum;
}

/// 1/2 v_y^T c v_y.
double ExcessLaw::dissipation(double t, const VectorXd& v, const VectorXd& v_y) {
  other_.setZero();
  fill_excess_matrix("dissipation", other_, [&](MatrixXd& c) { energy_.dissipation(t, q_, v, c); });
  return 0.5 * quadratic_form(other_, v_y);
}

void ExcessLaw::tangential_force(double t, const VectorXd& y, const VectorXd& v_y, const VectorXd& f, VectorXd& m2) {
  m2.setZero();
  constexpr double rounding = 1e-16;
  const double force = f.size() == 0 ? 0.0 : f.cwiseProduct(natural_scales_).lpNorm<Eigen::Infinity>();
  double energy = lagrangian(t, q_, y, v_y, 1.0);
  if (energy_.dissipation) energy = std::max(energy, std::abs(dissipation(t, v_, v_y)) * scales_.time);
  if (energy <= rounding * force * scales_.position) return;
  const auto position_step = [this](Eigen::Index i) { return difference_step * scales_.position * natural_scales_[i]; };
  shifted_ = q_;
  for (Eigen::Index i = 0; i < f.size() && (has_mass() || energy_.stiffness); ++i) {
    const double step = position_step(i);
    shifted_[i] = q_[i] + step;
    const double ahead = lagrangian(t, shifted_, y, v_y);
    shifted_[i] = q_[i] - step;
    m2[i] += (ahead - lagrangian(t, shifted_, y, v_y)) / (2.0 * step);
    shifted_[i] = q_[i];
  }
  shifted_ = v_;
  for (Eigen::Index i = 0; i < f.size() && energy_.dissipation; ++i) {
    const double speed_step = position_step(i) / scales_.time;
    shifted_[i] = v_[i] + speed_step;
    const double ahead = dissipation(t, shifted_, v_y);
    shifted_[i] = v_[i] - speed_step;
    m2[i] -= (ahead - dissipation(t, shifted_, v_y)) / (2.0 * speed_step);
    shifted_[i] = v_[i];
  }
}

}  // namespace sunlagrange::internal
