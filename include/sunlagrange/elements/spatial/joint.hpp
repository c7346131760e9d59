// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sunlagrange/elements/spatial/ends.hpp>
#include <sunlagrange/model/parameters.hpp>

/// The building blocks of spatial joints. A joint between ends a and b describes its rows once, by
///
/// | member | meaning |
/// |---|---|
/// | `coincide()` | P_a - P_b, 3 rows in ground axes [m] |
/// | `perpendicular(k, l)` | axis_k of a . axis_l of b [-] |
/// | `on_plane(k)` | axis_k of a . (P_a - P_b) [m] |
/// | `distance(L)` | (d.d - L^2) / 2, d = P_a - P_b [m^2] |
///
/// and SpatialJoint makes of it g for any scalar, and g, g', gamma, dg/dq in closed form (the rows are quadratic in
/// the Euler parameters of each body).
namespace sunlagrange::spatial {

/// Writes g.
template <class T, class A, class B>
class ValueRows {
 public:
  /// @param g  output; rows follow each other in the order of the calls
  ValueRows(const A& a, const B& b, View<const T> q, View<T> g)
      : a_(a), b_(b), qa_(part(q, 0, A::num_positions)), qb_(part(q, A::num_positions, B::num_positions)), g_(g) {}

  void coincide() {
    const Vector3<T> d = offset();
    for (const T& x : d) g_[row_++] = x;
  }
  void perpendicular(int k, int l) { g_[row_++] = dot(a_.axis(k, qa_), b_.axis(l, qb_)); }
  void on_plane(int k) { g_[row_++] = dot(a_.axis(k, qa_), offset()); }
  void distance(double L) {
    const Vector3<T> d = offset();
    g_[row_++] = 0.5 * (dot(d, d) - L * L);
  }

 private:
  Vector3<T> offset() const { return difference(a_.point(qa_), b_.point(qb_)); }

  const A& a_;
  const B& b_;
  View<const T> qa_, qb_;
  View<T> g_;
  int row_ = 0;
};

/// Writes g, g', gamma and dg/dq.
template <class A, class B>
class AllRows {
  using Vector = Vector3<double>;

 public:
  /// @param g, rate, gamma, G  outputs, as those of `constraint_rows` in requirements.hpp
  AllRows(const A& a, const B& b, View<const double> q, View<const double> v, View<double> g, View<double> rate,
          View<double> gamma, MatrixView<double> G)
      : a_(a),
        b_(b),
        qa_(part(q, 0, A::num_positions)),
        qb_(part(q, A::num_positions, B::num_positions)),
        va_(part(v, 0, A::num_positions)),
        vb_(part(v, A::num_positions, B::num_positions)),
        g_(g),
        rate_(rate),
        gamma_(gamma),
        G_(G) {
    d_ = difference(a_.point(qa_), b_.point(qb_));
    d_rate_ = difference(a_.point_rate(qa_, va_), b_.point_rate(qb_, vb_));
    d_curvature_ = difference(a_.point_curvature(va_), b_.point_curvature(vb_));
  }

  void coincide() {
    for (std::size_t k = 0; k < 3; ++k) {
      Vector unit{0.0, 0.0, 0.0};
      unit[k] = 1.0;
      pull_offset(unit);
      finish(d_[k], d_rate_[k], d_curvature_[k]);
    }
  }

  void perpendicular(int k, int l) {
    const Vector x = a_.axis(k, qa_), x_rate = a_.axis_rate(k, qa_, va_);
    const Vector y = b_.axis(l, qb_), y_rate = b_.axis_rate(l, qb_, vb_);
    a_.pull_axis(k, qa_, y, 1.0, row_a(), stride());
    b_.pull_axis(l, qb_, x, 1.0, row_b(), stride());
    finish(dot(x, y), dot(x_rate, y) + dot(x, y_rate),
           dot(a_.axis_curvature(k, va_), y) + 2.0 * dot(x_rate, y_rate) + dot(x, b_.axis_curvature(l, vb_)));
  }

  void on_plane(int k) {
    const Vector x = a_.axis(k, qa_), x_rate = a_.axis_rate(k, qa_, va_);
    a_.pull_axis(k, qa_, d_, 1.0, row_a(), stride());
    pull_offset(x);
    finish(dot(x, d_), dot(x_rate, d_) + dot(x, d_rate_),
           dot(a_.axis_curvature(k, va_), d_) + 2.0 * dot(x_rate, d_rate_) + dot(x, d_curvature_));
  }

  void distance(double L) {
    pull_offset(d_);
    finish(0.5 * (dot(d_, d_) - L * L), dot(d_, d_rate_), dot(d_rate_, d_rate_) + dot(d_, d_curvature_));
  }

 private:
  void pull_offset(const Vector& F) {
    a_.pull_point(qa_, F, 1.0, row_a(), stride());
    b_.pull_point(qb_, F, -1.0, row_b(), stride());
  }
  void finish(double value, double rate, double curvature) {
    g_[row_] = value;
    rate_[row_] = rate;
    gamma_[row_] = -curvature;
    ++row_;
  }
  double* row_a() { return G_.data() + row_; }
  double* row_b() { return G_.data() + row_ + A::num_positions * stride(); }
  int stride() const { return G_.rows(); }

  const A& a_;
  const B& b_;
  View<const double> qa_, qb_, va_, vb_;
  View<double> g_, rate_, gamma_;
  MatrixView<double> G_;
  Vector d_, d_rate_, d_curvature_;
  int row_ = 0;
};

}  // namespace sunlagrange::spatial

namespace sunlagrange {

/// A joint with `num_rows` rows between two ends; `Joint` describes them in `template <class Rows> void describe(Rows&)
/// const`, see above. The element acts on the blocks of its ends in this order; GroundEnd has none.
template <class Joint, class A, class B, int num_rows>
struct SpatialJoint {
  A a{};
  B b{};

  static constexpr int num_positions = A::num_positions + B::num_positions;
  static constexpr auto blocks = blocks_of_ends<A, B>();
  static constexpr int num_constraints = num_rows;
  static_assert(num_positions > 0, "sunlagrange: a joint of the ground with itself has no coordinates");

  void describe_parameters(Parameters& p) {
    p.part("a", a, "one end");
    p.part("b", b, "the other end");
  }

  SpatialJoint() = default;
  SpatialJoint(const A& end_a, const B& end_b) : a(end_a), b(end_b) {}

  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    spatial::ValueRows<T, A, B> rows(a, b, q, g);
    static_cast<const Joint&>(*this).describe(rows);
  }

  void constraint_rows(double, View<const double> q, View<const double> v, View<double> g, View<double> rate,
                       View<double> gamma, MatrixView<double> G) const {
    spatial::AllRows<A, B> rows(a, b, q, v, g, rate, gamma, G);
    static_cast<const Joint&>(*this).describe(rows);
  }

  /// Draws a pin at end a; joints with an axis have a `draw` of their own.
  void draw(double, View<const double> q, Drawing& d) const {
    d.pin(a.draw(q, 0, d));
    b.draw(q, A::num_positions, d);
  }

 protected:
  /// Axis k of end a, in ground axes.
  Drawing::Point drawn_axis(int k, View<const double> q) const {
    return spatial::drawn(a.axis(k, spatial::part(q, 0, A::num_positions)));
  }
};

}  // namespace sunlagrange
