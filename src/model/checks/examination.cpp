// SPDX-License-Identifier: BSD-3-Clause
#include "model/checks/examination.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include <sunlagrange/base/setting.hpp>

#include "base/words.hpp"
#include "model/evaluation.hpp"

namespace sunlagrange::internal {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Larger blocks of M are checked by pairs of entries only.
constexpr std::size_t largest_block = 500;

/// Rounding of M, relative to its diagonal.
constexpr double rounding_of_mass = 1e-10;

class Examination {
 public:
  Examination(const MechanicalSystem& system, double t, const VectorXd& q, const VectorXd& v)
      : system_(system), w_(make_workspace(system, Storage::sparse)), t_(t), q_(q), v_(v) {}

  Status run(Purpose purpose) {
    check_orientations();
    constexpr unsigned what = request::mass | request::constraint | request::jacobian;
    if (!evaluate_system(system_, what, {t_, q_.data(), v_.data(), nullptr, nullptr}, *w_)) return status();
    const std::string not_finite = values_not_finite(system_, *w_);
    if (!not_finite.empty()) complain(not_finite + "; check its domain and its parameters");
    if (complaints_.empty() && system_.motion_law().has_forces) {
      if (purpose == Purpose::motion) check_inertia();
      check_symmetry();
      if (complaints_.empty()) check_definiteness();
      check_constancy();
    }
    return status();
  }

 private:
  Status status() const {
    if (complaints_.empty()) return {};
    return {Outcome::model_error, "the model is wrong at t = " + text(t_) + ": " + complaints_};
  }

  void check_orientations() {
    constexpr double no_orientation = 1e-6;
    for (const NamedBlock& block : system_.blocks()) {
      if (block.kind == BlockKind::spatial_body && !(q_.segment<4>(block.first + 3).norm() > no_orientation))
        complain("the Euler parameters e0 to e3 of \"" + block.name +
                 "\" are zero, which is no orientation; start from one, e.g. (1, 0, 0, 0), the axes of the ground");
    }
  }

  int n() const { return system_.num_positions(); }

  void complain(const std::string& complaint) { complaints_ += (complaints_.empty() ? "" : "\n") + complaint; }

  std::string entry(int i, int j) const {
    return "M(" + system_.position_name(i) + ", " + system_.position_name(j) + ")";
  }

  void check_inertia() {
    std::vector<bool> held(static_cast<std::size_t>(n()), false);
    w_->M.for_each_entry([&](int i, int j, double value) {
      if (value != 0.0) held[static_cast<std::size_t>(i)] = held[static_cast<std::size_t>(j)] = true;
    });
    w_->patterns->jacobian.for_each_entry([&](int, int j, int) { held[static_cast<std::size_t>(j)] = true; });
    std::string names;
    for (int j = 0; j < n(); ++j) {
      if (!held[static_cast<std::size_t>(j)])
        names += (names.empty() ? "\"" : ", \"") + system_.position_name(j) + "\"";
    }
    if (!names.empty())
      complain("no inertia and no constraint acts on " + names +
               ": nothing determines the acceleration; add an inertia, or a constraint that holds it");
  }

  void check_symmetry() {
    double worst = 0.0;
    int row = -1, column = -1;
    const VectorXd diagonal = w_->M.diagonal().cwiseAbs();
    w_->M.for_each_entry([&](int i, int j, double value) {
      const double other = w_->M(j, i);
      const double size = std::max({std::abs(value), std::abs(other), 1e-3 * std::sqrt(diagonal[i] * diagonal[j])});
      const double difference = std::abs(value - other) / (size > 0.0 ? size : 1.0);
      if (i == j || difference <= std::max(worst, rounding_of_mass)) return;
      worst = difference;
      row = std::max(i, j);
      column = std::min(i, j);
    });
    if (row < 0) return;
    complain("mass_matrix is not symmetric: " + entry(row, column) + " = " + text(w_->M(row, column)) + ", " +
             entry(column, row) + " = " + text(w_->M(column, row)) + "; write both entries");
  }

  /// Returns the coordinates that M couples, block by block.
  std::vector<std::vector<int>> blocks() const {
    std::vector<int> parent(static_cast<std::size_t>(n()));
    for (int j = 0; j < n(); ++j) parent.data()[j] = j;
    const auto root = [&](int j) {
      while (parent.data()[j] != j) j = parent.data()[j] = parent.data()[parent.data()[j]];
      return j;
    };
    w_->M.for_each_entry([&](int i, int j, double value) {
      if (value != 0.0) parent.data()[root(i)] = root(j);
    });
    std::vector<std::vector<int>> members(static_cast<std::size_t>(n()));
    for (int j = 0; j < n(); ++j) members[static_cast<std::size_t>(root(j))].push_back(j);
    return members;
  }

  void check_definiteness() {
    const VectorXd diagonal = w_->M.diagonal();
    const auto refuse = [this](const std::string& where) {
      complain("mass_matrix is not positive semidefinite: " + where + "; check signs, masses and moments of inertia");
    };
    for (int j = 0; j < n(); ++j) {
      if (diagonal[j] < 0.0) return refuse(entry(j, j) + " = " + text(diagonal[j]) + " is negative");
    }
    int row = -1, column = -1;
    w_->M.for_each_entry([&](int i, int j, double value) {
      if (i > j && std::abs(value) > (1.0 + rounding_of_mass) * std::sqrt(diagonal[i] * diagonal[j])) {
        row = i;
        column = j;
      }
    });
    if (row >= 0) {
      return refuse(entry(row, column) + " = " + text(w_->M(row, column)) + " is too large beside " + entry(row, row) +
                    " = " + text(diagonal[row]) + " and " + entry(column, column) + " = " + text(diagonal[column]));
    }
    for (const std::vector<int>& block : blocks()) {
      if (block.size() < 3 || block.size() > largest_block) continue;
      const int bad = negative_pivot(block, diagonal);
      if (bad >= 0)
        return refuse("a combination of velocities, that of \"" + system_.position_name(bad) +
                      "\" among them, has negative kinetic energy");
    }
  }

  /// Factorises a block of M by Cholesky, scaled to the diagonal 1 + rounding. Returns the coordinate where it fails,
  /// or -1.
  int negative_pivot(const std::vector<int>& block, const VectorXd& diagonal) const {
    const auto size = static_cast<Eigen::Index>(block.size());
    MatrixXd S = MatrixXd::Zero(size, size);
    for (Eigen::Index j = 0; j < size; ++j) {
      const int b = block.data()[j];
      for (Eigen::Index i = j; i < size; ++i) {
        const int a = block.data()[i];
        const double scale = std::sqrt(diagonal[a] * diagonal[b]);
        S(i, j) = scale > 0.0 ? w_->M(a, b) / scale : 0.0;
      }
      S(j, j) = 1.0 + rounding_of_mass * static_cast<double>(size);
    }
    for (Eigen::Index k = 0; k < size; ++k) {
      if (!(S(k, k) > 0.0)) return block.data()[k];
      const Eigen::Index below = size - k - 1;
      const VectorXd column = S.col(k).tail(below);
      for (Eigen::Index j = 0; j < below; ++j)
        S.col(k + 1 + j).tail(below - j) -= (column[j] / S(k, k)) * column.tail(below - j);
    }
    return -1;
  }

  /// Compares with M at another point, unless the model declines it.
  void check_constancy() {
    if (!system_.constant_mass()) return;
    std::mt19937 random(12345U);
    std::uniform_real_distribution<double> uniform(0.05, 0.3);
    const auto moved = [&](const VectorXd& x) {
      const double size = x.size() > 0 && x.cwiseAbs().maxCoeff() > 0.0 ? x.cwiseAbs().maxCoeff() : 1.0;
      return VectorXd(x + size * VectorXd::NullaryExpr(x.size(), [&] { return uniform(random); }));
    };
    const VectorXd before = w_->M.values, q = moved(q_), v = moved(v_);
    w_->mass_ready = false;
    try {
      if (!evaluate_system(system_, request::mass, {t_ + 0.3, q.data(), v.data(), nullptr, nullptr}, *w_)) return;
    } catch (...) {
      return;  // outside its domain
    }
    Eigen::Index slot = 0;
    const double most = w_->M.values.size() > 0 ? (w_->M.values - before).cwiseAbs().maxCoeff(&slot) : 0.0;
    if (!(most > rounding_of_mass * before.cwiseAbs().maxCoeff())) return;
    w_->patterns->mass.for_each_entry([&](int i, int j, int k) {
      if (k == slot)
        complain("constant_mass_matrix = true, but " + entry(i, j) + " changes from " + text(before[slot]) + " to " +
                 text(w_->M.values[slot]) + " when (t, q) does; take constant_mass_matrix away");
    });
  }

  const MechanicalSystem& system_;
  std::unique_ptr<Workspace> w_;
  double t_;
  const VectorXd& q_;
  const VectorXd& v_;
  std::string complaints_;
};

}  // namespace

Status examine(const MechanicalSystem& system, double t, const VectorXd& q, const VectorXd& v, Purpose purpose) {
  return Examination(system, t, q, v).run(purpose);
}

std::string entries_not_finite(const MechanicalSystem& system, const Workspace& w) {
  std::string found;
  const auto add = [&](const std::string& entry, double value) { append_word(found, entry + " = " + text(value)); };
  const auto in_matrix = [&](const char* symbol, const PatternMatrix& A, auto&& row_name) {
    bool first = true;
    A.for_each_entry([&](int i, int j, double value) {
      if (std::isfinite(value) || !first) return;
      first = false;
      add(std::string(symbol) + "(" + row_name(i) + ", " + system.position_name(j) + ")", value);
    });
  };
  const auto in_vector = [&](const char* symbol, const VectorXd& x, auto&& name) {
    for (int i = 0; i < x.size(); ++i) {
      if (!std::isfinite(x[i])) return add(std::string(symbol) + "[" + name(i) + "]", x[i]);
    }
  };
  const auto position = [&](int i) { return system.position_name(i); };
  const auto constraint = [&](int i) { return system.constraint_name(i); };
  in_matrix("M", w.M, position);
  in_vector("f", w.f, position);
  in_vector("g", w.g, constraint);
  in_vector("(g', psi)", w.g_rate, constraint);
  in_vector("gamma", w.gamma, constraint);
  in_matrix("G", w.G, constraint);
  return found;
}

std::string values_not_finite(const MechanicalSystem& system, const Workspace& w) {
  const std::string found = entries_not_finite(system, w);
  return found.empty() ? "" : "the model returned values that are not finite: " + found;
}

std::string declining_elements(const MechanicalSystem& system, double t, const VectorXd& q, const VectorXd& v) {
  std::string names;
  ElementTerms terms;
  for (int k = 0; k < system.num_elements(); ++k) {
    try {
      if (element_terms(system, k, t, q.data(), v.data(), terms, ElementShare::equations)) continue;
    } catch (...) {
      continue;  // not computed by the declined evaluation
    }
    append_word(names, "\"" + system.element_name(k) + "\"");
  }
  return names;
}

}  // namespace sunlagrange::internal
