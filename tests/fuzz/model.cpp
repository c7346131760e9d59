// SPDX-License-Identifier: BSD-3-Clause
#include <stdexcept>
#include <vector>

#include "fuzz.hpp"

/// Models made of terms: sums of products, sines, roots and quotients of t, q, v, with mistakes in them. They are
/// built, examined, checked, and run for a few steps in any formulation.
using namespace sunlagrange;

namespace {

struct Term {
  int row = 0, column = 0;
  int kind = 0;
  int a = 0, b = 0;
  double factor = 0.0;
};

struct Terms {
  int n = 1, m_g = 0, m_psi = 0;
  std::vector<Term> mass, force, rows, velocity_rows;

  int num_positions() const { return n; }
  int num_constraints() const { return m_g; }
  int num_velocity_constraints() const { return m_psi; }

  template <class T>
  T value(const Term& term, T t, View<const T> q, const View<const T>* v) const {
    using std::cos;
    using std::exp;
    using std::sin;
    using std::sqrt;
    const T x = v != nullptr && term.b % 2 == 1 ? (*v)[term.a] : q[term.a], y = q[term.b];
    switch (term.kind) {
      case 0:
        return term.factor + 0.0 * x;
      case 1:
        return term.factor * x;
      case 2:
        return term.factor * x * y;
      case 3:
        return term.factor * sin(x);
      case 4:
        return term.factor * cos(x + y);
      case 5:
        return term.factor * t;
      case 6:
        return term.factor * sqrt(x);
      case 7:
        return term.factor / y;
      case 8:
        return term.factor * exp(x);
      case 9:
        return term.factor * (x * x + y * y - 1.0);
      case 10:
        return value_of(x) > term.factor ? T(x) : T(-x);
      default:
        if (value_of(t) > 0.05) throw std::runtime_error("thrown by the model");
        return term.factor * x;
    }
  }

  template <class T>
  void mass_matrix(T t, View<const T> q, MatrixView<T> M) const {
    for (int i = 0; i < n; ++i) M(i, i) = T(1.0);
    for (const Term& term : mass) {
      const T entry = value<T>(term, t, q, nullptr);
      M(term.row, term.column) += entry;
      if (term.row != term.column && term.a % 2 == 0) M(term.column, term.row) += entry;  // else: one entry forgotten
    }
  }
  template <class T>
  void applied_force(T t, View<const T> q, View<const T> v, View<T> f) const {
    for (const Term& term : force) f[term.row] += value<T>(term, t, q, &v);
  }
  template <class T>
  void constraint(T t, View<const T> q, View<T> g) const {
    for (const Term& term : rows) g[term.row] += value<T>(term, t, q, nullptr);
  }
  template <class T>
  void velocity_constraint(T t, View<const T> q, View<const T> v, View<T> psi) const {
    for (const Term& term : velocity_rows) psi[term.row] += value<T>(term, t, q, &v);
  }
};

std::vector<Term> terms(FuzzedDataProvider& bytes, int rows, int columns, int n, int most) {
  std::vector<Term> list;
  if (rows == 0) return list;
  const int count = bytes.ConsumeIntegralInRange(0, most);
  for (int k = 0; k < count; ++k) {
    Term term;
    term.row = bytes.ConsumeIntegralInRange(0, rows - 1);
    term.column = bytes.ConsumeIntegralInRange(0, columns - 1);
    term.kind = bytes.ConsumeIntegralInRange(0, 11);
    term.a = bytes.ConsumeIntegralInRange(0, n - 1);
    term.b = bytes.ConsumeIntegralInRange(0, n - 1);
    term.factor = fuzz::number(bytes);
    list.push_back(term);
  }
  return list;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider bytes(data, size);
  Terms model;
  model.n = bytes.ConsumeIntegralInRange(1, 4);
  model.m_g = bytes.ConsumeIntegralInRange(0, 3);
  model.m_psi = bytes.ConsumeIntegralInRange(0, 2);
  const SimulationOptions o = fuzz::options(bytes);
  InitialState start;
  start.t = bytes.ConsumeIntegralInRange(0, 15) == 0 ? fuzz::number(bytes) : 0.0;
  start.q = fuzz::vector(bytes, model.n);
  if (bytes.ConsumeBool()) start.v = fuzz::vector(bytes, model.n);
  model.mass = terms(bytes, model.n, model.n, model.n, 3);
  model.force = terms(bytes, model.n, 1, model.n, 4);
  model.rows = terms(bytes, model.m_g, 1, model.n, 6);
  model.velocity_rows = terms(bytes, model.m_psi, 1, model.n, 4);
  try {
    const auto system = make_system(model);
    try {
      const Eigen::VectorXd v = start.v.size() == 0 ? Eigen::VectorXd::Zero(model.n) : start.v;
      fuzz::expect(!check_derivatives(system, start.t, start.q, v).text().empty(), "no verdict");
    } catch (const std::runtime_error&) {  // the model's own, or an Error
    }
    fuzz::run(system, start, o);
  } catch (const Error&) {
  } catch (const std::runtime_error& error) {
    fuzz::expect(std::string(error.what()) == "thrown by the model", error.what());
  }
  return 0;
}
