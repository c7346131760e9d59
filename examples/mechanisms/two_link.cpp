#include "mechanisms/two_link_arm.hpp"

/// Two-link arm with the mass matrix and the forces that Lagrange's equations give for links that are uniform rods:
/// I1 = m1 l^2 / 12 = 1/6 kg m^2, I2 = m2 (l/2)^2 / 12 = 1/48 kg m^2. Geometry, data and reference: two_link_arm.hpp.
/// The paper's M and Q differ from these (two_link_as_printed); as n = m, Baumgarte's motion does not depend on M and Q
/// before the fold, the penalty motion does.
/// Check value: energy 18.956017 J at q = (1, 1/2) at rest.
namespace sunlagrange::mechanisms {
namespace {

struct Corrected : TwoLinkArm {
  double I1 = 1.0 / 6.0;   ///< [kg m^2], about the centre of link 1
  double I2 = 1.0 / 48.0;  ///< [kg m^2], about the centre of link 2

  template <class T>
  void mass_matrix(T, View<const T> q, MatrixView<T> M) const {
    using std::cos;
    const double w = m * l * l;
    const T c2 = cos(q[1]);
    M(0, 0) = w * (25.0 / 16.0 + 0.5 * c2) + I1 + I2;
    M(0, 1) = M(1, 0) = w * (1.0 / 16.0 + 0.25 * c2) + I2;
    M(1, 1) = w / 16.0 + I2;
  }

  template <class T>
  void applied_force(T, View<const T> q, View<const T> v, View<T> f) const {
    using std::cos;
    using std::sin;
    const T swing = 0.25 * m * l * l * sin(q[1]);
    const T weight = 0.25 * m * gravity * l * cos(q[0] + q[1]);
    f[0] = swing * v[1] * (2.0 * v[0] + v[1]) - 2.0 * m * gravity * l * cos(q[0]) - weight;
    f[1] = -swing * v[0] * v[0] - weight;
  }

  double energy(double t, View<const double> q, View<const double> v) const {
    double M[4];
    mass_matrix<double>(t, q, MatrixView<double>(M, 2, 2));
    const double kinetic = 0.5 * (M[0] * v[0] * v[0] + 2.0 * M[1] * v[0] * v[1] + M[3] * v[1] * v[1]);
    return kinetic + m * gravity * l * (2.0 * std::sin(q[0]) + 0.25 * std::sin(q[0] + q[1]));
  }
};

Mechanism make(int) {
  return two_link_mechanism(Corrected{});
}

}  // namespace

MechanismEntry make_two_link() {
  return {make};
}

}  // namespace sunlagrange::mechanisms
