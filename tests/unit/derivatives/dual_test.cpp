// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <limits>
#include <random>

#include <sunlagrange/derivatives/dual.hpp>

/// Every function of the dual numbers and Taylor series against differences, at random points; the points at which
/// packaged libraries go wrong one by one.
using namespace sunlagrange;

namespace {

constexpr double pi = 3.14159265358979323846;

using D = Dual<double, 2>;
using DD = Dual<D, 2>;
using Curve = Taylor<double>;

bool close(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance * (1.0 + std::abs(b));
}

struct Point {
  double x, y;
};

D seeded(double x, int k) {
  D r(x);
  r.d[k] = 1.0;
  return r;
}
DD seeded_twice(double x, int k) {
  DD r(x);
  r.value.d[k] = 1.0;
  r.d[k] = D(1.0);
  return r;
}

/// All types at one point. f is generic in the scalar.
template <class F>
void check_at(const F& f, Point p) {
  const double h = 1e-5;
  const D d = f(seeded(p.x, 0), seeded(p.y, 1));
  BOOST_TEST(close(d.value, f(p.x, p.y), 1e-14));
  const double fx = (f(p.x + h, p.y) - f(p.x - h, p.y)) / (2.0 * h);
  const double fy = (f(p.x, p.y + h) - f(p.x, p.y - h)) / (2.0 * h);
  BOOST_TEST(close(d.d[0], fx, 2e-8));
  BOOST_TEST(close(d.d[1], fy, 2e-8));

  // nested: second derivatives against differences of first ones
  const DD dd = f(seeded_twice(p.x, 0), seeded_twice(p.y, 1));
  const auto gradient = [&](double x, double y, int k) { return f(seeded(x, 0), seeded(y, 1)).d[k]; };
  for (int k = 0; k < 2; ++k) {
    BOOST_TEST(close(dd.value.d[k], d.d[k], 1e-13));
    BOOST_TEST(close(dd.d[k].value, d.d[k], 1e-13));
    const double by_x = (gradient(p.x + h, p.y, k) - gradient(p.x - h, p.y, k)) / (2.0 * h);
    const double by_y = (gradient(p.x, p.y + h, k) - gradient(p.x, p.y - h, k)) / (2.0 * h);
    BOOST_TEST(close(dd.d[k].d[0], by_x, 5e-8));
    BOOST_TEST(close(dd.d[k].d[1], by_y, 5e-8));
  }

  // along the curve x + 0.7 s - 0.4 s^2, y - 0.3 s + 0.9 s^2
  const auto rate = [&](double s) {  // d/ds by the gradient just checked
    const double x = p.x + s * (0.7 - 0.4 * s), y = p.y + s * (-0.3 + 0.9 * s);
    return gradient(x, y, 0) * (0.7 - 0.8 * s) + gradient(x, y, 1) * (-0.3 + 1.8 * s);
  };
  const Curve c = f(Curve(p.x, 0.7, -0.4), Curve(p.y, -0.3, 0.9));
  BOOST_TEST(close(c.c0, d.value, 1e-14));
  BOOST_TEST(close(c.c1, rate(0.0), 1e-13));
  BOOST_TEST(close(2.0 * c.c2, (rate(h) - rate(-h)) / (2.0 * h), 5e-8));

  // a jet is a curve and a gradient of the value at once
  Jet<2> X(p.x), Y(p.y);
  X.c1 = 0.7;
  X.c2 = -0.4;
  X.d[0] = 1.0;
  Y.c1 = -0.3;
  Y.c2 = 0.9;
  Y.d[1] = 1.0;
  const Jet<2> jet = f(X, Y);
  BOOST_TEST(close(jet.c0, c.c0, 1e-14));
  BOOST_TEST(close(jet.c1, c.c1, 1e-13));
  BOOST_TEST(close(jet.c2, c.c2, 1e-13));
  for (int k = 0; k < 2; ++k) BOOST_TEST(close(jet.d[k], d.d[k], 1e-13));

  // gradient of the Taylor coefficients, as the Newton blocks use it: both nestings
  Dual<Curve, 2> U, V;
  U.value = Curve(p.x, 0.7, -0.4);
  U.d[0] = Curve(1.0);
  V.value = Curve(p.y, -0.3, 0.9);
  V.d[1] = Curve(1.0);
  const Dual<Curve, 2> w = f(U, V);
  const Taylor<D> z = f(Taylor<D>(seeded(p.x, 0), D(0.7), D(-0.4)), Taylor<D>(seeded(p.y, 1), D(-0.3), D(0.9)));
  const auto curve = [&](double x, double y) { return f(Curve(x, 0.7, -0.4), Curve(y, -0.3, 0.9)); };
  for (int k = 0; k < 2; ++k) {
    const double hx = k == 0 ? h : 0.0, hy = k == 1 ? h : 0.0;
    const Curve plus = curve(p.x + hx, p.y + hy), minus = curve(p.x - hx, p.y - hy);
    BOOST_TEST(close(w.d[k].c0, d.d[k], 1e-13));
    BOOST_TEST(close(w.d[k].c1, (plus.c1 - minus.c1) / (2.0 * h), 1e-7));
    BOOST_TEST(close(w.d[k].c2, (plus.c2 - minus.c2) / (2.0 * h), 1e-6));
    BOOST_TEST(close(z.c1.d[k], w.d[k].c1, 1e-12));
    BOOST_TEST(close(z.c2.d[k], w.d[k].c2, 1e-12));
  }
}

template <class F>
void check(const char* name, const F& f, double low = -1.5, double high = 1.5) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(low, high);
  for (int k = 0; k < 5; ++k) {
    const Point p{uniform(random), uniform(random)};
    BOOST_TEST_CONTEXT(name << " at (" << p.x << ", " << p.y << ")") {
      check_at(f, p);
    }
  }
}

// f(x, y) with x, y of any scalar type; functions are found by argument-dependent lookup
#define FUNCTION(expression)               \
  [](const auto& x, const auto& y) {       \
    using namespace std; /* for doubles */ \
    static_cast<void>(x);                  \
    static_cast<void>(y);                  \
    return expression;                     \
  }

}  // namespace

BOOST_AUTO_TEST_CASE(arithmetic) {
  check("+", FUNCTION(x + y + 1.5 + (2.5 + x)));
  check("-", FUNCTION(x - y - 1.5 + (2.5 - x) + (-y)));
  check("*", FUNCTION(x * y * 1.5 + 2.5 * x));
  check("/", FUNCTION(x / y + x / 3.0 + 2.0 / y), 0.4, 2.0);
  check("unary +", FUNCTION(+x * y));
  check(
      "compound assignment",
      [](auto x, const auto& y) {
        auto z = x;
        z += y;
        z *= x;
        z -= 0.5 * y;
        z /= y;
        return z;
      },
      0.4, 2.0);
}

BOOST_AUTO_TEST_CASE(elementary_functions) {
  check("sqrt", FUNCTION(sqrt(x * y)), 0.3, 2.0);
  check("sin", FUNCTION(sin(x + 2.0 * y)));
  check("cos", FUNCTION(cos(x * y)));
  check("tan", FUNCTION(tan(0.5 * x + 0.3 * y)));
  check("asin", FUNCTION(asin(0.4 * x - 0.2 * y)));
  check("acos", FUNCTION(acos(0.4 * x - 0.2 * y)));
  check("atan", FUNCTION(atan(x * y)));
  check("exp", FUNCTION(exp(x - y)));
  check("log", FUNCTION(log(x + y)), 0.3, 2.0);
  check("sinh", FUNCTION(sinh(x - y)));
  check("cosh", FUNCTION(cosh(x + y)));
  check("tanh", FUNCTION(tanh(x * y)));
  check("hypot", FUNCTION(hypot(x, y)));
  check("atan2", FUNCTION(atan2(y, x)), 0.2, 1.5);
  check("abs", FUNCTION(abs(x) * y + fabs(y)), -2.0, -0.2);
  check("cbrt", FUNCTION(cbrt(x * y)), -2.0, -0.3);
  check("exp2", FUNCTION(exp2(x - y)));
  check("expm1", FUNCTION(expm1(x * y)));
  check("log2", FUNCTION(log2(x + y)), 0.3, 2.0);
  check("log10", FUNCTION(log10(x * y)), 0.3, 2.0);
  check("log1p", FUNCTION(log1p(x * y)), -0.6, 0.6);
  check("asinh", FUNCTION(asinh(x - 2.0 * y)));
  check("acosh", FUNCTION(acosh(1.5 + x * y)), 0.2, 2.0);
  check("atanh", FUNCTION(atanh(0.4 * x - 0.2 * y)));
  check("erf", FUNCTION(erf(x * y)));
  check("erfc", FUNCTION(erfc(x - y)));
  check("hypot of three", FUNCTION(hypot(x, y, 0.5)));
}

BOOST_AUTO_TEST_CASE(branches) {
  using sunlagrange::clamp, sunlagrange::max, sunlagrange::min, sunlagrange::sign;
  check("min", FUNCTION(min(x * x, 5.0) * min(y, x - 4.0)));
  check("max", FUNCTION(max(0.0, x * y + 3.0) * max(y - 4.0, x)));
  check("fmin, fmax", FUNCTION(fmin(x, y + 4.0) * fmax(x + 4.0, y)));
  check("clamp", FUNCTION(clamp(x * y, -3.0, 3.0) + x * clamp(y - 9.0, -1.0, 1.0)));
  check("sign", FUNCTION(sign(x + 3.0) * y + sign(y - 3.0) * x));
  const D x = seeded(2.0, 0), y = seeded(3.0, 1);
  BOOST_TEST(max(x, y).d[1] == 1.0);
  BOOST_TEST(min(x, y).d[0] == 1.0);
  BOOST_TEST(clamp(x, 2.5, y).value == 2.5);
  BOOST_TEST(clamp(x, 2.5, y).d[0] == 0.0);
  BOOST_TEST(sign(0.0) == 0.0);
  BOOST_TEST(sign(-x).value == -1.0);
  BOOST_TEST(max(0, 1.5) == 1.5);
}

BOOST_AUTO_TEST_CASE(powers) {
  check("pow(x, 3)", FUNCTION(pow(x, 3) + pow(y, 2)));
  check("pow(x, 7)", FUNCTION(pow(x, 7) * y));
  check("pow(x, -2)", FUNCTION(pow(x, -2) * y), 0.4, 2.0);
  check("pow(x, 2.0)", FUNCTION(pow(x, 2.0) * y));
  check("pow(x, -3.0)", FUNCTION(pow(x, -3.0) * y), 0.4, 2.0);
  check("pow(x, 1.7)", FUNCTION(pow(x, 1.7) * y), 0.3, 2.0);
  check("pow(x, y)", FUNCTION(pow(x, y)), 0.3, 2.0);
  check("pow(2.5, y)", FUNCTION(pow(2.5, y) * x));
}

BOOST_AUTO_TEST_CASE(comparisons_look_at_the_value) {
  const D small = seeded(1.0, 0), large = seeded(2.0, 1), same(1.0);
  BOOST_TEST((small < large));
  BOOST_TEST((large > small));
  BOOST_TEST((small <= same));
  BOOST_TEST((small >= same));
  BOOST_TEST((small == same));
  BOOST_TEST((small != large));
  BOOST_TEST(!(small < 0.5));
  BOOST_TEST(value_of(DD(3.0)) == 3.0);
}

BOOST_AUTO_TEST_CASE(p25_powers_at_zero) {
  const DD zero = seeded_twice(0.0, 0);
  for (const DD& y : {pow(zero, 2), pow(zero, 2.0)}) {
    BOOST_TEST(y.value.value == 0.0);
    BOOST_TEST(y.d[0].value == 0.0);
    BOOST_TEST(y.d[0].d[0] == 2.0);
  }
  const Curve c = pow(Curve(0.0, 3.0, 0.0), 2);
  BOOST_TEST(c.c0 == 0.0);
  BOOST_TEST(c.c1 == 0.0);
  BOOST_TEST(c.c2 == 9.0);
  BOOST_TEST(pow(zero, 0).value.value == 1.0);
  BOOST_TEST(pow(zero, 0).d[0].value == 0.0);
  BOOST_TEST(pow(zero, 1).d[0].value == 1.0);
  BOOST_TEST(pow(zero, 3).d[0].d[0] == 0.0);
}

BOOST_AUTO_TEST_CASE(p25_constants_have_no_derivative) {
  const D c = D(2.0) * 3.0 + 1.0;
  BOOST_TEST(c.value == 7.0);
  BOOST_TEST(c.d[0] == 0.0);
  const D mixed = sin(D(0.5)) * seeded(2.0, 0) + D(1.0);
  BOOST_TEST(close(mixed.d[0], std::sin(0.5), 1e-15));
  BOOST_TEST(mixed.d[1] == 0.0);
}

BOOST_AUTO_TEST_CASE(p25_not_differentiable_points_are_not_silently_finite) {
  BOOST_TEST(std::isinf(sqrt(seeded(0.0, 0)).d[0]));
  const D x = seeded(0.0, 0);
  BOOST_TEST(!std::isfinite(sqrt(x * x).d[0]));
  BOOST_TEST(!std::isfinite(hypot(seeded(0.0, 0), seeded(0.0, 1)).d[1]));
}

BOOST_AUTO_TEST_CASE(p25_abs_left_and_right_of_zero) {
  BOOST_TEST(abs(seeded(-2.0, 0)).value == 2.0);
  BOOST_TEST(abs(seeded(-2.0, 0)).d[0] == -1.0);
  BOOST_TEST(abs(seeded(2.0, 0)).d[0] == 1.0);
  BOOST_TEST(std::abs(abs(seeded(0.0, 0)).d[0]) == 1.0);  // a one-sided derivative, never 0 or NaN
}

BOOST_AUTO_TEST_CASE(p25_atan2_in_all_quadrants_and_on_the_axes) {
  const double r = 1.3;
  for (int k = -16; k <= 16; ++k) {
    const double angle = k * pi / 16.0;
    double x = r * std::cos(angle), y = r * std::sin(angle);
    if (k % 16 == 0) y = k == -16 ? -0.0 : 0.0;  // exactly on the x axis, on both sides of the branch cut
    if (k == 8 || k == -8) x = 0.0;
    BOOST_TEST_CONTEXT("angle " << angle) {
      const DD a = atan2(seeded_twice(y, 1), seeded_twice(x, 0));
      BOOST_TEST(close(a.value.value, std::atan2(y, x), 1e-15));
      BOOST_TEST(close(a.d[0].value, -y / (r * r), 1e-14));
      BOOST_TEST(close(a.d[1].value, x / (r * r), 1e-14));
      BOOST_TEST(close(a.d[0].d[0], 2.0 * x * y / (r * r * r * r), 1e-13));
      BOOST_TEST(close(a.d[0].d[1], (y * y - x * x) / (r * r * r * r), 1e-13));
    }
  }
}
