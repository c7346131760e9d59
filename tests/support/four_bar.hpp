// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include <sunlagrange/elements/planar.hpp>
#include <sunlagrange/sunlagrange.hpp>

/// Four-bars that fold, or nearly fold, under gravity, and their motion by the curve of the two angles in long double,
/// with the time from the energy; it shares nothing with the library.
namespace sunlagrange::test {

struct FourBar {
  double a, b, c, d;      // crank, coupler, rocker, ground [m]
  double density[3];      // mass of each bar per length [kg/m]
  double phi, psi, rate;  // at the start: angles of crank and rocker, rate of the crank
};

class FourBarMotion {
 public:
  using Real = long double;

  struct Angles {
    Real phi, psi;
  };

  /// @param shortest_step  along the curve [rad]; gaps between branches that are narrower are crossed straight
  explicit FourBarMotion(const FourBar& bar, Real shortest_step = 2e-6L)
      : bar_(bar), shortest_step_(shortest_step), at_{bar.phi, bar.psi} {
    const Closure g = closure(bar_, at_);
    along_ = unit(g);
    if (along_.phi * bar.rate < 0) along_ = {-along_.phi, -along_.psi};
    const Real rate = bar.rate / along_.phi;
    energy_ = 0.5L * rate * rate * twice_kinetic(bar_, at_, along_.phi, along_.psi) + potential(bar_, at_);
    turn_coupler();
  }

  /// Returns the angles at t_end; nothing if the curve takes more steps than a test should.
  std::optional<Angles> at(Real t_end) {
    Real t = 0;
    for (int k = 0; t < t_end; ++k) {
      if (k == 100000) return std::nullopt;
      const Closure g = closure(bar_, at_);
      const Real slope = std::hypot(g.by_phi, g.by_psi);
      Real step = std::min(Real(1e-3), std::max(shortest_step_, slope / 200));
      step = std::min(step, (t_end - t) * rate(at_, along_));
      if (step < 1e-15L) break;
      const Angles k1 = along_, k2 = tangent(moved(k1, step / 2), k1), k3 = tangent(moved(k2, step / 2), k2),
                   k4 = tangent(moved(k3, step), k3);
      const Angles middle = moved({(k1.phi + k2.phi) / 2, (k1.psi + k2.psi) / 2}, step / 2);
      const Real first = 1 / rate(at_, along_), half = 1 / rate(middle, k3);
      at_ = moved({(k1.phi + 2 * k2.phi + 2 * k3.phi + k4.phi) / 6, (k1.psi + 2 * k2.psi + 2 * k3.psi + k4.psi) / 6},
                  step);
      for (int i = 0; i < 3; ++i) {
        const Closure off = closure(bar_, at_);
        const Real square = off.by_phi * off.by_phi + off.by_psi * off.by_psi;
        if (square < 1e-18L) break;
        at_.phi -= off.value * off.by_phi / square;
        at_.psi -= off.value * off.by_psi / square;
      }
      along_ = tangent(at_, k4);
      turn_coupler();
      t += step * (first + 4 * half + 1 / rate(at_, along_)) / 6;
    }
    return at_;
  }

  /// Returns the angle of the coupler, full turns included.
  Real coupler() const { return coupler_; }

  /// Makes the angle of the rocker fit that of the crank, beginning from a guess.
  static void close(FourBar& bar, Real psi) {
    for (int i = 0; i < 200; ++i) {
      const Closure g = closure(bar, {bar.phi, psi});
      psi -= g.value / g.by_psi;
    }
    bar.psi = static_cast<double>(psi);
  }

  /// Returns the rate of the crank with which the kinetic energy is three times what gravity can take.
  static double rate_to_turn(const FourBar& bar) {
    const double mass = bar.density[0] * bar.a + bar.density[1] * bar.b + bar.density[2] * bar.c;
    const Closure g = closure(bar, {bar.phi, bar.psi});
    const double needed = 2.0 * static_cast<double>(gravity) * mass * (bar.a + bar.c);
    return std::sqrt(3.0 * needed /
                     static_cast<double>(twice_kinetic(bar, {bar.phi, bar.psi}, 1.0L, -g.by_phi / g.by_psi)));
  }

  static std::shared_ptr<const MechanicalSystem> mechanism(const FourBar& bar) {
    Assembly assembly;
    const auto rod = [&](const std::string& name, double length, double density) {
      const Block block = assembly.add_coordinates(name, BlockKind::planar_body);
      const double mass = density * length;
      assembly.add("inertia of " + name, PlanarRigidBody{mass, mass * length * length / 12.0}, {block});
      assembly.add("weight of " + name, UniformGravity{mass, 0.0, -static_cast<double>(gravity)}, {centre_of(block)});
      return block;
    };
    const Block crank = rod("crank", bar.a, bar.density[0]), coupler = rod("coupler", bar.b, bar.density[1]),
                rocker = rod("rocker", bar.c, bar.density[2]);
    assembly.add("A", RevoluteToGround{-0.5 * bar.a, 0.0, 0.0, 0.0}, {crank});
    assembly.add("B", Revolute{0.5 * bar.a, 0.0, -0.5 * bar.b, 0.0}, {crank, coupler});
    assembly.add("C", Revolute{0.5 * bar.b, 0.0, 0.5 * bar.c, 0.0}, {coupler, rocker});
    assembly.add("D", RevoluteToGround{-0.5 * bar.c, 0.0, bar.d, 0.0}, {rocker});
    return assembly.build();
  }

  static InitialState start(const FourBar& bar) {
    const Closure g = closure(bar, {bar.phi, bar.psi});
    const double rate = bar.rate, rocker_rate = -static_cast<double>(g.by_phi / g.by_psi) * rate;
    const double px = bar.a * std::cos(bar.phi), py = bar.a * std::sin(bar.phi);
    const double ex = bar.c * std::cos(bar.psi), ey = bar.c * std::sin(bar.psi);
    const double qx = bar.d + ex, qy = ey, theta = std::atan2(qy - py, qx - px);
    const double turn =
        ((qx - px) * (ex * rocker_rate - px * rate) + (qy - py) * (ey * rocker_rate - py * rate)) / (bar.b * bar.b);
    InitialState at{0.0, Eigen::VectorXd(9), Eigen::VectorXd(9)};
    at.q << 0.5 * px, 0.5 * py, bar.phi, 0.5 * (px + qx), 0.5 * (py + qy), theta, bar.d + 0.5 * ex, 0.5 * ey, bar.psi;
    at.v << -0.5 * py * rate, 0.5 * px * rate, rate, 0.5 * (-py * rate - ey * rocker_rate),
        0.5 * (px * rate + ex * rocker_rate), turn, -0.5 * ey * rocker_rate, 0.5 * ex * rocker_rate, rocker_rate;
    return at;
  }

  static Real potential(const FourBar& bar, const Angles& y) {
    const Real p = bar.a * std::sin(y.phi), q = bar.c * std::sin(y.psi);
    return gravity *
           (bar.density[0] * bar.a * p / 2 + bar.density[1] * bar.b * (p + q) / 2 + bar.density[2] * bar.c * q / 2);
  }

  /// Twice the kinetic energy with the given rates.
  static Real twice_kinetic(const FourBar& bar, const Angles& y, Real phi_rate, Real psi_rate) {
    const Real px = -bar.a * std::sin(y.phi) * phi_rate, pz = bar.a * std::cos(y.phi) * phi_rate;
    const Real qx = -bar.c * std::sin(y.psi) * psi_rate, qz = bar.c * std::cos(y.psi) * psi_rate;
    const auto rod = [](Real mass, Real ux, Real uz, Real wx, Real wz) {
      return mass * (ux * ux + uz * uz + wx * wx + wz * wz + ux * wx + uz * wz) / 3;
    };
    return rod(bar.density[0] * bar.a, 0, 0, px, pz) + rod(bar.density[1] * bar.b, px, pz, qx, qz) +
           rod(bar.density[2] * bar.c, 0, 0, qx, qz);
  }

 private:
  static constexpr Real gravity = 9.81L;

  /// |Q - P|^2 - b^2 with its gradient.
  struct Closure {
    Real value, by_phi, by_psi;
  };

  static Closure closure(const FourBar& bar, const Angles& y) {
    const Real px = bar.a * std::cos(y.phi), py = bar.a * std::sin(y.phi);
    const Real ex = bar.c * std::cos(y.psi), ey = bar.c * std::sin(y.psi);
    const Real x = bar.d + ex - px, z = ey - py;
    return {x * x + z * z - Real(bar.b) * bar.b, 2 * (x * py - z * px), 2 * (-x * ey + z * ex)};
  }

  void turn_coupler() {
    const Real x = bar_.d + bar_.c * std::cos(at_.psi) - bar_.a * std::cos(at_.phi);
    const Real y = bar_.c * std::sin(at_.psi) - bar_.a * std::sin(at_.phi);
    coupler_ += std::remainder(std::atan2(y, x) - coupler_, 6.283185307179586476925286766559L);
  }
  static Angles unit(const Closure& g) {
    const Real length = std::hypot(g.by_phi, g.by_psi);
    return {-g.by_psi / length, g.by_phi / length};
  }
  Angles moved(const Angles& direction, Real step) const {
    return {at_.phi + step * direction.phi, at_.psi + step * direction.psi};
  }
  Angles tangent(const Angles& y, const Angles& before) const {
    const Closure g = closure(bar_, y);
    if (std::hypot(g.by_phi, g.by_psi) < 1e-9L) return before;
    const Angles t = unit(g);
    return t.phi * before.phi + t.psi * before.psi < 0 ? Angles{-t.phi, -t.psi} : t;
  }
  Real rate(const Angles& y, const Angles& direction) const {
    return std::sqrt(2 * (energy_ - potential(bar_, y)) / twice_kinetic(bar_, y, direction.phi, direction.psi));
  }

  FourBar bar_;
  Real shortest_step_;
  Angles at_, along_;
  Real energy_ = 0, coupler_ = 0;
};

}  // namespace sunlagrange::test
