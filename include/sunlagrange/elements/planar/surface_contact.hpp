// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include <sunlagrange/elements/planar/ends.hpp>
#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/not_smooth.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/requirements.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// Elastic contact with dry friction: a point, or a point of a body, on a straight surface of the ground. The surface
/// goes through (x, y) under `angle` from the x axis; it is free on its left, where the angle turns to.
///
/// At depth e > 0 behind it, with the rates e' of the depth and u along the surface, it pushes with N = k e (1 + d e'),
/// never pulls, and rubs with -mu N tanh(u / v_r), Coulomb's law made smooth: see CoordinateFriction for v_r. k e has
/// the potential k e^2 / 2, the rest dissipates. A mass m rests at the depth m g / k; under implicit integrators stiff
/// is cheap. When not: for contacts without compliance, of which impacts and release are wanted: unilateral_contact
/// (events.hpp).
template <class End = AtPoint>
struct SurfaceContact {
  double x = 0.0;
  double y = -0.1;
  double angle = 0.0;
  double k = 1e5;
  double d = 0.0;
  double mu = 0.3;
  double v_r = 1e-3;
  End end{};

  static constexpr int num_positions = End::size;
  static constexpr auto blocks = blocks_of<End>();
  static constexpr bool dissipative = true;

  void describe_parameters(Parameters& p) {
    p.finite("x", x, "m", "of a point of the surface");
    p.finite("y", y, "m", "of a point of the surface");
    p.finite("angle", angle, "rad", "of the surface from the x axis; free on its left");
    p.positive("k", k, "N/m", "stiffness", "a contact that does not yield is unilateral_contact");
    p.not_negative("d", d, "s/m", "damping, N = k e (1 + d e')");
    p.not_negative("mu", mu, "1", "coefficient of friction");
    p.positive("v_r", v_r, "m/s", "rate below which friction is smoothed", "Coulomb's law itself jumps");
    p.part("end", end, "what touches the surface");
  }

  template <class T>
  T potential_energy(T, View<const T> q) const {
    const T e = depth(end.position(q.data()));
    return e > 0.0 ? 0.5 * k * e * e : T(0.0);
  }

  template <class T>
  void applied_force(T, View<const T> q, View<const T> v, View<T> f) const {
    using std::cos;
    using std::sin;
    using std::tanh;
    const T e = depth(end.position(q.data()));
    if (!(e > 0.0)) return;
    const double c = cos(angle), s = sin(angle);
    const PlanarVector<T> u = end.velocity(q.data(), v.data());
    const T elastic = k * e;
    const T pushed = elastic * (1.0 + d * (s * u.x - c * u.y));
    const T N = pushed > 0.0 ? pushed : T(0.0);
    const T rub = -mu * N * tanh((c * u.x + s * u.y) * (1.0 / v_r));
    const T push = N - elastic;
    end.apply(PlanarVector<T>{c * rub - s * push, s * rub + c * push}, q.data(), f.data());
  }

  LocalSparsity sparsity() const {
    LocalSparsity pattern;  // off the surface nothing shows
    for (int i = 0; i < num_positions; ++i) {
      for (int j = 0; j < num_positions; ++j) pattern.tangent.emplace_back(i, j);
    }
    return pattern;
  }

  void not_smooth(double, View<const double> q, View<const double> v, NotSmooth& n) const {
    const double e = depth(end.position(q.data()));
    const PlanarVector<double> u = end.velocity(q.data(), v.data());
    n.gap(-e);
    n.friction(std::cos(angle) * u.x + std::sin(angle) * u.y, v_r, mu > 0.0 && e > 0.0);
  }

  void draw(double, View<const double> q, Drawing& drawing) const {
    drawing.rail({x, y}, {std::cos(angle), std::sin(angle)}, end.draw(q, 0, drawing));
  }

 private:
  template <class T>
  T depth(const PlanarVector<T>& p) const {
    return std::sin(angle) * (p.x - x) - std::cos(angle) * (p.y - y);
  }
};

extern template struct internal::ElementType<SurfaceContact<>>;
extern template struct internal::ElementType<SurfaceContact<OnBody>>;

}  // namespace sunlagrange
