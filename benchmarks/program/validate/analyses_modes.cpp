// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <sunlagrange/analysis/modes.hpp>
#include <sunlagrange/base/bisection.hpp>
#include <sunlagrange/elements/coordinate/inertia.hpp>
#include <sunlagrange/elements/coordinate/spring.hpp>
#include <sunlagrange/sunlagrange.hpp>

#include "validate/validated_value.hpp"

namespace sunlagrange::program {
namespace {

constexpr double earth = 9.81;  // [m/s^2]

/// A bead on a circular wire that turns about its vertical diameter: angle from below, angle of the wire.
struct RotatingHoop {
  double radius = 0.7, bead = 0.3, inertia = 0.2, speed = 5.0;
  static constexpr int num_positions = 2;
  static constexpr int num_velocity_constraints = 1;
  template <class T>
  T kinetic_energy(T, View<const T> q, View<const T> v) const {
    const T across = sin(q[0]) * v[1];
    return 0.5 * bead * radius * radius * (v[0] * v[0] + across * across) + 0.5 * inertia * v[1] * v[1];
  }
  template <class T>
  T potential_energy(T, View<const T> q) const {
    return -bead * earth * radius * cos(q[0]);
  }
  template <class T>
  void velocity_constraint(T, View<const T>, View<const T> v, View<T> psi) const {
    psi[0] = v[1] - speed;
  }
};

/// A thin disc on a plane: point of contact (x, y), heading, lean, turn about its own axis.
struct ThinDisc {
  double mass = 1.5, radius = 0.4;
  static constexpr int num_positions = 5;
  static constexpr int num_velocity_constraints = 2;
  double across() const { return 0.25 * mass * radius * radius; }  ///< moment of inertia about a diameter
  double axial() const { return 0.5 * mass * radius * radius; }
  template <class T>
  T kinetic_energy(T, View<const T> q, View<const T> v) const {
    const T low = sin(q[3]), high = cos(q[3]);  // the centre lies radius (low sin, -low cos, high) from the contact
    const T x = v[0] + radius * (high * v[3] * sin(q[2]) + low * v[2] * cos(q[2]));
    const T y = v[1] + radius * (low * v[2] * sin(q[2]) - high * v[3] * cos(q[2]));
    const T z = -radius * low * v[3], spin = v[4] + low * v[2], turn = high * v[2];
    return 0.5 * mass * (x * x + y * y + z * z) + 0.5 * across() * (v[3] * v[3] + turn * turn) +
           0.5 * axial() * spin * spin;
  }
  template <class T>
  T potential_energy(T, View<const T> q) const {
    return mass * earth * radius * cos(q[3]);
  }
  template <class T>
  void velocity_constraint(T, View<const T> q, View<const T> v, View<T> psi) const {
    psi[0] = v[0] - radius * v[4] * cos(q[2]);
    psi[1] = v[1] - radius * v[4] * sin(q[2]);
  }
};

/// Returns the fastest oscillation [rad/s].
double fastest(const Linearisation& at, LinearisedAt expected) {
  if (!at.status.finished() || at.at != expected) return Report::none;
  double rate = 0.0;
  for (const Mode& mode : modes(at).modes) rate = std::max(rate, mode.eigenvalue.imag());
  return rate;
}

/// Equal masses and springs in a ring: each mode is double except the first and, for an even number, the last.
void ring(std::vector<ValidatedValue>& rows) {
  constexpr int number = 8;
  constexpr double stiffness = 50.0, mass = 2.0;
  Assembly assembly;
  std::vector<Block> masses;
  for (int i = 0; i < number; ++i) {
    masses.push_back(assembly.add_coordinates("x" + std::to_string(i), BlockKind::translation));
    assembly.add("mass " + std::to_string(i), SlidingMass{mass}, {masses.back()});
  }
  for (std::size_t i = 0; i < number; ++i)
    assembly.add("spring " + std::to_string(i), AxialSpring{stiffness}, {masses[i], masses[(i + 1) % number]});
  const Linearisation at = linearise(assembly.build(), {0.0, Eigen::VectorXd::Zero(number), {}});
  std::vector<double> exact, found;
  for (int j = 1; j < number; ++j)
    exact.push_back(2.0 * std::sqrt(stiffness / mass) * std::sin(std::acos(-1.0) * j / number));
  if (at.status.finished()) {
    for (const Mode& mode : modes(at).modes) {
      if (!mode.zero) found.push_back(mode.eigenvalue.imag());
    }
  }
  std::sort(exact.begin(), exact.end());
  std::sort(found.begin(), found.end());
  ValidatedValue row = compared("ring of 8 masses", "modes", "the worst of 7 rates [rad/s]", Report::none, Report::none,
                                1e-9, "2 sqrt(k / m) sin(pi j / N)");
  for (std::size_t j = 0; found.size() == exact.size() && j < exact.size(); ++j) {
    if (std::abs(found[j] - exact[j]) < row.error) continue;
    row.ours = found[j];
    row.reference = exact[j];
    row.error = std::abs(found[j] - exact[j]);
  }
  rows.push_back(row);
}

void rotating_hoop(std::vector<ValidatedValue>& rows) {
  const RotatingHoop hoop;
  const double rest = std::acos(earth / (hoop.radius * hoop.speed * hoop.speed));
  const auto rate_at = [&](double angle) {
    return fastest(linearise(make_system(hoop), {0.0, Eigen::Vector2d(angle, 0.4), Eigen::Vector2d(0.0, hoop.speed)}),
                   LinearisedAt::steady_motion);
  };
  rows.push_back(compared("bead on a rotating hoop", "modes", "rate about its side [rad/s]", rate_at(rest),
                          hoop.speed * std::sin(rest), 1e-9, "W sin(a), cos(a) = g / (R W^2)"));
}

void rolling_disc(std::vector<ValidatedValue>& rows) {
  const ThinDisc disc;
  const auto rolling = [&](double spin) {
    constexpr double heading = 0.6;
    Eigen::VectorXd q = Eigen::VectorXd::Zero(5), v = Eigen::VectorXd::Zero(5);
    q[2] = heading;
    v << disc.radius * spin * std::cos(heading), disc.radius * spin * std::sin(heading), 0.0, 0.0, spin;
    return linearise(make_system(disc), {0.0, q, v});
  };
  constexpr double fast = 6.0;  // [rad/s]
  const double edge = disc.mass * disc.radius * disc.radius, weight = disc.mass * earth * disc.radius;
  const double stiff = disc.axial() * (disc.axial() + edge) / disc.across();
  const char* source = "upright disc (Neimark and Fufaev 1972): w^2 (A + m r^2) = C (C + m r^2) W^2 / A - m g r";
  rows.push_back(compared("rolling disc", "modes", "rate of its wobble [rad/s]",
                          fastest(rolling(fast), LinearisedAt::steady_motion),
                          std::sqrt((stiff * fast * fast - weight) / (disc.across() + edge)), 1e-9, source));
  const auto falls = [&](double speed) {
    const Linearisation at = rolling(speed / disc.radius);
    return at.at == LinearisedAt::steady_motion && modes(at).stability == Stability::unstable;
  };
  rows.push_back(compared("rolling disc", "modes", "speed below which it falls [m/s]",
                          bisect(falls, {0.1, 3.0}, 1e-9).in, std::sqrt(earth * disc.radius / 3.0), 1e-5,
                          "v^2 = g r / 3, the same"));
}

}  // namespace

void validate_modes(std::vector<ValidatedValue>& rows) {
  ring(rows);
  rotating_hoop(rows);
  rolling_disc(rows);
}

}  // namespace sunlagrange::program
