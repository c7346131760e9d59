#pragma once

#include <cmath>

#include <sunlagrange/model/parameters.hpp>

namespace sunlagrange {

/// Functions of time for prescribed motions, applied efforts and sources. A law is anything that can be called with a
/// scalar of every type, because its derivatives are needed: a small struct like these, or a generic lambda
/// `[](auto t) { return 0.5 * t * t; }`. It must be twice differentiable where it prescribes a position, once where it
/// prescribes a rate; at a kink the integrator has to be restarted.

/// mean + amplitude sin(omega t + phase); with amplitude = 0 a constant.
struct Harmonic {
  double mean = 0.0;
  double amplitude = 1.0;
  double omega = 1.0;  ///< [rad/s]
  double phase = 0.0;  ///< [rad]

  void check_parameters(Parameters& p) const {
    p.finite({{"mean", mean}, {"amplitude", amplitude}, {"omega", omega}, {"phase", phase}});
  }

  template <class T>
  T operator()(const T& t) const {
    using std::sin;
    return mean + amplitude * sin(omega * t + phase);
  }
};

/// start + rate t: constant speed.
struct Uniform {
  double start = 0.0;
  double rate = 1.0;

  void check_parameters(Parameters& p) const { p.finite({{"start", start}, {"rate", rate}}); }

  template <class T>
  T operator()(const T& t) const {
    return start + rate * t;
  }
};

}  // namespace sunlagrange
