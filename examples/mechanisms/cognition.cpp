#include <cmath>
#include <complex>

#include "mechanisms/mechanism.hpp"

/// The process of cognition [003, introduction], a second-order equation with variable parameters:
///
///     d/dt (L dI/dt) + (tau - dL/dt) dI/dt + I / G = M,     I: amount of information
///
///        person 1  ~~~>  I1 ----- what one has learnt the other has too: I2 = k I1 ----- I2  <~~~  person 2
///
/// Two people learn together. L (inertia of thinking), tau (resistance) and G (capacity) of each change as they grow:
/// with s = 1 + t / T, L = L0 s^2, tau = tau0 s, G constant. Person 1: L0 = 1, tau0 = 0.9, G = 0.4; person 2: 0.6, 0.5,
/// 0.8; T = 2, k = 0.7; M1 = 1.5, M2 = 0.8 constant stimuli. The source gives no units: time in months, say. n = 2, m =
/// 1; I1 = 0.2, I1' = 0.5 at t = 0. dL/dt makes d(L I')/dt + (tau - L') I' = L I'' + tau I': where tau < dL/dt the
/// `dissipation` of the model is negative, growth feeds the process. Reference: an Euler equation in s, I1 = M_sum
/// G_sum + Re(A s^p), closed form.
namespace sunlagrange::mechanisms {
namespace {

constexpr double T_growth = 2.0;

struct Person {
  double L0 = 1.0, tau0 = 0.9, G = 0.4;

  static constexpr int num_positions = 1;

  template <class T>
  T kinetic_energy(T t, View<const T>, View<const T> v) const {
    const T s = 1.0 + t / T_growth;
    return 0.5 * L0 * s * s * v[0] * v[0];
  }
  template <class T>
  T potential_energy(T, View<const T> q) const {
    return 0.5 * q[0] * q[0] / G;
  }
  template <class T>
  T dissipation(T t, View<const T>, View<const T> v) const {
    const T s = 1.0 + t / T_growth;
    return 0.5 * (tau0 * s - 2.0 * L0 * s / T_growth) * v[0] * v[0];
  }
};

struct Stimulus {
  double M = 1.0;
  static constexpr int num_positions = 1;
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T> f) const {
    f[0] = T(M);
  }
};

/// I2 = k I1.
struct Shared {
  double k = 0.7;
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = q[1] - k * q[0];
  }
};

const Person first{1.0, 0.9, 0.4}, second{0.6, 0.5, 0.8};
constexpr double k = 0.7, M1 = 1.5, M2 = 0.8, I_start = 0.2, rate_start = 0.5;

ReferenceState exact_state(double t) {
  using Complex = std::complex<double>;
  const double L = first.L0 + k * k * second.L0, tau = first.tau0 + k * k * second.tau0;
  const double inverse_G = 1.0 / first.G + k * k / second.G, rest = (M1 + k * M2) / inverse_G;
  const double a = L / (T_growth * T_growth), b = tau / T_growth;  // a p (p - 1) + b p + 1/G = 0
  const Complex root = std::sqrt(Complex((b - a) * (b - a) - 4.0 * a * inverse_G));
  const Complex p = (a - b + root) / (2.0 * a), other = (a - b - root) / (2.0 * a);
  const Complex B = (rate_start * T_growth - p * (I_start - rest)) / (other - p), A = I_start - rest - B;
  const double s = 1.0 + t / T_growth;
  const auto power = [&](int derivative) {
    Complex first_part = A * std::pow(Complex(s), p - double(derivative));
    Complex second_part = B * std::pow(Complex(s), other - double(derivative));
    for (int i = 0; i < derivative; ++i) {
      first_part *= (p - double(i)) / T_growth;
      second_part *= (other - double(i)) / T_growth;
    }
    return (first_part + second_part).real();
  };
  ReferenceState state;
  const double I = rest + power(0), rate = power(1);
  state.q = Eigen::Vector2d(I, k * I);
  state.v = Eigen::Vector2d(rate, k * rate);
  const double taken = second.L0 * s * s * k * power(2) + second.tau0 * s * k * rate + k * I / second.G;
  state.lambda = Eigen::VectorXd::Constant(1, M2 - taken);
  return state;
}

Mechanism make(int) {
  Assembly assembly;
  const Block I1 = assembly.add_coordinates("I1", 1);
  const Block I2 = assembly.add_coordinates("I2", 1);
  assembly.add("person 1", first, {I1});
  assembly.add("person 2", second, {I2});
  assembly.add("stimulus 1", Stimulus{M1}, {I1});
  assembly.add("stimulus 2", Stimulus{M2}, {I2});
  assembly.add("shared", Shared{k}, {I1, I2});
  Mechanism mechanism;
  mechanism.system = assembly.build();
  mechanism.start = {0.0, Eigen::Vector2d(I_start, k * I_start), Eigen::Vector2d(rate_start, k * rate_start)};
  mechanism.t_end = 6.0;
  mechanism.reference = [](double t) { return std::optional(exact_state(t)); };
  mechanism.reference_source = "closed form of an Euler equation, at any time";
  return mechanism;
}

}  // namespace

MechanismEntry make_cognition() {
  return {make};
}

}  // namespace sunlagrange::mechanisms
