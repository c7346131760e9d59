// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/gains/excess_energy.hpp>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/model/mechanical_system.hpp>

#include "gains/excess_law.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

/// A matrix of the full system, of which some rows and columns are left.
struct ActiveBlock {
  const char* field;
  std::vector<int> rows, columns;
  Eigen::MatrixXd full;

  /// fill(full) at full size, then the entries that are left.
  template <class Fill>
  void operator()(Eigen::MatrixXd& active, Fill&& fill) {
    full.setZero();
    fill_excess_matrix(field, full, fill);
    for (Eigen::Index j = 0; j < active.cols(); ++j) {
      for (Eigen::Index i = 0; i < active.rows(); ++i) active(i, j) = full(rows.data()[i], columns.data()[j]);
    }
  }
};

}  // namespace

ExcessEnergy ExcessEnergy::restricted(int m_g, int m_psi, const std::vector<int>& rows) const {
  const int m = m_g + m_psi;
  std::vector<int> g_rows;
  for (const int row : rows) {
    if (row < m_g) g_rows.push_back(row);
  }
  const auto square = [&](const char* field) { return ActiveBlock{field, rows, rows, Eigen::MatrixXd(m, m)}; };
  ExcessEnergy active;
  active.coupled_stiffness = coupled_stiffness;
  if (mass) {
    active.mass = [full = mass, block = square("mass")](double t, const Eigen::VectorXd& q,
                                                        Eigen::MatrixXd& m_of_rows) mutable {
      block(m_of_rows, [&](Eigen::MatrixXd& all) { full(t, q, all); });
    };
  }
  if (mass_of_motion) {
    active.mass_of_motion = [full = mass_of_motion, block = square("mass_of_motion")](
                                double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                Eigen::MatrixXd& m_of_rows) mutable {
      block(m_of_rows, [&](Eigen::MatrixXd& all) { full(t, q, v, all); });
    };
  }
  if (mass_rate) {
    active.mass_rate = [full = mass_rate, block = square("mass_rate")](double t, const Eigen::VectorXd& q,
                                                                       const Eigen::VectorXd& v,
                                                                       Eigen::MatrixXd& rate) mutable {
      block(rate, [&](Eigen::MatrixXd& all) { full(t, q, v, all); });
    };
  }
  if (stiffness) {
    ActiveBlock part{"stiffness", coupled_stiffness ? rows : g_rows, g_rows,
                     Eigen::MatrixXd(coupled_stiffness ? m : m_g, m_g)};
    active.stiffness = [full = stiffness, block = std::move(part)](double t, const Eigen::VectorXd& q,
                                                                   Eigen::MatrixXd& k) mutable {
      block(k, [&](Eigen::MatrixXd& all) { full(t, q, all); });
    };
  }
  if (dissipation) {
    active.dissipation = [full = dissipation, block = square("dissipation")](
                             double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v, Eigen::MatrixXd& c) mutable {
      block(c, [&](Eigen::MatrixXd& all) { full(t, q, v, all); });
    };
  }
  return active;
}

Eigen::MatrixXd error_matrix(const ExcessEnergy& excess, const MechanicalSystem& system, double t,
                             const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Gains& gains,
                             const Eigen::VectorXd& a) {
  const int n = system.num_positions();
  const int m_g = system.num_position_constraints();
  const int m_psi = system.num_velocity_constraints();
  if (q.size() != n || v.size() != n) {
    throw Error("error_matrix: q has " + std::to_string(q.size()) + " and v " + std::to_string(v.size()) +
                " entries, the system has n = " + std::to_string(n));
  }
  if (excess.mass_of_motion && a.size() != n) {
    throw Error("error_matrix: mass_of_motion needs v', which has " + std::to_string(a.size()) +
                " entries; the system has n = " + std::to_string(n));
  }
  const auto left_out = [](bool given, const Gain& gain, int rows, const char* field) {
    if (given || rows == 0) return GainMatrix::scalar(rows, 0.0);
    if (gain.automatic())
      throw Error(std::string("error_matrix: ") + field + " takes the place of what is left out, and is automatic");
    return gain.matrix(rows, field, true);
  };
  const bool damped = excess.dissipation != nullptr;
  const GainMatrix rate =
      GainMatrix::block_diagonal(left_out(damped, gains.K_D, m_g, "K_D"), left_out(damped, gains.K_N, m_psi, "K_N"));
  MotionState here;
  here.q = q;
  here.v = v;
  ExcessLaw law(excess, system, characteristic_scales(system, here), rate,
                left_out(excess.stiffness != nullptr, gains.K_P, m_g, "K_P"));
  Eigen::MatrixXd K_D(m_g + m_psi, m_g + m_psi), K_P(m_g + m_psi, m_g);
  const ExcessLaw::Verdict verdict =
      law.renew(t, q.data(), v.data(), K_D, K_P, excess.mass_of_motion ? a.data() : nullptr);
  if (verdict != ExcessLaw::Verdict::good)
    throw Error(std::string("error_matrix: excess ") + ExcessLaw::lost(verdict) + " at t = " + text(t));
  return ExcessLaw::error_matrix(K_D, K_P);
}

}  // namespace sunlagrange
