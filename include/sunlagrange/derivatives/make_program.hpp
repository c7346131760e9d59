#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <sunlagrange/derivatives/adapt.hpp>
#include <sunlagrange/internal/difference_step.hpp>
#include <sunlagrange/model/kinematic_program.hpp>

namespace sunlagrange {

namespace requirements {

template <class E, class T>
using Tangential = decltype(std::declval<Self<E>>().tangential_velocity(std::declval<T>(), std::declval<In<T>>(),
                                                                        std::declval<View<T>>()));
template <class E, class T>
using Feedback = decltype(std::declval<Self<E>>().feedback(std::declval<T>(), std::declval<In<T>>(),
                                                           std::declval<In<T>>(), std::declval<View<T>>()));

/// Scratch for sizes known at run time only; grows in the first calls of a thread.
inline Arena& program_arena() {
  thread_local Arena arena;
  return arena;
}

}  // namespace requirements

/// The tangential field of a program: the model's own, or c [AC].
template <class E>
class TangentialField {
  static constexpr bool own = requirements::detected<requirements::Tangential, E, double>;
  static constexpr bool generic = requirements::detected<requirements::Tangential, E, requirements::Probe>;
  using In = View<const double>;

 public:
  explicit TangentialField(ProgramOptions options) : o_(std::move(options)) {}

  /// w(t, y). False: declined.
  bool evaluate(const E& model, double t, In y, View<double> w) const {
    if constexpr (own)
      return accepted([&] { return model.tangential_velocity(t, y, w); });
    else
      return vector_product(model, t, y, w);
  }

  /// dw/dy: exact for a templated tangential_velocity, else by central differences ([AC] would need second derivatives
  /// of f).
  bool derivative(const E& model, double t, In y, MatrixView<double> w_y) const {
    if constexpr (generic)
      return dual_derivative(model, t, y, w_y);
    else
      return difference_derivative(model, t, y, w_y);
  }

  /// Throws Error if the vector product has not n - 1 rows.
  void check(int n, int m) const {
    const auto number = [](long x) { return std::to_string(x); };
    const bool function = o_.companion_function != nullptr;
    const bool matrix = o_.companions.size() > 0;
    if (!std::isfinite(o_.speed)) throw Error("program: speed is not finite");
    if (own) {
      if (function || matrix || o_.num_companions != 0 || !o_.product_rows.empty())
        throw Error("program: the model has tangential_velocity, so [AC] is not formed; drop the companion rows");
      return;
    }
    if (function && matrix) throw Error("program: companions and companion_function are both given; give one");
    if (o_.num_companions < 0) throw Error("program: num_companions = " + number(o_.num_companions) + " is negative");
    if (!function && o_.num_companions != 0) throw Error("program: num_companions needs companion_function");
    if (matrix && (o_.companions.cols() != n || !o_.companions.allFinite()))
      throw Error("program: companions must be finite and have n = " + number(n) + " columns");
    for (const int row : o_.product_rows) {
      if (row < 0 || row >= m) throw Error("program: product_rows: there is no row " + number(row));
      if (std::count(o_.product_rows.begin(), o_.product_rows.end(), row) > 1)
        throw Error("program: product_rows names row " + number(row) + " twice, which makes the product zero");
    }
    const int rows = product_size(m) + num_companions();
    if (rows != n - 1) {
      throw Error("program: the vector product has " + number(product_size(m)) + " rows of A and " +
                  number(num_companions()) + " companion rows, " + number(rows) + " together; with n = " + number(n) +
                  " variables there must be " + number(n - 1) +
                  ": give companion rows, name fewer product_rows, or write a member tangential_velocity");
    }
  }

 private:
  int num_companions() const {
    return o_.companion_function != nullptr ? o_.num_companions : static_cast<int>(o_.companions.rows());
  }
  int product_size(int m) const { return o_.product_rows.empty() ? m : static_cast<int>(o_.product_rows.size()); }

  bool vector_product(const E& model, double t, In y, View<double> w) const {
    const int n = y.size();
    Arena& arena = requirements::program_arena();
    arena.reset();
    const ElementDerivatives<E> d(model, arena);
    const int m = d.m_g();
    using Array = LocalArray<double, -1>;
    Array rows(arena, m), rates(arena, m), bias(arena, m), rest(arena, n), A(arena, m * n), columns(arena, n * n);
    if (!d.jacobian(t, y.data(), rest.data(), rows.data(), rates.data(), bias.data(), A.data())) return false;
    const int used = product_size(m);
    for (int k = 0; k < used; ++k) {
      const int row = o_.product_rows.empty() ? k : o_.product_rows[static_cast<std::size_t>(k)];
      for (int j = 0; j < n; ++j) columns[k * n + j] = A[j * m + row];
    }
    const int companions = num_companions();
    Array C(arena, companions * n);
    if (o_.companion_function != nullptr)
      o_.companion_function(t, y, MatrixView<double>(C.data(), companions, n));
    else
      std::copy(o_.companions.data(), o_.companions.data() + o_.companions.size(), C.data());
    for (int i = 0; i < companions; ++i) {
      for (int j = 0; j < n; ++j) columns[(used + i) * n + j] = C[j * companions + i];
    }
    generalized_vector_product(n, columns.data(), w.data());
    for (double& x : w) x *= o_.speed;
    return true;
  }

  static bool dual_derivative(const E& model, double t, In y, MatrixView<double> w_y) {
    using S = Dual<double, 4>;
    const int n = y.size();
    Arena& arena = requirements::program_arena();
    arena.reset();
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
      const double h = internal::difference_step * (1.0 + std::abs(y[j]));
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

/// The model itself; if it has a member `sparsity`, with the entries of M added to it.
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

/// The user's struct as an element with unit masses whose applied force is the tangential field. Behind make_program().
/// The long names keep clear of those of the model.
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

/// The model's member `feedback` behind ProgramFeedback.
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
    Arena& arena = requirements::program_arena();
    arena.reset();
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
      const double h = internal::difference_step * (size > 0.0 ? size : 1.0);
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

  /// Throws Error if a(0, y, t) is not zero at some point.
  void check() const {
    std::mt19937 random(271828U);
    std::uniform_real_distribution<double> uniform(0.1, 1.0);
    std::vector<double> y(static_cast<std::size_t>(n_)), zero(static_cast<std::size_t>(m_)), a = zero;
    for (double& x : y) x = uniform(random);
    try {
      if (!evaluate(0.3, y.data(), zero.data(), a.data())) return;
    } catch (...) {
      return;  // outside its domain there
    }
    for (const double x : a) {
      if (std::isfinite(x) && x != 0.0)
        throw Error("program: feedback returns " + std::to_string(x) +
                    " for f = 0; a(0, y, t) must vanish, or f = 0 is no integral manifold");
    }
  }

 private:
  E model_;
  int n_;
  int m_;
};

/// A kinematic program from a struct; see kinematic_program.hpp. Its members are those of requirements.hpp that concern
/// g: `num_positions` (n), `num_constraints` (m), `constraint(T t, View<const T> y, View<T> f)`, and if wanted the
/// Jacobian, sparsity and names. In addition:
///
/// | member | meaning | if absent |
/// |---|---|---|
/// | `tangential_velocity(T t, View<const T> y, View<T> w)` | the tangential field; the part of w that is not
/// tangential is removed: v is the vector nearest to w with A v + f_t = a | w = c [AC] |
/// | `feedback(T t, View<const T> y, View<const T> f, View<T> a)` | a(f, y, t), zero for f = 0; stable if f' = a is |
/// a = -K_N f with Gains::K_N |
///
/// Both may be written for double only, and may return bool: false declines the point. Newton systems take a as a
/// function of f alone (its other derivatives vanish on the manifold). The struct must not be final.
/// @throws Error if the sizes do not fit, or a(0, y, t) is not zero
template <class E>
std::shared_ptr<const MechanicalSystem> make_program(E model, ProgramOptions options = {}) {
  using C = Capabilities<E>;
  static_assert(!C::has_mass && !C::has_energies && !C::has_force && !C::has_energy,
                "sunlagrange: a kinematic program has no masses, forces or energies; write its field as "
                "`tangential_velocity(T t, View<const T> y, View<T> w) const`, or use make_system()");
  static_assert(!C::has_velocity_constraint,
                "sunlagrange: a kinematic program has rows f(y, t) = 0 only; velocities are chosen, not constrained");
  KinematicProgram program;
  const std::vector<std::string> dependent = options.dependent;
  const int n = C::positions(model);
  if constexpr (requirements::detected<requirements::Feedback, E, double>) {
    auto feedback = std::make_shared<ModelFeedback<E>>(model, n, C::constraints(model));
    feedback->check();
    program.feedback = std::move(feedback);
  }
  TangentialField<E> field(std::move(options));
  field.check(n, C::constraints(model));
  const auto system = make_system(ProgramElement<E>(std::move(model), std::move(field)));
  std::string unknown;
  for (const std::string& name : dependent) {
    const std::vector<int> found = system->position_indices(name);
    if (found.empty()) unknown += (unknown.empty() ? "\"" : ", \"") + name + "\"";
    program.dependent.insert(program.dependent.end(), found.begin(), found.end());
  }
  if (!unknown.empty()) throw Error("program: dependent: no variable is called " + unknown);
  return as_program(system, std::move(program));
}

}  // namespace sunlagrange
