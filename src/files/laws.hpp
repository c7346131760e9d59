#pragma once

#include <type_traits>

#include <sunlagrange/elements/coordinate.hpp>
#include <sunlagrange/elements/network.hpp>
#include <sunlagrange/elements/planar.hpp>
#include <sunlagrange/elements/spatial.hpp>
#include <sunlagrange/model/laws.hpp>

/// Laws of model files in place of the functions of C++.
namespace sunlagrange::internal {

/// A function of time for each component, in the plane.
struct PlanarComponents {
  static constexpr const char* type_name = "PlanarComponents";

  TimeLaw x{}, y{};

  void describe_parameters(Parameters& p) {
    p.part("x", x, "x component as a function of t");
    p.part("y", y, "y component as a function of t");
  }

  template <class T>
  PlanarVector<T> operator()(const T& t) const {
    return {x(t), y(t)};
  }
};

/// A function of time for each component, in space.
struct SpatialComponents {
  static constexpr const char* type_name = "SpatialComponents";

  TimeLaw x{}, y{}, z{};

  void describe_parameters(Parameters& p) {
    p.part("x", x, "x component as a function of t");
    p.part("y", y, "y component as a function of t");
    p.part("z", z, "z component as a function of t");
  }

  template <class T>
  spatial::Vector3<T> operator()(const T& t) const {
    return {x(t), y(t), z(t)};
  }
};

using EffortLaw = OneOf<ConstantEffort, Polynomial, Uniform, Harmonic, SmoothStep, SplineTable, Input>;
using PlanarForceLaw = OneOf<ConstantForce, PlanarComponents>;
using PathLaw = OneOf<CircularPath, PlanarComponents>;
using SpatialForceLaw = OneOf<ConstantVector, SpatialComponents>;

/// A curve given as y = c(x) or as c(x, y), called as c(x, y).
struct AnyCurve : OneOf<Parabola, Circle, StraightLine> {
  template <class T>
  T operator()(const T& x, const T& y) const {
    return std::visit(
        [&](const auto& curve) -> T {
          if constexpr (std::is_invocable_v<decltype(curve), const T&, const T&>)
            return curve(x, y);
          else
            return y - curve(x);
        },
        law);
  }
};

}  // namespace sunlagrange::internal
