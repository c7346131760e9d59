// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <sunlagrange/internal/difference_step.hpp>
#include <sunlagrange/internal/element_derivatives.hpp>
#include <sunlagrange/model/kinematic_program.hpp>
#include <sunlagrange/model/requirements.hpp>

/// Implementation of make_program().
namespace sunlagrange::internal {

namespace requirements {

template <class E, class T>
using Tangential = decltype(std::declval<Self<E>>().tangential_velocity(std::declval<T>(), std::declval<In<T>>(),
                                                                        std::declval<View<T>>()));
template <class E, class T>
using Feedback = decltype(std::declval<Self<E>>().feedback(std::declval<T>(), std::declval<In<T>>(),
                                                           std::declval<In<T>>(), std::declval<View<T>>()));

}  // namespace requirements

/// Returns the scratch memory of this thread, empty; it grows in the first calls.
Arena& program_arena();

/// @param own_field  true if the model has tangential_velocity, so that there is no vector product
/// @throws Error if options contradict each other, or the vector product does not have n - 1 rows
void check_program(const ProgramOptions& options, int n, int m, bool own_field);

/// Computes w = c [AC] from A (m x n, column-major).
void program_vector_product(const ProgramOptions& options, double t, View<const double> y, int m, const double* A,
                            Arena& arena, View<double> w);

/// @throws Error if a(0, y, t) is not zero at some point
void check_feedback(const ProgramFeedback& feedback, int n, int m);

/// Returns the numbers of the variables of these names. @throws Error if a name is unknown
std::vector<int> dependent_variables(const MechanicalSystem& system, const std::vector<std::string>& names);

/// The tangential field of a program: the model's own, or c [AC].
template <class E>
class TangentialField {
  static constexpr bool own = requirements::detected<requirements::Tangential, E, double>;
  static constexpr bool generic = requirements::detected<requirements::Tangential, E, requirements::Probe>;
  using In = View<const double>;

 public:
  explicit TangentialField(ProgramOptions options) : o_(std::move(options)) {}

  /// Computes w(t, y). False: the point is declined.
  bool evaluate(const E& model, double t, In y, View<double> w) const {
    if constexpr (own)
      return accepted([&] { return model.tangential_velocity(t, y, w); });
    else
      return vector_product(model, t, y, w);
  }

  /// Computes dw/dy: exact for a templated tangential_velocity, else by central differences ([AC] would need second
  /// derivatives of f).
  bool derivative(const E& model, double t, In y, MatrixView<double> w_y) const {
    if constexpr (generic)
      return dual_derivative(model, t, y, w_y);
    else
      return difference_derivative(model, t, y, w_y);
  }

  void check(int n, int m) const { check_program(o_, n, m, own); }

 private:
  bool vector_product(const E& model, double t, In y, View<double> w) const {
    Arena& arena = program_arena();
    const LocalElement<E> l(model, arena);
    Rows<double, E> g(l), velocity(l), bias(l);
    Vector<double, E> rest(l);
    RowMatrix<double, E> A(l);
    const Point at{t, y.data(), rest.data(), nullptr, nullptr};
    if (!constraint_jacobian(l, at, {g.data(), velocity.data(), bias.data()}, A.data())) return false;
    program_vector_product(o_, t, y, l.m(), A.data(), arena, w);
    return true;
  }

  static bool dual_derivative(const E& model, double t, In y, MatrixView<double> w_y) {
    using S = Dual<double, 4>;
    const int n = y.size();
    Arena& arena = program_arena();
    LocalArray<S, -1> Y(arena, n), W(arena, n);
    for (int s = 0; s < n; s += 4) {
      for (int i = 0; i < n; ++i) {
        Y[i] = S(y[i]);
        W[i] = S();
        if (i >= s && i < s + 4) Y[i].d[i - s] = 1.0;
      }
      if (!accepted([&] { return model.tangential_velocity(S(t), View<const S>(Y.data(), n), View<S>(W.data(), n)); }))
        return false;
      for (int j = s; j < std::min(s + 4, n); ++j) {
        for (int i = 0; i < n; ++i) w_y(i, j) = W[i].d[j - s];
      }
    }
    return true;
  }

  bool difference_derivative(const E& model, double t, In y, MatrixView<double> w_y) const {
    const int n = y.size();
    thread_local std::vector<double> x, w;
    x.assign(y.begin(), y.end());
    for (int j = 0; j < n; ++j) {
      double& moved = x[static_cast<std::size_t>(j)];
      const double h = difference_step * (1.0 + std::abs(y[j]));
      for (const double side : {1.0, -1.0}) {
        moved = y[j] + side * h;
        w.assign(x.size(), 0.0);
        if (!evaluate(model, t, In(x.data(), n), View<double>(w.data(), n))) return false;
        for (int i = 0; i < n; ++i) w_y(i, j) += side * w[static_cast<std::size_t>(i)] / (2.0 * h);
      }
      moved = y[j];
    }
    return true;
  }

  ProgramOptions o_;
};

/// The model; if it has a member `sparsity`, the entries of M are added to it.
template <class E, bool = requirements::detected<requirements::Sparsity, E>>
struct ProgramModel : E {
  explicit ProgramModel(E program_model) : E(std::move(program_model)) {}
};

template <class E>
struct ProgramModel<E, true> : E {
  explicit ProgramModel(E program_model) : E(std::move(program_model)) {}

  LocalSparsity sparsity() const {
    LocalSparsity program_sparsity = E::sparsity();
    for (int program_i = 0; program_i < Capabilities<E>::positions(*this); ++program_i)
      program_sparsity.mass.emplace_back(program_i, program_i);
    return program_sparsity;
  }
};

/// The user's struct as an element with unit masses whose applied force is the tangential field. Its names are long so
/// that they differ from those of the model.
template <class E>
class ProgramElement : public ProgramModel<E> {
 public:
  static constexpr bool constant_mass_matrix = true;

  ProgramElement(E program_model, TangentialField<E> program_field)
      : ProgramModel<E>(std::move(program_model)), program_field_(std::move(program_field)) {}

  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> program_mass) const {
    for (int program_i = 0; program_i < program_mass.rows(); ++program_i) program_mass(program_i, program_i) = T(1.0);
  }

  bool applied_force(double program_t, View<const double> program_y, View<const double>, View<double> program_w) const {
    return program_field_.evaluate(*this, program_t, program_y, program_w);
  }

  bool force_jacobians(double program_t, View<const double> program_y, View<const double>,
                       MatrixView<double> program_w_y, MatrixView<double>) const {
    return program_field_.derivative(*this, program_t, program_y, program_w_y);
  }

 private:
  TangentialField<E> program_field_;
};

/// ProgramFeedback that calls the model's member `feedback`.
template <class E>
class ModelFeedback final : public ProgramFeedback {
 public:
  ModelFeedback(E model, int n, int m) : model_(std::move(model)), n_(n), m_(m) {}

  bool evaluate(double t, const double* y, const double* f, double* a) const override {
    std::fill(a, a + m_, 0.0);
    return accepted(
        [&] { return model_.feedback(t, View<const double>(y, n_), View<const double>(f, m_), View<double>(a, m_)); });
  }

  bool derivative(double t, const double* y, const double* f, double* a_f) const override {
    Arena& arena = program_arena();
    if constexpr (requirements::detected<requirements::Feedback, E, requirements::Probe>) {
      using S = requirements::Probe;
      LocalArray<S, -1> Y(arena, n_), F(arena, m_), R(arena, m_);
      for (int i = 0; i < n_; ++i) Y[i] = S(y[i]);
      for (int i = 0; i < m_; ++i) F[i] = S(f[i]);
      for (int j = 0; j < m_; ++j) {
        F[j].d[0] = 1.0;
        for (int i = 0; i < m_; ++i) R[i] = S();
        if (!accepted([&] {
              return model_.feedback(S(t), View<const S>(Y.data(), n_), View<const S>(F.data(), m_),
                                     View<S>(R.data(), m_));
            }))
          return false;
        F[j].d[0] = 0.0;
        for (int i = 0; i < m_; ++i) a_f[j * m_ + i] = R[i].d[0];
      }
    } else {
      LocalArray<double, -1> F(arena, m_), a(arena, m_);
      double size = 0.0;
      for (int i = 0; i < m_; ++i) {
        F[i] = f[i];
        size = std::max(size, std::abs(f[i]));
      }
      const double h = difference_step * (size > 0.0 ? size : 1.0);
      for (int j = 0; j < m_; ++j) {
        for (int i = 0; i < m_; ++i) a_f[j * m_ + i] = 0.0;
        for (const double side : {1.0, -1.0}) {
          F[j] = f[j] + side * h;
          if (!evaluate(t, y, F.data(), a.data())) return false;
          for (int i = 0; i < m_; ++i) a_f[j * m_ + i] += side * a[i] / (2.0 * h);
        }
        F[j] = f[j];
      }
    }
    return true;
  }

 private:
  E model_;
  int n_;
  int m_;
};

}  // namespace sunlagrange::internal
