// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sunlagrange/model/drawing.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// Body with inertia and weight from one mass. It has the members of `Inertia`, an element, and the acceleration of
/// gravity that `Field` holds.
template <class Inertia, class Field>
struct BodyWithWeight : Inertia, Field {
  BodyWithWeight() = default;
  /// Makes a body of this inertia, whose weight acts in this field.
  BodyWithWeight(const Inertia& inertia, const Field& field) : Inertia(inertia), Field(field) {}

  void describe_parameters(Parameters& p) {
    Inertia::describe_parameters(p);
    Field::describe_parameters(p);
  }

  template <class T>
  void applied_force(T t, View<const T> q, View<const T> v, View<T> f) const {
    if constexpr (!Inertia::constant_mass_matrix) Inertia::applied_force(t, q, v, f);
    weight().applied_force(t, q, v, f);
  }
  double energy(double t, View<const double> q, View<const double> v) const {
    return Inertia::energy_of_motion(q, v) + weight().energy(t, q, v);
  }

  void draw(double t, View<const double> q, Drawing& d) const {
    Inertia::draw(t, q, d);
    if (Field::acts()) weight().draw(t, q, d);
  }

  /// The inertia alone, as an element.
  const Inertia& inertia() const { return *this; }
  /// The weight alone, as an element.
  auto weight() const { return Field::weight_of(this->m); }
};

}  // namespace sunlagrange
