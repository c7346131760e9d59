#include <cmath>

#include "mechanisms/mechanism.hpp"

/// A particle with extent: a plate on a level table with a moving holonomic and a nonholonomic constraint, made for
/// tests.
///
///       heaving rail y = Y(t) - - - - - - - - -=B=-/\/\/\|      q = (x, y, phi): blade A [m] and direction A-B [rad]
///                                            .'
///                                      b  .'  o C              C: centre of mass, on the line A-B
///                                       .'  a                  spring on B along the rail, k = 6 N/m, rest at x_B = 0
///                               blade A'  phi                  Y(t) = 0.2 m sin(2 rad/s t)
///
/// m = 2 kg, Theta = 0.3 kg m^2 about C; a = A-C = 0.3 m, b = A-B = 0.8 m. n = 3, m = 2:
///
///     g   = y + b sin phi - Y(t)            [m]      B stays on the rail, which moves
///     psi = x' sin phi - y' cos phi         [m/s]    A moves along the plate only
///
/// G has rank 2 everywhere; the mass matrix depends on phi. That the rail moves is what keeps psi from being
/// integrable: after g only two coordinates are free. Rung 0b: energies; the work of the rail is added by every run.
/// Start at t = 0: phi = 0.5 rad, B at x = 0.4 m, A moving with -0.3 m/s along the plate; energy 0.714005 J. No closed
/// form; judge by the energy balance and by comparing formulations. Default end 5 s.
namespace sunlagrange::mechanisms {
namespace {

struct ExtendedParticle {
  double m = 2.0;          ///< [kg]
  double Theta = 0.3;      ///< about C [kg m^2]
  double a = 0.3;          ///< A-C [m]
  double b = 0.8;          ///< A-B [m]
  double stiffness = 6.0;  ///< [N/m]
  double heave = 0.2;      ///< amplitude of Y [m]
  double rate = 2.0;       ///< rate of Y [rad/s]

  static constexpr int num_positions = 3;
  static constexpr int num_constraints = 1;
  static constexpr int num_velocity_constraints = 1;

  template <class T>
  T kinetic_energy(T, View<const T> q, View<const T> v) const {
    using std::cos;
    using std::sin;
    const T x_dot = v[0] - a * sin(q[2]) * v[2];
    const T y_dot = v[1] + a * cos(q[2]) * v[2];
    return 0.5 * m * (x_dot * x_dot + y_dot * y_dot) + 0.5 * Theta * v[2] * v[2];
  }

  template <class T>
  T potential_energy(T, View<const T> q) const {
    using std::cos;
    const T x_B = q[0] + b * cos(q[2]);
    return 0.5 * stiffness * x_B * x_B;
  }

  template <class T>
  void constraint(T t, View<const T> q, View<T> g) const {
    using std::sin;
    g[0] = q[1] + b * sin(q[2]) - heave * sin(rate * t);
  }

  template <class T>
  void velocity_constraint(T, View<const T> q, View<const T> v, View<T> psi) const {
    using std::cos;
    using std::sin;
    psi[0] = v[0] * sin(q[2]) - v[1] * cos(q[2]);
  }

  void draw(double t, View<const double> q, Drawing& d) const {
    const Drawing::Point A{q[0], q[1]}, along{std::cos(q[2]), std::sin(q[2])};
    const Drawing::Point B{A.x + b * along.x, A.y + b * along.y};
    d.rail({0.0, heave * std::sin(rate * t)}, {1.0, 0.0}, B);
    d.spring({1.5, B.y}, B);
    d.on_body(A, 0);
    d.pin(d.on_body(B, 0));
    d.mass({A.x + a * along.x, A.y + a * along.y});
    d.block(A, along);
    d.trace(A);
  }

  std::vector<std::string> position_names() const { return {"x", "y", "phi"}; }
  std::vector<std::string> constraint_names() const { return {"rail", "across the blade"}; }
};

Mechanism make(int) {
  const ExtendedParticle model;
  const double phi = 0.5;
  const double speed = -0.3;  // of A along the plate
  const double turning = (model.heave * model.rate - speed * std::sin(phi)) / (model.b * std::cos(phi));
  Mechanism mechanism;
  mechanism.system = make_system(model);
  mechanism.start.q = Eigen::Vector3d(0.4 - model.b * std::cos(phi), -model.b * std::sin(phi), phi);
  mechanism.start.v = Eigen::Vector3d(speed * std::cos(phi), speed * std::sin(phi), turning);
  mechanism.t_end = 5.0;
  return mechanism;
}

}  // namespace

MechanismEntry make_extended_particle() {
  return {make};
}

}  // namespace sunlagrange::mechanisms
