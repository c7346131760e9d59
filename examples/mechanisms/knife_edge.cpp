#include <cmath>

#include "mechanisms/mechanism.hpp"

/// Knife edge on a slope: a skate that turns at a constant rate. Benchmark of the solve_dae collection.
///
///       O - - - - - - - - - y (level)      the blade at (x, y) moves only along its direction (cos phi, sin phi)
///       | `.
///       |phi`=.                            m = 1.25 kg, Theta = 0.13 kg m^2, slope alpha = pi/4, gravity 9.81 m/s^2;
///       |      `=  blade                   start at the origin, at rest, turning with phi' = Omega = pi/3 rad/s
///       x (down the slope)
///
/// q = (x, y, phi) [m, m, rad]; n = 3, no holonomic row, m = 1 nonholonomic row (velocity across the blade [m/s])
///
///     psi = x' sin phi - y' cos phi = 0.
///
/// It does not slide down: it draws cycloids. The benchmark adds +lambda times the gradient of psi to the forces: its
/// multiplier is minus that of this library.
/// Energy (kinetic and weight) 0.5 Theta Omega^2 = 0.0712797 J, conserved. Reference: closed form, c = g sin(alpha):
/// x = c/(2 Omega^2) sin^2(Omega t), y = c/(2 Omega^2) (Omega t - sin(2 Omega t)/2), phi = Omega t,
/// lambda = 2 m c sin(Omega t) [N]. Default end: one turn, 6 s.
namespace sunlagrange::mechanisms {
namespace {

const double pi = std::acos(-1.0);

struct KnifeEdge {
  double m = 1.25;                              ///< [kg]
  double Theta = 0.13;                          ///< [kg m^2]
  double downhill = 9.81 * std::sin(pi / 4.0);  ///< c = g sin(alpha) [m/s^2]
  double Omega = pi / 3.0;                      ///< rate at the start [rad/s]

  static constexpr int num_positions = 3;
  static constexpr int num_velocity_constraints = 1;
  static constexpr bool constant_mass_matrix = true;

  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = m;
    M(2, 2) = Theta;
  }

  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T> f) const {
    f[0] = m * downhill;
  }

  template <class T>
  void velocity_constraint(T, View<const T> q, View<const T> v, View<T> psi) const {
    using std::cos;
    using std::sin;
    psi[0] = v[0] * sin(q[2]) - v[1] * cos(q[2]);
  }

  double energy(double, View<const double> q, View<const double> v) const {
    return 0.5 * m * (v[0] * v[0] + v[1] * v[1]) + 0.5 * Theta * v[2] * v[2] - m * downhill * q[0];
  }

  void draw(double, View<const double> q, Drawing& d) const {
    d.block({q[0], q[1]}, {std::cos(q[2]), std::sin(q[2])});
    d.trace({q[0], q[1]});
  }

  std::vector<std::string> position_names() const { return {"x", "y", "phi"}; }
  std::vector<std::string> constraint_names() const { return {"across the blade"}; }
};

ReferenceState exact_state(const KnifeEdge& k, double t) {
  const double angle = k.Omega * t;
  const double speed = k.downhill / k.Omega;
  const double s = std::sin(angle);
  const double c = std::cos(angle);
  ReferenceState state;
  state.q = Eigen::Vector3d(0.5 * speed / k.Omega * s * s, 0.5 * speed / k.Omega * (angle - s * c), angle);
  state.v = Eigen::Vector3d(speed * s * c, speed * s * s, k.Omega);
  state.lambda = Eigen::VectorXd::Constant(1, 2.0 * k.m * k.downhill * s);
  return state;
}

Mechanism make(int) {
  const KnifeEdge model;
  Mechanism mechanism;
  mechanism.system = make_system(model);
  mechanism.start.q = Eigen::Vector3d::Zero();
  mechanism.start.v = Eigen::Vector3d(0.0, 0.0, model.Omega);
  mechanism.t_end = 2.0 * pi / model.Omega;
  mechanism.reference = [model](double t) { return std::optional(exact_state(model, t)); };
  mechanism.reference_source = "closed form at any time";
  return mechanism;
}

}  // namespace

MechanismEntry make_knife_edge() {
  return {make};
}

}  // namespace sunlagrange::mechanisms
