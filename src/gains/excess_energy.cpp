#include <sunlagrange/gains/excess_energy.hpp>

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

}  // namespace sunlagrange
