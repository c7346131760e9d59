// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <sunlagrange/model/parameters.hpp>

namespace sunlagrange {

/// Functions of time for prescribed motions, applied efforts and sources. A law can be called with a scalar of every
/// type, because its derivatives are needed: a small struct like these, or a generic lambda
/// `[](auto t) { return 0.5 * t * t; }`. It must be twice differentiable where it prescribes a position, once where it
/// prescribes a rate; where it is not, the integrator has to be restarted. A law that begins or ends states when, by
/// `p.not_smooth_at(time)` in its describe_parameters.
///
/// | member | meaning |
/// |---|---|
/// | `operator()(t)` | value at time t [s], in the unit of what the law gives |
/// | `choose(p)` | describes the law that is held, after the visitor has chosen one: Parameters::choose |

/// True for laws that can be called as law(t).
template <class Law>
constexpr bool is_law_of_time = std::is_invocable_v<const Law&, const double&>;

/// True for laws that can be called as law(t, position, rate); `State`: the type of both.
template <class Law, class State = double>
constexpr bool is_law_of_state = std::is_invocable_v<const Law&, const double&, const State&, const State&>;

/// mean + amplitude sin(omega t + phase).
struct Harmonic {
  static constexpr const char* type_name = "Harmonic";

  double mean = 0.0;
  double amplitude = 1.0;
  double omega = 1.0;
  double phase = 0.0;

  void describe_parameters(Parameters& p) {
    p.finite("mean", mean, "", "mean value");
    p.finite("amplitude", amplitude, "", "largest difference from the mean");
    p.finite("omega", omega, "rad/s", "angular frequency");
    p.finite("phase", phase, "rad", "phase at t = 0");
  }

  template <class T>
  T operator()(const T& t) const {
    using std::sin;
    return mean + amplitude * sin(omega * t + phase);
  }
};

/// start + rate t.
struct Uniform {
  static constexpr const char* type_name = "Uniform";

  double start = 0.0;
  double rate = 1.0;

  void describe_parameters(Parameters& p) {
    p.finite("start", start, "", "value at t = 0");
    p.finite("rate", rate, "", "change per second");
  }

  template <class T>
  T operator()(const T& t) const {
    return start + rate * t;
  }
};

/// The same value at all times.
struct Constant {
  static constexpr const char* type_name = "Constant";

  double value = 0.0;

  void describe_parameters(Parameters& p) { p.finite("value", value, "", "value"); }

  template <class T>
  T operator()(const T&) const {
    return T(value);
  }
};

/// c[0] + c[1] t + c[2] t^2 + ...
struct Polynomial {
  static constexpr const char* type_name = "Polynomial";

  std::vector<double> c{0.0, 1.0};

  void describe_parameters(Parameters& p) { p.finite("c", c, "", "coefficients of 1, t, t^2, ..., t in s"); }

  template <class T>
  T operator()(const T& t) const {
    T sum(0.0);
    for (std::size_t k = c.size(); k-- > 0;) sum = sum * t + c[k];
    return sum;
  }
};

/// The polynomial of degree five from one value to another with rate and acceleration zero at both ends; constant
/// before and after.
struct SmoothStep {
  static constexpr const char* type_name = "SmoothStep";

  double from = 0.0;
  double to = 1.0;
  double begin = 0.0;
  double duration = 1.0;

  void describe_parameters(Parameters& p) {
    p.finite("from", from, "", "value before");
    p.finite("to", to, "", "value after");
    p.finite("begin", begin, "s", "when it begins");
    p.positive("duration", duration, "s", "how long it takes", "a jump is an event, not a law");
    if (from == to) return;
    p.not_smooth_at(begin);
    p.not_smooth_at(begin + duration);
  }

  template <class T>
  T operator()(const T& t) const {
    if (!(t > begin)) return T(from);
    if (!(t < begin + duration)) return T(to);
    const T s = (t - begin) * (1.0 / duration);
    return from + (to - from) * (s * s * s * (10.0 + s * (6.0 * s - 15.0)));
  }
};

/// The natural cubic spline through a table of values, twice differentiable; linear outside the table.
class SplineTable {
 public:
  static constexpr const char* type_name = "SplineTable";

  /// The law t.
  SplineTable() : SplineTable({0.0, 1.0}, {0.0, 1.0}) {}
  /// The lengths must be equal; Assembly::add checks them. @param times  [s], ascending
  SplineTable(std::vector<double> times, std::vector<double> values);

  void describe_parameters(Parameters& p);

  template <class T>
  T operator()(const T& t) const {
    if (!(t > times_.front())) return values_.front() + end_slope(0) * (t - times_.front());
    if (!(t < times_.back())) return values_.back() + end_slope(times_.size() - 2) * (t - times_.back());
    std::size_t k = 0, above = times_.size() - 1;
    while (above - k > 1) {
      const std::size_t middle = (k + above) / 2;
      (t < times_[middle] ? above : k) = middle;
    }
    const double h = times_[k + 1] - times_[k];
    const T a = (times_[k + 1] - t) * (1.0 / h);
    const T b = (t - times_[k]) * (1.0 / h);
    return a * values_[k] + b * values_[k + 1] +
           ((a * a * a - a) * bends_[k] + (b * b * b - b) * bends_[k + 1]) * (h * h / 6.0);
  }

 private:
  bool usable() const;
  void find_bends();
  void state_corners(Parameters& p) const;
  /// Returns the slope at the outer end of the first or the last interval k.
  double end_slope(std::size_t k) const;

  std::vector<double> times_, values_;
  std::vector<double> bends_;  // second derivatives at the times
};

/// A value that Stepper::set changes between two steps of a run, by the name of the element ("motor"; of a component
/// "load.x"). It stays until it is set again. In functions that do not set it (simulate, linearise, ...) it has its
/// start value. Laws and models of your own describe it as a part, `p.part("u", u, "voltage", "V")`; in a lambda it is
/// not found. When not: for prescribed positions, which cannot jump; prescribe their rate.
class Input {
 public:
  static constexpr const char* type_name = "Input";

  /// @param start  value until it is set
  explicit Input(double start = 0.0) : start_(start) {}

  void describe_parameters(Parameters& p) {
    p.finite("start", start_, "", "value until it is set");
    p.input(start_, now_);
  }

  template <class T, class... State>
  T operator()(const T&, const State&...) const {
    return T(now_ != nullptr ? *now_ : start_);
  }

 private:
  double start_;
  std::shared_ptr<const double> now_;  // the place in the run that owns the value; null: start_
};

/// One of several laws, chosen at run time, e.g. by a model file. A call is a call of the chosen law; a law of time
/// alone ignores further arguments.
template <class... Laws>
struct OneOf {
  std::variant<Laws...> law{};  ///< Default: the first one, as it is constructed by default

  OneOf() = default;
  /// Holds a law of one of the types.
  template <class Law, class = std::enable_if_t<(std::is_same_v<Law, Laws> || ...)>>
  OneOf(Law chosen) : law(std::move(chosen)) {}  // NOLINT(google-explicit-constructor): is one

  void choose(Parameters& p) {
    const std::size_t chosen = p.choose({Laws::type_name...}, law.index());
    if (chosen != law.index()) {
      std::size_t k = 0;
      ((k++ == chosen ? static_cast<void>(law.template emplace<Laws>()) : void()), ...);
    }
    std::visit([&p](auto& held) { held.describe_parameters(p); }, law);
  }

  template <class T, class... State>
  auto operator()(const T& t, const State&... state) const {
    return std::visit(
        [&](const auto& held) {
          if constexpr (std::is_invocable_v<decltype(held), const T&, const State&...>)
            return held(t, state...);
          else
            return held(t);
        },
        law);
  }
};

/// A law of time that is chosen at run time.
using TimeLaw = OneOf<Constant, Polynomial, Uniform, Harmonic, SmoothStep, SplineTable, Input>;

}  // namespace sunlagrange
