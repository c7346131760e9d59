// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>

#include <sunlagrange/derivatives/dual.hpp>
#include <sunlagrange/elements/coordinate.hpp>
#include <sunlagrange/elements/network.hpp>
#include <sunlagrange/elements/planar.hpp>
#include <sunlagrange/elements/spatial.hpp>
#include <sunlagrange/files/law_function.hpp>
#include <sunlagrange/model/laws.hpp>

/// Laws of model files in place of the functions of C++.
namespace sunlagrange::internal {

/// A function of the application, by its name. Scalars with derivatives get its Taylor polynomial about the point:
/// of the second degree in t alone, else of the first.
class NamedFunction {
 public:
  static constexpr const char* type_name = "Function";

  /// Reads or writes the name; other visitors find no parameter.
  void describe_parameters(Parameters& p);

 protected:
  static constexpr std::size_t most_arguments = 7;  // t, a point in space and its velocity

  /// Returns the K values at (t, state...).
  template <std::size_t K, class T>
  std::array<T, K> values(const std::array<T, most_arguments>& x, int size) const {
    const auto count = static_cast<std::size_t>(size);
    std::array<double, most_arguments> at{};
    for (std::size_t i = 0; i < count; ++i) at[i] = value_of(x[i]);
    const View<const double> point(at.data(), size);
    std::array<double, K> value{};
    evaluate(point, {value.data(), static_cast<int>(K)});
    std::array<T, K> result{};
    for (std::size_t k = 0; k < K; ++k) result[k] = T(value[k]);
    if constexpr (!std::is_same_v<T, double>) {
      std::array<double, K * most_arguments> first{};
      differentiate(point, {first.data(), static_cast<int>(K), size});
      for (std::size_t i = 0; i < count; ++i) {
        const T step = x[i] - at[i];
        for (std::size_t k = 0; k < K; ++k) result[k] += first[i * K + k] * step;
      }
      if (size == 1) {
        std::array<double, K> second{};
        differentiate_twice(point, {second.data(), static_cast<int>(K)});
        const T step = x[0] - at[0];
        for (std::size_t k = 0; k < K; ++k) result[k] += (0.5 * second[k]) * (step * step);
      }
    }
    return result;
  }

 private:
  void evaluate(View<const double> x, View<double> value) const;
  void differentiate(View<const double> x, MatrixView<double> derivative) const;
  void differentiate_twice(View<const double> x, View<double> derivative) const;

  std::string name_;
  std::shared_ptr<const LawFunction> function_;
  std::shared_ptr<const double>
      being_added_;  // set while Assembly::add samples the element, which is no point of a run
};

/// A motion, a source or an effort: a number of t, or of t and the state of the element.
class ScalarFunction : public NamedFunction {
 public:
  template <class T, class... State>
  T operator()(const T& t, const State&... state) const {
    return values<1, T>({t, state...}, 1 + static_cast<int>(sizeof...(State)))[0];
  }
};

/// A path or a force in the plane.
class PlanarFunction : public NamedFunction {
 public:
  template <class T>
  PlanarVector<T> operator()(const T& t) const {
    return vector(values<2, T>({t}, 1));
  }
  template <class T>
  PlanarVector<T> operator()(const T& t, View<const T> q, View<const T> v) const {
    std::array<T, most_arguments> x{t};
    const int n = q.size();
    for (int i = 0; i < n; ++i) {
      x[static_cast<std::size_t>(1 + i)] = q[i];
      x[static_cast<std::size_t>(1 + n + i)] = v[i];
    }
    return vector(values<2, T>(x, 1 + 2 * n));
  }

 private:
  template <class T>
  static PlanarVector<T> vector(const std::array<T, 2>& value) {
    return {value[0], value[1]};
  }
};

/// A force or a torque in space.
class SpatialFunction : public NamedFunction {
 public:
  template <class T>
  spatial::Vector3<T> operator()(const T& t, const spatial::Vector3<T>& place, const spatial::Vector3<T>& rate) const {
    return values<3, T>({t, place[0], place[1], place[2], rate[0], rate[1], rate[2]}, 7);
  }
};

/// The laws of a choice, and more of them.
template <class Choice, class... More>
struct Extended;
template <class... Laws, class... More>
struct Extended<OneOf<Laws...>, More...> {
  using Type = OneOf<Laws..., More...>;
};

/// A law of time of a file.
using FileTimeLaw = Extended<TimeLaw, ScalarFunction>::Type;

/// A function of time for each component, in the plane.
struct PlanarComponents {
  static constexpr const char* type_name = "PlanarComponents";

  FileTimeLaw x{}, y{};

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

  FileTimeLaw x{}, y{}, z{};

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

using EffortLaw = OneOf<ConstantEffort, Polynomial, Uniform, Harmonic, SmoothStep, SplineTable, Input, ScalarFunction>;
using PlanarForceLaw = OneOf<ConstantForce, PlanarComponents, PlanarFunction>;
using PathLaw = OneOf<CircularPath, PlanarComponents, PlanarFunction>;
using SpatialForceLaw = OneOf<ConstantVector, SpatialComponents, SpatialFunction>;

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
