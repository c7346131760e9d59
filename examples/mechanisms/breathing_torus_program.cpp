#include <cmath>

#include "mechanisms/mechanism.hpp"

/// A kinematic program with m = 2 rows, a companion row and explicit time: two points in the planes (y1, y2), (y3, y4)
/// on circles whose radii breathe,
///
///     f1 = (y1^2 + y2^2 - s1(t)) / 2,     f2 = (y3^2 + y4^2 - s2(t)) / 2,
///     s1 = 1 + sin(3 t) / 2,     s2 = 2 + cos(2 t) / 2     [m^2]
///
/// With the tangents T1 = (-y2, y1, 0, 0), T2 = (0, 0, -y4, y3) the companion row is C = p T1 - q T2. It is orthogonal
/// to both rows of A, so that
///
///     [AC] = q s2 T1 + p s1 T2     on f = 0
///
/// and A^+ (-f_t) is the radial growth of both circles. The angles follow by integration of
///     phi1' = c q s2(t),     phi2' = c p s1(t):     closed form.
/// c = 1, p = 0.7, q = 1.1 (units such that phi' is in rad/s). Start: phi1 = 0.3, phi2 = -0.8. n = 4, m = 2.
namespace sunlagrange::mechanisms {
namespace {

constexpr double p = 0.7, q = 1.1;

template <class T>
T s1(T t) {
  using std::sin;
  return 1.0 + 0.5 * sin(3.0 * t);
}
template <class T>
T s2(T t) {
  using std::cos;
  return 2.0 + 0.5 * cos(2.0 * t);
}

struct BreathingTorusProgram {
  static constexpr int num_positions = 4;
  static constexpr int num_constraints = 2;

  template <class T>
  void constraint(T t, View<const T> y, View<T> f) const {
    f[0] = 0.5 * (y[0] * y[0] + y[1] * y[1] - s1(t));
    f[1] = 0.5 * (y[2] * y[2] + y[3] * y[3] - s2(t));
  }

  std::vector<std::string> position_names() const { return {"y1", "y2", "y3", "y4"}; }
  std::vector<std::string> constraint_names() const { return {"first circle", "second circle"}; }
};

void companion(double, View<const double> y, MatrixView<double> C) {
  C(0, 0) = -p * y[1];
  C(0, 1) = p * y[0];
  C(0, 2) = q * y[3];
  C(0, 3) = -q * y[2];
}

std::optional<ReferenceState> state_at(double t) {
  const double phi1 = 0.3 + q * (2.0 * t + 0.25 * std::sin(2.0 * t));
  const double phi2 = -0.8 + p * (t + (1.0 - std::cos(3.0 * t)) / 6.0);
  const double r1 = std::sqrt(s1(t)), r2 = std::sqrt(s2(t));
  const double r1_dot = 0.75 * std::cos(3.0 * t) / r1, r2_dot = -0.5 * std::sin(2.0 * t) / r2;
  const double phi1_dot = q * s2(t), phi2_dot = p * s1(t);
  ReferenceState state;
  state.q = Eigen::Vector4d(r1 * std::cos(phi1), r1 * std::sin(phi1), r2 * std::cos(phi2), r2 * std::sin(phi2));
  state.v = Eigen::Vector4d(r1_dot * std::cos(phi1) - r1 * phi1_dot * std::sin(phi1),
                            r1_dot * std::sin(phi1) + r1 * phi1_dot * std::cos(phi1),
                            r2_dot * std::cos(phi2) - r2 * phi2_dot * std::sin(phi2),
                            r2_dot * std::sin(phi2) + r2 * phi2_dot * std::cos(phi2));
  return state;
}

Mechanism make(int) {
  ProgramOptions options;
  options.companion_function = companion;
  options.num_companions = 1;
  Mechanism mechanism;
  mechanism.system = make_program(BreathingTorusProgram{}, options);
  mechanism.start.q = state_at(0.0)->q;
  mechanism.t_end = 10.0;
  mechanism.reference = state_at;
  mechanism.reference_source = "closed form";
  return mechanism;
}

}  // namespace

MechanismEntry make_breathing_torus_program() {
  return {make};
}

}  // namespace sunlagrange::mechanisms
