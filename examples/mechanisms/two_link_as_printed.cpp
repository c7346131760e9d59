#include "mechanisms/two_link_arm.hpp"

/// Two-link arm with M and Q exactly as [000, Example 1] prints them, for comparison with the paper's figures.
/// I1 = 0.167 and I2 = 0.208 kg m^2 are the printed values; the second should read 0.0208. M lacks most of what link 2
/// contributes, and Q is not the force of any potential, so there is no energy to check. The printed M is positive
/// definite only thanks to the misprint of I2. One parenthesis of Q1 is lost in print; it is read as
/// m l^2 q2' (q1' + q2' sin q2) / 4 - 2 m g l sin q1.
/// Use two_link for everything but reproducing the paper. Geometry, data and reference: two_link_arm.hpp.
namespace sunlagrange::mechanisms {
namespace {

struct AsPrinted : TwoLinkArm {
  double I1 = 0.167;  ///< [kg m^2]
  double I2 = 0.208;  ///< [kg m^2]

  template <class T>
  void mass_matrix(T, View<const T> q, MatrixView<T> M) const {
    using std::cos;
    const double w = m * l * l;
    M(0, 0) = 0.5 * w + I1 + I2;
    M(0, 1) = M(1, 0) = 0.25 * w * cos(q[1]) + I2;
    M(1, 1) = w / 16.0 + I2;
  }

  template <class T>
  void applied_force(T, View<const T> q, View<const T> v, View<T> f) const {
    using std::sin;
    const double w = m * l * l;
    const double weight = m * gravity * l;
    f[0] = 0.25 * w * v[1] * (v[0] + v[1] * sin(q[1])) - 2.0 * weight * sin(q[0]);
    f[1] = -0.25 * w * sin(q[1]) - 0.25 * weight * sin(q[0] + q[1]);
  }
};

Mechanism make(int) {
  return two_link_mechanism(AsPrinted{});
}

}  // namespace

MechanismEntry make_two_link_as_printed() {
  return {make};
}

}  // namespace sunlagrange::mechanisms
