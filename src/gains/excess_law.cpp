#include "gains/excess_law.hpp"

#include <cmath>

#include <sunlagrange/internal/difference_step.hpp>

#include "linear_algebra/vector_map.hpp"

namespace sunlagrange::internal {

using Eigen::MatrixXd;

ExcessLaw::ExcessLaw(ExcessEnergy energy, int n, const Scales& scales, const GainMatrix& K_D, const GainMatrix& K_P)
    : energy_(std::move(energy)),
      scales_(scales),
      m_g_(K_P.size()),
      m_(K_D.size()),
      factor_(m_),
      block_(m_g_),
      whole_(m_),
      q_(n),
      v_(n),
      shifted_(n),
      mass_(m_, m_),
      rate_(m_, m_),
      other_(m_, m_),
      stiffness_(energy_.coupled_stiffness ? m_ : m_g_, m_g_),
      constant_rate_(K_D.dense()),
      constant_position_(MatrixXd::Zero(m_, m_g_)) {
  constant_position_.topRows(m_g_) = K_P.dense();
}

ExcessLaw::Verdict ExcessLaw::renew(double t, const double* q, const double* v, MatrixXd& K_D, MatrixXd& K_P) {
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
  if (energy_.mass) {
    mass_.setZero();
    fill_excess_matrix("mass", mass_, [&](MatrixXd& m) { energy_.mass(t, q_, m); });
    if (!factor_.factorize(mass_)) return Verdict::mass;
    add_mass_rate(t, K_D);
    factor_.solve_in_place(K_D);
    factor_.solve_in_place(K_P);
  }
  if (!energy_.dissipation) K_D += constant_rate_;
  if (!energy_.stiffness) K_P += constant_position_;
  return Verdict::good;
}

void ExcessLaw::add_mass_rate(double t, MatrixXd& target) {
  rate_.setZero();
  if (energy_.mass_rate) {
    fill_excess_matrix("mass_rate", rate_, [&](MatrixXd& rate) { energy_.mass_rate(t, q_, v_, rate); });
    target += rate_;
    return;
  }
  const double speed = v_.lpNorm<Eigen::Infinity>();
  double s = difference_step * scales_.time;  // of the central difference for m'
  if (speed * scales_.time > scales_.position) s = difference_step * scales_.position / speed;
  other_.setZero();
  shifted_ = q_ + s * v_;
  fill_excess_matrix("mass", rate_, [&](MatrixXd& m) { energy_.mass(t + s, shifted_, m); });
  shifted_ = q_ - s * v_;
  fill_excess_matrix("mass", other_, [&](MatrixXd& m) { energy_.mass(t - s, shifted_, m); });
  rate_ -= other_;
  target += rate_ / (2.0 * s);
}

}  // namespace sunlagrange::internal
