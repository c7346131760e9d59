// SPDX-License-Identifier: BSD-3-Clause
#include "model/checks/given_members.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/internal/capabilities.hpp>
#include <sunlagrange/internal/element_group.hpp>

#include "model/evaluation.hpp"

namespace sunlagrange::internal {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// Allowed errors beside a row. Those of G, g' and gamma change the motion as much as a tolerance of this size does;
/// those of Newton matrices change the convergence, and sensitivities.
constexpr double allowed_in_rows = 1e-6, allowed_in_newton_matrices = 1e-4;

/// Least size of a row, in that of the largest one: rounding of large rows reaches small ones where a function solves a
/// linear system, as kinematic programs do.
constexpr double share_of_largest_row = 1e-6;

/// Number of points with an answer that are enough, and sizes of the coordinates of the points that are tried. A
/// negative size: with random signs.
constexpr int enough_points = 2;
constexpr double sizes_of_points[] = {1.0, -1.0, 10.0, -0.1, 100.0, -3.0};

/// Thrown where the elements decline the point.
struct NoAnswer {};

/// Value of a function at a distance s from the point.
using Path = std::function<VectorXd(double s)>;

struct Difference {
  VectorXd value, uncertainty;
};

/// Returns central differences at s = 0, extrapolated to a vanishing step. The steps fall by 4; each entry takes the
/// last one at which two differences still approach each other, for behind it rounding decides.
Difference difference(const Path& path, double size) {
  constexpr int steps = 7;
  constexpr double infinite = std::numeric_limits<double>::infinity();
  Difference best;
  VectorXd previous;
  std::vector<bool> settled;
  double h = 1e-2 * size;
  for (int k = 0; k < steps; ++k, h *= 0.25) {
    const VectorXd plus = path(h), minus = path(-h);
    const VectorXd now = (plus - minus) / (2.0 * h);
    if (k == 0) {
      best = {now, VectorXd::Constant(now.size(), infinite)};
      settled.resize(static_cast<std::size_t>(now.size()), false);
    }
    for (Index i = 0; k > 0 && i < now.size(); ++i) {
      const double largest = std::max(std::abs(plus[i]), std::abs(minus[i]));
      const double uncertain =
          std::abs(now[i] - previous[i]) + 8.0 * std::numeric_limits<double>::epsilon() * largest / h;
      if (settled[static_cast<std::size_t>(i)] || !(uncertain < best.uncertainty[i])) {
        settled[static_cast<std::size_t>(i)] = true;
        continue;
      }
      best.value[i] = now[i] + (now[i] - previous[i]) / 15.0;  // the error falls by 16
      best.uncertainty[i] = uncertain;
    }
    previous = now;
  }
  return best;
}

/// Returns the error of `given` divided by the allowed one. Up to 1 it counts as right, also where the differences are
/// uncertain.
double excess(double given, double found, double uncertainty, double size, double allowed) {
  const double scale = std::max({size, std::abs(found), std::abs(given)});
  if (!(uncertainty < 0.01 * scale)) return 0.0;
  return std::abs(given - found) / (allowed * scale + 10.0 * uncertainty);
}

/// The elements of one type at random points.
class GivenMembers {
 public:
  GivenMembers(const MechanicalSystem& system, const ElementGroup& group, Workspace& w)
      : system_(system), group_(group), w_(w), slots_(group.make_slots(*w.patterns)) {}

  static bool states_anything(const ElementGroup& group) {
    unsigned members = 0;
    for (const char* name : {"constraint_jacobian", "constraint_rows", "constraint_acceleration_bias",
                             "force_jacobians", "inertia_jacobian", "constraint_force_jacobian", "sparsity"})
      members |= requirements::bit_of(name);
    return (group.members() & members) != 0;
  }

  std::string run() {
    std::minstd_rand random(12345U);
    int answers = 0;
    for (const double size : sizes_of_points) {
      place(random, size);
      try {
        std::string found = contradiction();
        if (!found.empty()) {
          beside(random);
          if (!contradiction().empty()) return found;
        }
        if (++answers == enough_points) break;
      } catch (...) {
        continue;  // outside its domain
      }
    }
    return "";
  }

 private:
  int n() const { return system_.num_positions(); }
  int m() const { return system_.num_constraints(); }
  int m_g() const { return system_.num_position_constraints(); }
  bool states(const char* member) const { return (group_.members() & requirements::bit_of(member)) != 0; }

  void place(std::minstd_rand& random, double size) {
    std::uniform_real_distribution<double> uniform(0.1, 1.0);
    const auto numbers = [&](int count) {
      return VectorXd(VectorXd::NullaryExpr(count, [&] {
        const double x = std::abs(size) * uniform(random);
        return size < 0.0 && uniform(random) < 0.5 ? -x : x;
      }));
    };
    size_ = std::abs(size);
    t_ = uniform(random);
    q_ = numbers(n());
    v_ = numbers(n());
    a_ = numbers(n());
    lambda_ = numbers(m());
    direction_ = numbers(n()) / size_;
  }

  void beside(std::minstd_rand& random) {
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (VectorXd* x : {&q_, &v_, &a_, &lambda_, &direction_})
      *x += 0.05 * x->cwiseAbs().cwiseProduct(VectorXd::NullaryExpr(x->size(), [&] { return uniform(random); }));
  }

  void evaluate(unsigned what, double t, const VectorXd& q, const VectorXd& v, const VectorXd& a,
                const VectorXd& lambda) {
    w_.M.set_zero();
    w_.f.setZero();
    w_.r_q.set_zero();
    w_.r_v.set_zero();
    w_.mass_ready = false;
    if (!group_.evaluate(what, {t, q.data(), v.data(), a.data(), lambda.data()}, slots_, w_)) throw NoAnswer();
  }
  VectorXd rows(double t, const VectorXd& q, const VectorXd& v, bool rates) {
    evaluate(request::constraint, t, q, v, a_, lambda_);
    VectorXd all = VectorXd::Zero(m());
    if (rates)
      all = w_.g_rate;
    else
      all.head(m_g()) = w_.g;
    if (!all.allFinite()) throw NoAnswer();
    return all;
  }
  /// Returns the chosen terms of M a + G^T lambda - f.
  VectorXd residual(unsigned terms, const VectorXd& q, const VectorXd& v) {
    evaluate(terms, t_, q, v, a_, lambda_);
    VectorXd r = VectorXd::Zero(n());
    if ((terms & request::mass) != 0) r += w_.M * a_;
    if ((terms & request::jacobian) != 0) r += w_.G.transposed() * lambda_;
    if ((terms & request::force) != 0) r -= w_.f;
    if (!r.allFinite()) throw NoAnswer();
    return r;
  }

  /// Returns the first contradiction at this point; those that follow may be its consequences.
  std::string contradiction() {
    clear_rows();
    constexpr unsigned M = request::mass, f = request::force, G = request::jacobian;
    const bool sparse = states("sparsity"), all_rows = states("constraint_rows");
    const std::pair<bool, std::function<std::string()>> comparisons[] = {
        {sparse, [this] { return mass(); }},
        {sparse || all_rows || states("constraint_jacobian"), [this] { return jacobians(); }},
        {all_rows, [this] { return along_motion("constraint_rows: rate", false); }},
        {all_rows, [this] { return along_motion("constraint_rows: gamma", true); }},
        {states("constraint_acceleration_bias"), [this] { return along_motion("constraint_acceleration_bias", true); }},
        {sparse, [this] { return rates_by_positions(); }},
        {states("force_jacobians"), [this] { return newton("force_jacobians: f_q", f, false); }},
        {states("force_jacobians"), [this] { return newton("force_jacobians: f_v", f, true); }},
        {states("inertia_jacobian"), [this] { return newton("inertia_jacobian", M, false); }},
        {states("constraint_force_jacobian"), [this] { return newton("constraint_force_jacobian", G, false); }},
        {sparse, [this] { return newton("d(M a + G^T lambda - f)/dq", M | f | G, false); }},
        {sparse, [this] { return newton("d(M a + G^T lambda - f)/dv", M | f | G, true); }},
    };
    for (const auto& [stated, compared] : comparisons) {
      if (!stated) continue;
      if (std::string found = compared(); !found.empty()) return found;
    }
    return "";
  }

  /// Entries of other groups would count as those of this one.
  void clear_rows() {
    w_.g.setZero();
    w_.g_rate.setZero();
    w_.gamma.setZero();
    for (PatternMatrix* block : {&w_.G, &w_.V_q, &w_.A_q, &w_.A_v}) block->set_zero();
  }

  /// Compares M with sparsity().mass, and with M at another point if it is said to be constant.
  std::string mass() {
    ElementGroup::Entries mass, jacobian, tangent;
    group_.collect(mass, jacobian, tangent);
    const std::size_t each = mass.size() / static_cast<std::size_t>(group_.size());
    ElementTerms here, there;
    const VectorXd q = 1.1 * q_, v = 0.9 * v_;
    for (int e = 0; e < group_.size(); ++e) {
      if (!group_.terms(e, t_, q_.data(), v_.data(), ElementShare::equations, here)) throw NoAnswer();
      const auto first = mass.begin() + static_cast<std::ptrdiff_t>(each * static_cast<std::size_t>(e));
      const auto last = first + static_cast<std::ptrdiff_t>(each);
      for (int j = 0; j < here.mass.cols(); ++j) {
        for (int i = 0; i < here.mass.rows(); ++i) {
          const std::pair<int, int> entry{here.coordinates.data()[i], here.coordinates.data()[j]};
          if (here.mass(i, j) == 0.0 || std::find(first, last, entry) != last) continue;
          return left_out("mass", i, j, "M", system_.position_name(entry.first), entry.second, here.mass(i, j));
        }
      }
      if (!group_.constant_mass()) continue;
      if (!group_.terms(e, t_ + 0.3, q.data(), v.data(), ElementShare::equations, there)) throw NoAnswer();
      Index i = 0, j = 0;
      const double most = (there.mass - here.mass).cwiseAbs().maxCoeff(&i, &j);
      if (most > 1e-12 * here.mass.cwiseAbs().maxCoeff())
        return "constant_mass_matrix = true, but M(" + std::to_string(i) + ", " + std::to_string(j) + ") is " +
               text(here.mass(i, j)) + " and " + text(there.mass(i, j)) +
               " at two random points (t, q); take constant_mass_matrix away";
    }
    return "";
  }

  std::string jacobians() {
    evaluate(request::jacobian, t_, q_, v_, a_, lambda_);
    PatternMatrix of_g = w_.G, of_psi = w_.G;
    w_.G.for_each_entry(
        [&, k = Index(0)](int i, int, double) mutable { (i < m_g() ? of_psi : of_g).values[k++] = 0.0; });
    const char* name = states("constraint_rows") ? "constraint_rows: G" : "constraint_jacobian";
    std::string found = compare(name, "jacobian", true, of_g, 1.0, allowed_in_rows,
                                [this](const VectorXd& x) { return rows(t_, q_ + x, v_, false); });
    if (!found.empty() || m() == m_g()) return found;
    return compare("velocity_constraint", "jacobian", true, of_psi, 1.0, allowed_in_rows, [this](const VectorXd& x) {
      VectorXd psi = rows(t_, q_, v_ + x, true);
      psi.head(m_g()).setZero();
      return psi;
    });
  }

  std::string rates_by_positions() {
    evaluate(request::jacobian | request::tangent, t_, q_, v_, a_, lambda_);
    const PatternMatrix V_q = w_.V_q;
    return compare("d(g', psi)/dq", "jacobian", true, V_q, 1.0, allowed_in_newton_matrices,
                   [this](const VectorXd& x) { return rows(t_, q_ + x, v_, true); });
  }

  /// Compares g' with differences of g along the motion, or gamma with those of g' at constant velocity.
  std::string along_motion(const std::string& name, bool bias) {
    evaluate(request::jacobian, t_, q_, v_, a_, lambda_);
    const VectorXd given = bias ? VectorXd(-w_.gamma) : w_.g_rate;
    const Difference found = difference([&](double s) { return rows(t_ + s, q_ + s * v_, v_, bias); }, 1.0);
    Index worst = -1;
    double most = 1.0;
    for (Index i = 0; i < m_g(); ++i) {
      const double by = excess(given[i], found.value[i], found.uncertainty[i], 0.0, allowed_in_rows);
      if (by <= most) continue;
      most = by;
      worst = i;
    }
    const double sign = bias ? -1.0 : 1.0;
    return worst < 0 ? "" : differs(name, row_name(true, worst), "", sign * given[worst], sign * found.value[worst]);
  }

  /// Compares the derivative of the chosen terms of M a + G^T lambda - f by q or v.
  std::string newton(const std::string& name, unsigned terms, bool by_v) {
    const auto tangent = [&](const VectorXd& a, const VectorXd& lambda) {
      evaluate(request::acceleration_level | request::tangent, t_, q_, v_, a, lambda);
      return by_v ? w_.r_v : w_.r_q;
    };
    const VectorXd no_a = VectorXd::Zero(n()), no_lambda = VectorXd::Zero(m());
    PatternMatrix J =
        tangent((terms & request::mass) != 0 ? a_ : no_a, (terms & request::jacobian) != 0 ? lambda_ : no_lambda);
    if ((terms & request::force) == 0) J.values -= tangent(no_a, no_lambda).values;
    return compare(name, "tangent", false, J, terms == request::force ? -1.0 : 1.0, allowed_in_newton_matrices,
                   [&](const VectorXd& x) { return by_v ? residual(terms, q_, v_ + x) : residual(terms, q_ + x, v_); });
  }

  /// Compares a matrix with the differences of `function` along one direction; if they differ, column by column to find
  /// the name.
  /// @param sign  of the matrix and of the values in the message
  template <class Function>
  std::string compare(const std::string& name, const char* pattern, bool of_constraints, const PatternMatrix& J,
                      double sign, double allowed, const Function& function) {
    PatternMatrix absolute = J;
    absolute.values = J.values.cwiseAbs();
    const VectorXd given = J.times(direction_);
    VectorXd sizes = absolute.times(direction_.cwiseAbs());
    if (!given.allFinite()) throw NoAnswer();
    if (sizes.size() > 0) sizes = sizes.cwiseMax(share_of_largest_row * sizes.maxCoeff());
    const Difference along = difference([&](double s) { return function(VectorXd(s * direction_)); }, size_);
    Index row = -1;
    double most = 1.0;
    for (Index i = 0; i < given.size(); ++i) {
      const double by = excess(given[i], along.value[i], along.uncertainty[i], sizes[i], allowed);
      if (by <= most) continue;
      most = by;
      row = i;
    }
    if (row < 0) return "";
    most = 1.0;
    std::string worst;
    for (const auto& [element, local] : elements_of(of_constraints, static_cast<int>(row))) {
      const std::vector<int> columns = group_.coordinates_of(element);
      for (std::size_t k = 0; k < columns.size(); ++k) {
        const int j = columns[k];
        const Difference column =
            difference([&](double s) { return function(VectorXd(s * VectorXd::Unit(n(), j))); }, size_);
        const double stated = J(static_cast<int>(row), j);
        const double by = excess(stated, column.value[row], column.uncertainty[row], sizes[row], allowed);
        if (by <= most) continue;
        most = by;
        const std::string row_text = row_name(of_constraints, row);
        worst = stated == 0.0 && states("sparsity")
                    ? left_out(pattern, local, static_cast<int>(k), name, row_text, j, sign * column.value[row])
                    : differs(name, row_text, system_.position_name(j), sign * stated, sign * column.value[row]);
      }
    }
    return worst;
  }

  /// Returns the elements that a row belongs to, and its number in each.
  std::vector<std::pair<int, int>> elements_of(bool of_constraints, int row) const {
    std::vector<std::pair<int, int>> found;
    for (int e = 0; e < group_.size(); ++e) {
      ElementTerms terms;
      if (of_constraints) group_.terms(e, t_, q_.data(), v_.data(), ElementShare::equations, terms);
      const std::vector<int> own = of_constraints ? terms.rows : group_.coordinates_of(e);
      const auto place = std::find(own.begin(), own.end(), row);
      if (place != own.end()) found.emplace_back(e, static_cast<int>(place - own.begin()));
    }
    return found;
  }

  std::string left_out(const std::string& pattern, int i, int j, const std::string& name, const std::string& row,
                       int column, double value) const {
    return "sparsity()." + pattern + " leaves out (" + std::to_string(i) + ", " + std::to_string(j) + "), but " + name +
           ": row \"" + row + "\", column \"" + system_.position_name(column) + "\" is " + text(value) +
           " at a random point and was counted as 0; add the pair, or take sparsity() away";
  }
  static std::string differs(const std::string& name, const std::string& row, const std::string& column, double given,
                             double found) {
    return name + ": row \"" + row + "\"" + (column.empty() ? "" : ", column \"" + column + "\"") + " is " +
           text(given) + " at a random point, by differences " + text(found) + "; correct it, or leave it out";
  }
  std::string row_name(bool of_constraints, Index i) const {
    return of_constraints ? system_.constraint_name(static_cast<int>(i)) : system_.position_name(static_cast<int>(i));
  }

  const MechanicalSystem& system_;
  const ElementGroup& group_;
  Workspace& w_;
  GroupSlots slots_;
  double t_ = 0.0, size_ = 1.0;
  VectorXd q_, v_, a_, lambda_, direction_;
};

}  // namespace

std::string wrong_members(const MechanicalSystem& system) {
  std::vector<const ElementGroup*> groups;
  for (int k = 0; k < system.num_elements(); ++k) {
    const ElementGroup* group = system.element(k).first;
    if (GivenMembers::states_anything(*group) && std::find(groups.begin(), groups.end(), group) == groups.end())
      groups.push_back(group);
  }
  if (groups.empty()) return "";
  const std::unique_ptr<Workspace> w = make_workspace(system, Storage::sparse);
  std::string problems;
  for (const ElementGroup* group : groups) {
    const std::string found = GivenMembers(system, *group, *w).run();
    if (!found.empty()) problems += (group->name(0).empty() ? "model: " : "") + found + "\n";
  }
  return problems;
}

}  // namespace sunlagrange::internal
