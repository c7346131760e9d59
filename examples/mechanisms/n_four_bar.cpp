#include <cmath>

#include <sunlagrange/elements/planar/distance.hpp>
#include <sunlagrange/elements/planar/uniform_gravity.hpp>
#include <sunlagrange/elements/planar/uniform_rod.hpp>

#include "mechanisms/mechanism.hpp"
#include "mechanisms/n_four_bar_motion.hpp"

/// N-four-bar mechanism, problem A02 of the IFToMM library of computational benchmark problems, in natural coordinates.
///
///      B0 ----- B1 ----- B2  ...  BN      every bar: uniform, 1 m, 1 kg; 2 N + 1 bars
///       |        |        |        |      A_i = (i, 0) on the ground, B_i = (i + cos phi, sin phi)
///       |        |        |        |      gravity 9.81 m/s^2 along -y
///      A0       A1       A2  ...  AN      start: phi = pi/2, B_i moving with +1 m/s in x, i.e. phi' = -1 rad/s
///
/// Coordinates: the N + 1 points B_i. One row for every bar: n = 2 N + 2, m = 2 N + 1, one degree of freedom. When all
/// bars lie on the ground line (phi = 0 or pi, first at about t = 0.71 s), G loses rank by N and other branches open
/// up; the default t_end = 0.6 s stays before that. Original: N = 40, 20 s. Reference, regular branch: all vertical
/// bars stay parallel, phi'' = -k cos phi with k = g ((N + 1)/2 + N) / ((N + 1)/3 + N); a full rotation. With theta =
/// phi + pi/2: theta = 2 am(K - w t | m), m = 4 k / (1 + 4 k), w = sqrt(1 + 4 k) / 2.
/// Multipliers: the balance of forces at B_i across its vertical bar gives the jump of the horizontal ones, along it
/// the tension of the vertical bar. They grow without limit towards the singular positions (unless N = 1).
namespace sunlagrange::mechanisms {
namespace {

/// Multipliers in the order in which make() adds the lengths. theta is measured from the downward vertical.
Eigen::VectorXd exact_multipliers(int loops, double k, double theta, double rate) {
  Eigen::VectorXd lambda(2 * loops + 1);
  double horizontal = 0.0;  // of the bar that ends at B_i
  for (int i = 0; i <= loops; ++i) {
    const int neighbours = (i > 0 ? 1 : 0) + (i < loops ? 1 : 0);
    const double inertia = 1.0 / 3.0 + 0.5 * neighbours;  // of the bars at B_i, carried there [kg]
    const double weight = 9.81 * 0.5 * (1 + neighbours);  // [N]
    const double jump = std::tan(theta) * (inertia * k - weight);
    lambda[i == 0 ? 0 : 2 * i - 1] = weight * std::cos(theta) + inertia * rate * rate - std::sin(theta) * jump;
    if (i > 0) lambda[2 * i] = horizontal;
    horizontal -= jump;
  }
  return lambda;
}

ReferenceState exact_state(int loops, double t) {
  const VerticalBars bars = vertical_bars(loops, t);
  ReferenceState s{Eigen::VectorXd(2 * (loops + 1)), Eigen::VectorXd(2 * (loops + 1)), {}};
  for (int i = 0; i <= loops; ++i) {
    s.q.segment<2>(2 * i) << i + std::sin(bars.theta), -std::cos(bars.theta);
    s.v.segment<2>(2 * i) << std::cos(bars.theta) * bars.rate, std::sin(bars.theta) * bars.rate;
  }
  s.lambda = exact_multipliers(loops, bars.k, bars.theta, bars.rate);
  return s;
}

Mechanism make(int size) {
  if (size < 1) throw Error("n_four_bar: size = " + std::to_string(size) + ", needs at least 1 loop");
  Assembly assembly;
  Mechanism mechanism;
  mechanism.start.q.resize(2 * (size + 1));
  mechanism.start.v.resize(2 * (size + 1));
  Block previous;
  for (int i = 0; i <= size; ++i) {
    const std::string name = std::to_string(i);
    const Block point = assembly.add_coordinates("B" + name, 2);
    assembly.add("bar A" + name + " B" + name, UniformRodToGround{1.0}, {point});
    assembly.add("length A" + name + " B" + name, DistanceToGround{static_cast<double>(i), 0.0, 1.0}, {point});
    if (i > 0) {
      const std::string ends = "B" + std::to_string(i - 1) + " B" + name;
      assembly.add("bar " + ends, UniformRod{1.0}, {previous, point});
      assembly.add("length " + ends, Distance{1.0}, {previous, point});
    }
    const int bars = 1 + (i > 0 ? 1 : 0) + (i < size ? 1 : 0);
    assembly.add("weight at B" + name, UniformGravity{0.5 * bars, 0.0, -9.81}, {point});
    mechanism.start.q.segment<2>(2 * i) << i, 1.0;
    mechanism.start.v.segment<2>(2 * i) << 1.0, 0.0;
    previous = point;
  }
  mechanism.system = assembly.build();
  mechanism.t_end = 0.6;
  mechanism.reference = [size](double t) { return std::optional(exact_state(size, t)); };
  mechanism.reference_source = "exact on the regular branch, Jacobi elliptic functions";
  return mechanism;
}

}  // namespace

MechanismEntry make_n_four_bar() {
  return {make, 40};
}

}  // namespace sunlagrange::mechanisms
