// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>

/// The one automatic-differentiation backend of the library: three forward types, no expression templates, no heap.
///
///   Dual<Base, W>   value and W partial derivatives. Nest for second derivatives: Dual<Dual<double, W>, W>.
///   Taylor<Base>    x(t + s) = c0 + c1 s + c2 s^2 + O(s^3) along one direction. One evaluation of a constraint gives
///                   g, g' and g''/2: no Hessian is formed for the acceleration bias.
///   Jet<W>          both at once for doubles: c0, c1, c2 and the gradient of c0, so that g, g', gamma and G
///                   share their sines and cosines.
///
/// They have + - * /, comparisons (on the value) and these functions:
///
/// | member | meaning |
/// |---|---|
/// | `sqrt`, `cbrt`, `pow`, `hypot` | standard function with derivatives; `hypot` of two or three |
/// | `exp`, `exp2`, `expm1`, `log`, `log2`, `log10`, `log1p` | standard function with derivatives |
/// | `sin`, `cos`, `tan`, `asin`, `acos`, `atan`, `atan2` | standard function with derivatives; angles in rad |
/// | `sinh`, `cosh`, `tanh`, `asinh`, `acosh`, `atanh`, `erf`, `erfc` | standard function with derivatives |
/// | `min`, `max`, `fmin`, `fmax`, `clamp`, `abs`, `fabs` | has the derivatives of the branch that is taken |
/// | `sign` | -1, 0 or 1, without derivatives |
/// | `reciprocal` | 1 / x |
/// | `value_of`, `base` | value without derivatives, down to the double or one level down |
/// | `product(a, b)` | product rule |
/// | `compose(f0, f1, f2)` | chain rule: f of this one, of which f0, f1, f2 are value and first two derivatives |
///
/// Call them unqualified: sin(x), not std::sin(x). min, max, clamp and sign of doubles are in this namespace, so models
/// that use them want `using namespace sunlagrange`. Not differentiable points follow the calculus: sqrt(0) has an
/// infinite derivative; use squares of distances, not distances, where zero length can occur. Where min, max, clamp,
/// abs and sign switch, the derivative is discontinuous: locate the switch by an event, or smooth it, where accuracy
/// matters. Why own types: measured several times faster than the packaged libraries on small constraints, and free of
/// their traps (NaN from pow(x, 2) at 0, asserts on empty derivatives, dangling expression templates). Source: Griewank
/// and Walther, Evaluating Derivatives, 2nd ed., chapters 3 and 13.
namespace sunlagrange {

/// Returns the innermost value.
inline double value_of(double x) {
  return x;
}

/// Return the smaller, the larger, `x` between two limits, and -1, 0 or 1; for doubles as for the types below.
inline double min(double a, double b) {
  return b < a ? b : a;
}
inline double max(double a, double b) {
  return a < b ? b : a;
}
inline double clamp(double x, double low, double high) {
  return x < low ? low : high < x ? high : x;
}
inline double sign(double x) {
  return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0;
}

/// Operators and functions common to all three types, written once from `plus`, `times` and `compose`.
/// Derived supplies: Base base() (value part), static Derived product(a, b), Derived compose(f0, f1, f2) const.
template <class Derived, class Base>
struct Arithmetic {
  friend Derived operator*(const Derived& a, const Derived& b) { return Derived::product(a, b); }
  friend Derived operator/(const Derived& a, const Derived& b) { return Derived::product(a, reciprocal(b)); }
  friend Derived operator/(const Derived& a, double b) { return a * (1.0 / b); }
  friend Derived operator/(double a, const Derived& b) { return reciprocal(b) * a; }
  friend Derived operator+(const Derived& a) { return a; }

  friend Derived& operator+=(Derived& a, const Derived& b) { return a = a + b; }
  friend Derived& operator-=(Derived& a, const Derived& b) { return a = a - b; }
  friend Derived& operator*=(Derived& a, const Derived& b) { return a = a * b; }
  friend Derived& operator/=(Derived& a, const Derived& b) { return a = a / b; }

  friend bool operator<(const Derived& a, const Derived& b) { return value_of(a) < value_of(b); }
  friend bool operator>(const Derived& a, const Derived& b) { return value_of(a) > value_of(b); }
  friend bool operator<=(const Derived& a, const Derived& b) { return value_of(a) <= value_of(b); }
  friend bool operator>=(const Derived& a, const Derived& b) { return value_of(a) >= value_of(b); }
  friend bool operator==(const Derived& a, const Derived& b) { return value_of(a) == value_of(b); }
  friend bool operator!=(const Derived& a, const Derived& b) { return value_of(a) != value_of(b); }

  friend double value_of(const Derived& a) { return value_of(a.base()); }

  friend Derived reciprocal(const Derived& x) {
    const Base r = 1.0 / x.base();
    const Base r2 = r * r;
    return x.compose(r, -r2, 2.0 * r2 * r);
  }
  friend Derived sqrt(const Derived& x) {
    using std::sqrt;
    const Base r = sqrt(x.base());
    const Base f1 = 0.5 / r;
    return x.compose(r, f1, -0.5 * f1 / x.base());
  }
  friend Derived sin(const Derived& x) {
    using std::cos;
    using std::sin;
    const Base s = sin(x.base());
    return x.compose(s, cos(x.base()), -s);
  }
  friend Derived cos(const Derived& x) {
    using std::cos;
    using std::sin;
    const Base c = cos(x.base());
    return x.compose(c, -sin(x.base()), -c);
  }
  friend Derived tan(const Derived& x) {
    using std::tan;
    const Base y = tan(x.base());
    const Base f1 = 1.0 + y * y;
    return x.compose(y, f1, 2.0 * y * f1);
  }
  friend Derived asin(const Derived& x) {
    using std::asin;
    using std::sqrt;
    const Base f1 = 1.0 / sqrt(1.0 - x.base() * x.base());
    return x.compose(asin(x.base()), f1, x.base() * f1 * f1 * f1);
  }
  friend Derived acos(const Derived& x) {
    using std::acos;
    using std::sqrt;
    const Base f1 = -1.0 / sqrt(1.0 - x.base() * x.base());
    return x.compose(acos(x.base()), f1, x.base() * f1 * f1 * f1);
  }
  friend Derived atan(const Derived& x) {
    using std::atan;
    const Base f1 = 1.0 / (1.0 + x.base() * x.base());
    return x.compose(atan(x.base()), f1, -2.0 * x.base() * f1 * f1);
  }
  friend Derived exp(const Derived& x) {
    using std::exp;
    const Base e = exp(x.base());
    return x.compose(e, e, e);
  }
  friend Derived log(const Derived& x) {
    using std::log;
    const Base r = 1.0 / x.base();
    return x.compose(log(x.base()), r, -r * r);
  }
  friend Derived sinh(const Derived& x) {
    using std::cosh;
    using std::sinh;
    const Base s = sinh(x.base());
    return x.compose(s, cosh(x.base()), s);
  }
  friend Derived cosh(const Derived& x) {
    using std::cosh;
    using std::sinh;
    const Base c = cosh(x.base());
    return x.compose(c, sinh(x.base()), c);
  }
  friend Derived tanh(const Derived& x) {
    using std::tanh;
    const Base y = tanh(x.base());
    const Base f1 = 1.0 - y * y;
    return x.compose(y, f1, -2.0 * y * f1);
  }
  friend Derived asinh(const Derived& x) {
    using std::asinh;
    using std::sqrt;
    const Base f1 = 1.0 / sqrt(1.0 + x.base() * x.base());
    return x.compose(asinh(x.base()), f1, -x.base() * f1 * f1 * f1);
  }
  friend Derived acosh(const Derived& x) {
    using std::acosh;
    using std::sqrt;
    const Base f1 = 1.0 / sqrt(x.base() * x.base() - 1.0);
    return x.compose(acosh(x.base()), f1, -x.base() * f1 * f1 * f1);
  }
  friend Derived atanh(const Derived& x) {
    using std::atanh;
    const Base f1 = 1.0 / (1.0 - x.base() * x.base());
    return x.compose(atanh(x.base()), f1, 2.0 * x.base() * f1 * f1);
  }
  friend Derived cbrt(const Derived& x) {
    using std::cbrt;
    const Base r = cbrt(x.base());
    const Base f1 = (1.0 / 3.0) / (r * r);
    return x.compose(r, f1, (-2.0 / 3.0) * f1 / x.base());
  }
  friend Derived expm1(const Derived& x) {
    using std::exp;
    using std::expm1;
    const Base e = exp(x.base());
    return x.compose(expm1(x.base()), e, e);
  }
  friend Derived exp2(const Derived& x) { return exp(x * std::log(2.0)); }
  friend Derived log1p(const Derived& x) {
    using std::log1p;
    const Base r = 1.0 / (1.0 + x.base());
    return x.compose(log1p(x.base()), r, -r * r);
  }
  friend Derived log2(const Derived& x) { return log(x) / std::log(2.0); }
  friend Derived log10(const Derived& x) { return log(x) / std::log(10.0); }
  friend Derived erf(const Derived& x) {
    using std::erf;
    using std::exp;
    const Base f1 = 1.12837916709551257390 * exp(-x.base() * x.base());  // 2 / sqrt(pi)
    return x.compose(erf(x.base()), f1, -2.0 * x.base() * f1);
  }
  /// Differs from 1 - erf, which cancels where x is large.
  friend Derived erfc(const Derived& x) {
    using std::erfc;
    using std::exp;
    const Base f1 = -1.12837916709551257390 * exp(-x.base() * x.base());
    return x.compose(erfc(x.base()), f1, -2.0 * x.base() * f1);
  }

  friend Derived min(const Derived& a, const Derived& b) { return b < a ? b : a; }
  friend Derived max(const Derived& a, const Derived& b) { return a < b ? b : a; }
  friend Derived fmin(const Derived& a, const Derived& b) { return min(a, b); }
  friend Derived fmax(const Derived& a, const Derived& b) { return max(a, b); }
  friend Derived clamp(const Derived& x, const Derived& low, const Derived& high) {
    return x < low ? low : high < x ? high : x;
  }
  friend Derived sign(const Derived& x) { return Derived(sign(value_of(x))); }
  friend Derived abs(const Derived& x) { return value_of(x) < 0.0 ? -x : x; }
  friend Derived fabs(const Derived& x) { return abs(x); }

  /// Integer powers by repeated multiplication: exact derivatives at 0.
  friend Derived pow(const Derived& x, int n) {
    if (n < 0) return reciprocal(pow(x, -n));
    Derived result(1.0);
    Derived factor = x;
    for (int k = n; k > 0; k /= 2) {
      if (k % 2 == 1) result = result * factor;
      if (k > 1) factor = factor * factor;
    }
    return result;
  }
  friend Derived pow(const Derived& x, double p) {
    using std::pow;
    if (p == std::floor(p) && std::abs(p) < 64.0) return pow(x, static_cast<int>(p));
    return x.compose(pow(x.base(), p), p * pow(x.base(), p - 1.0), p * (p - 1.0) * pow(x.base(), p - 2.0));
  }
  friend Derived pow(const Derived& x, const Derived& p) { return exp(p * log(x)); }
  friend Derived pow(double x, const Derived& p) { return exp(p * std::log(x)); }

  friend Derived hypot(const Derived& x, const Derived& y) { return sqrt(x * x + y * y); }
  friend Derived hypot(const Derived& x, const Derived& y, const Derived& z) { return sqrt(x * x + y * y + z * z); }
  /// Returns the angle of the point (x, y), on the branch of std::atan2.
  friend Derived atan2(const Derived& y, const Derived& x) {
    if (std::abs(value_of(x)) > std::abs(value_of(y))) {
      const double turn = value_of(x) > 0.0 ? 0.0 : std::copysign(3.14159265358979323846, value_of(y));
      return atan(y / x) + turn;
    }
    return std::copysign(1.57079632679489661923, value_of(y)) - atan(x / y);
  }
};

/// Value and W partial derivatives.
template <class Base, int W>
struct Dual : Arithmetic<Dual<Base, W>, Base> {
  Base value{};                           ///< x
  Base d[static_cast<std::size_t>(W)]{};  ///< partial derivatives, by the W directions

  Dual() = default;
  /// A number that does not depend on anything: derivatives zero.
  Dual(double constant) : value(constant) {}  // NOLINT(google-explicit-constructor): constants mix freely

  const Base& base() const { return value; }

  static Dual product(const Dual& a, const Dual& b) {
    Dual r;
    r.value = a.value * b.value;
    for (int k = 0; k < W; ++k) r.d[k] = a.d[k] * b.value + a.value * b.d[k];
    return r;
  }
  Dual compose(const Base& f0, const Base& f1, const Base&) const {
    Dual r;
    r.value = f0;
    for (int k = 0; k < W; ++k) r.d[k] = f1 * d[k];
    return r;
  }
  friend Dual operator+(const Dual& a, const Dual& b) {
    Dual r;
    r.value = a.value + b.value;
    for (int k = 0; k < W; ++k) r.d[k] = a.d[k] + b.d[k];
    return r;
  }
  friend Dual operator-(const Dual& a, const Dual& b) {
    Dual r;
    r.value = a.value - b.value;
    for (int k = 0; k < W; ++k) r.d[k] = a.d[k] - b.d[k];
    return r;
  }
  friend Dual operator-(const Dual& a) { return a * -1.0; }
  friend Dual operator*(const Dual& a, double b) {
    Dual r;
    r.value = a.value * b;
    for (int k = 0; k < W; ++k) r.d[k] = a.d[k] * b;
    return r;
  }
  friend Dual operator*(double a, const Dual& b) { return b * a; }
};

/// Truncated Taylor series along one direction.
template <class Base>
struct Taylor : Arithmetic<Taylor<Base>, Base> {
  Base c0{}, c1{}, c2{};  ///< x, x', x'' / 2

  Taylor() = default;
  /// A number that does not depend on anything: c1 = c2 = 0.
  Taylor(double constant) : c0(constant) {}  // NOLINT(google-explicit-constructor): constants mix freely
  /// c0 = a, c1 = b, c2 = c.
  Taylor(const Base& a, const Base& b, const Base& c) : c0(a), c1(b), c2(c) {}

  const Base& base() const { return c0; }

  static Taylor product(const Taylor& a, const Taylor& b) {
    return {a.c0 * b.c0, a.c0 * b.c1 + a.c1 * b.c0, a.c0 * b.c2 + a.c1 * b.c1 + a.c2 * b.c0};
  }
  Taylor compose(const Base& f0, const Base& f1, const Base& f2) const {
    return {f0, f1 * c1, f1 * c2 + 0.5 * f2 * c1 * c1};
  }
  friend Taylor operator+(const Taylor& a, const Taylor& b) { return {a.c0 + b.c0, a.c1 + b.c1, a.c2 + b.c2}; }
  friend Taylor operator-(const Taylor& a, const Taylor& b) { return {a.c0 - b.c0, a.c1 - b.c1, a.c2 - b.c2}; }
  friend Taylor operator-(const Taylor& a) { return {-a.c0, -a.c1, -a.c2}; }
  friend Taylor operator*(const Taylor& a, double b) { return {a.c0 * b, a.c1 * b, a.c2 * b}; }
  friend Taylor operator*(double a, const Taylor& b) { return b * a; }
};

/// Taylor series and gradient of its value, sharing all elementary functions.
template <int W>
struct Jet : Arithmetic<Jet<W>, double> {
  double c0 = 0.0, c1 = 0.0, c2 = 0.0;      ///< x, x', x'' / 2
  double d[static_cast<std::size_t>(W)]{};  ///< partial derivatives of c0

  Jet() = default;
  /// A number that does not depend on anything: derivatives zero.
  Jet(double constant) : c0(constant) {}  // NOLINT(google-explicit-constructor): constants mix freely

  double base() const { return c0; }

  static Jet product(const Jet& a, const Jet& b) {
    Jet r;
    r.c0 = a.c0 * b.c0;
    r.c1 = a.c0 * b.c1 + a.c1 * b.c0;
    r.c2 = a.c0 * b.c2 + a.c1 * b.c1 + a.c2 * b.c0;
    for (int k = 0; k < W; ++k) r.d[k] = a.d[k] * b.c0 + a.c0 * b.d[k];
    return r;
  }
  Jet compose(double f0, double f1, double f2) const {
    Jet r;
    r.c0 = f0;
    r.c1 = f1 * c1;
    r.c2 = f1 * c2 + 0.5 * f2 * c1 * c1;
    for (int k = 0; k < W; ++k) r.d[k] = f1 * d[k];
    return r;
  }
  friend Jet operator+(const Jet& a, const Jet& b) {
    Jet r;
    r.c0 = a.c0 + b.c0;
    r.c1 = a.c1 + b.c1;
    r.c2 = a.c2 + b.c2;
    for (int k = 0; k < W; ++k) r.d[k] = a.d[k] + b.d[k];
    return r;
  }
  friend Jet operator-(const Jet& a, const Jet& b) {
    Jet r;
    r.c0 = a.c0 - b.c0;
    r.c1 = a.c1 - b.c1;
    r.c2 = a.c2 - b.c2;
    for (int k = 0; k < W; ++k) r.d[k] = a.d[k] - b.d[k];
    return r;
  }
  friend Jet operator-(const Jet& a) { return a * -1.0; }
  friend Jet operator*(const Jet& a, double b) {
    Jet r;
    r.c0 = a.c0 * b;
    r.c1 = a.c1 * b;
    r.c2 = a.c2 * b;
    for (int k = 0; k < W; ++k) r.d[k] = a.d[k] * b;
    return r;
  }
  friend Jet operator*(double a, const Jet& b) { return b * a; }
};

}  // namespace sunlagrange
