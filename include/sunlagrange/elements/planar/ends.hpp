// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/drawing.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// Two components of scalars T.
template <class T>
struct PlanarVector {
  T x{};  ///< along the first axis
  T y{};  ///< along the second axis

  friend PlanarVector operator+(const PlanarVector& a, const PlanarVector& b) { return {a.x + b.x, a.y + b.y}; }
  friend PlanarVector operator-(const PlanarVector& a, const PlanarVector& b) { return {a.x - b.x, a.y - b.y}; }
  friend PlanarVector operator*(const T& s, const PlanarVector& a) { return {s * a.x, s * a.y}; }
  /// Returns the scalar product.
  friend T dot(const PlanarVector& a, const PlanarVector& b) { return a.x * b.x + a.y * b.y; }
};

/// (x, y) turned counterclockwise by an angle.
template <class T>
PlanarVector<T> turned(double x, double y, const T& angle) {
  using std::cos;
  using std::sin;
  const T c = cos(angle);
  const T s = sin(angle);
  return {x * c - y * s, x * s + y * c};
}

namespace internal {

/// cos and sin of the last angle of this thread: joints in a row, and the ends of a force, need the
/// same body again.
struct LastTurn {
  double angle = 0.0, c = 1.0, s = 0.0;
};
inline thread_local LastTurn last_turn;

}  // namespace internal

/// The same for doubles; it keeps cosine and sine of the last angle.
inline PlanarVector<double> turned(double x, double y, double angle) {
  internal::LastTurn& last = internal::last_turn;
  if (!(angle == last.angle) || angle == 0.0) last = {angle, std::cos(angle), std::sin(angle)};  // zeros have signs
  return {x * last.c - y * last.s, x * last.s + y * last.c};
}

/// Returns a place in the plane for a drawing.
inline Drawing::Point drawn(const PlanarVector<double>& p) {
  return {p.x, p.y};
}

// Ends of planar elements. Elements with two ends take them as template arguments and find out from
// the values given: LinearSpring{100.0, 0.5, OnBody{0.2, 0.0}, OnGround{1.0, 0.0}} acts on one planar_body. Ends on the
// ground take no block.

/// End at a planar_point. Every kind of end has these members; q, v and f begin with its own coordinates.
///
/// | member | meaning |
/// |---|---|
/// | `size` | number of its coordinates |
/// | `position(q)` | place in ground axes [m] |
/// | `velocity(q, v)` | rate of the place [m/s] |
/// | `apply(force, q, f)` | adds the generalised force of a force [N], in ground axes, at this end to f |
/// | `draw(q, first, d)` | its place in the picture; `first`: its first coordinate among those of the element |
/// | `local(q, point)` | a point of the ground in axes fixed in the body, from this end; not of AtPoint [m] |
struct AtPoint {
  static constexpr const char* type_name = "AtPoint";

  static constexpr int size = 2;
  static constexpr std::array<BlockKind, 1> blocks{BlockKind::planar_point};

  template <class T>
  PlanarVector<T> position(const T* q) const {
    return {q[0], q[1]};
  }
  template <class T>
  PlanarVector<T> velocity(const T*, const T* v) const {
    return {v[0], v[1]};
  }
  template <class T>
  void apply(const PlanarVector<T>& force, const T*, T* f) const {
    f[0] += force.x;
    f[1] += force.y;
  }
  Drawing::Point draw(View<const double> q, int first, Drawing&) const { return drawn(position(q.data() + first)); }
};

/// End at a point of a planar_body.
struct OnBody {
  static constexpr const char* type_name = "OnBody";

  double sx = 0.0;
  double sy = 0.0;

  static constexpr int size = 3;
  static constexpr std::array<BlockKind, 1> blocks{BlockKind::planar_body};

  void describe_parameters(Parameters& p) {
    p.finite("sx", sx, "m", "from the reference point of the body, in its own axes");
    p.finite("sy", sy, "m", "from the reference point of the body, in its own axes");
  }

  template <class T>
  PlanarVector<T> position(const T* q) const {
    return PlanarVector<T>{q[0], q[1]} + turned(sx, sy, q[2]);
  }
  template <class T>
  PlanarVector<T> velocity(const T* q, const T* v) const {
    const PlanarVector<T> s = turned(sx, sy, q[2]);
    return {v[0] - s.y * v[2], v[1] + s.x * v[2]};
  }
  template <class T>
  void apply(const PlanarVector<T>& force, const T* q, T* f) const {
    const PlanarVector<T> s = turned(sx, sy, q[2]);
    f[0] += force.x;
    f[1] += force.y;
    f[2] += s.x * force.y - s.y * force.x;
  }
  Drawing::Point draw(View<const double> q, int first, Drawing& d) const {
    return d.on_body(drawn(position(q.data() + first)), first);
  }
  template <class T>
  PlanarVector<T> local(const T* q, const PlanarVector<T>& point) const {
    using std::cos;
    using std::sin;
    const T c = cos(q[2]);
    const T s = sin(q[2]);
    const PlanarVector<T> d{point.x - q[0], point.y - q[1]};
    return {c * d.x + s * d.y - sx, c * d.y - s * d.x - sy};
  }
};

/// End at a fixed point of the ground.
struct OnGround {
  static constexpr const char* type_name = "OnGround";

  double x = 0.0;
  double y = 0.0;

  static constexpr int size = 0;
  static constexpr std::array<BlockKind, 0> blocks{};

  void describe_parameters(Parameters& p) {
    p.finite("x", x, "m", "of the fixed point");
    p.finite("y", y, "m", "of the fixed point");
  }

  template <class T>
  PlanarVector<T> position(const T*) const {
    return {T(x), T(y)};
  }
  template <class T>
  PlanarVector<T> velocity(const T*, const T*) const {
    return {};
  }
  template <class T>
  void apply(const PlanarVector<T>&, const T*, T*) const {}
  Drawing::Point draw(View<const double>, int, Drawing& d) const { return d.ground({x, y}); }
  template <class T>
  PlanarVector<T> local(const T*, const PlanarVector<T>& point) const {
    return {point.x - x, point.y - y};
  }
};

/// The blocks of several ends, one after the other.
template <class... Ends>
constexpr auto blocks_of() {
  std::array<BlockKind, (Ends::blocks.size() + ... + 0)> all{};
  static_assert(all.size() > 0, "sunlagrange: an element needs an end that is not on the ground");
  std::size_t next = 0;
  const auto append = [&](const auto& some) {
    for (const BlockKind kind : some) all[next++] = kind;
  };
  (append(Ends::blocks), ...);
  return all;
}

}  // namespace sunlagrange
