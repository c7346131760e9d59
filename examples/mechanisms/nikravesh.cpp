#include "mechanisms/nikravesh_pendulum.hpp"

#include <cmath>

#include "mechanisms/mechanism.hpp"

/// The sliding pendulum of nikravesh_pendulum.hpp from the exact start phi = pi/3, s = 0.8 m, at rest. Reference at
/// t = 0, 0.5, 1, 2, 5 s: the two equations in (phi, s), integrated with tight tolerances.
namespace sunlagrange::mechanisms {
namespace {

constexpr double half_rod = 0.5;  // from the hinge to the rod's centre of mass [m]

/// Both bodies at angle phi, the block at distance s: positions, velocities.
ReferenceState state_of(double phi, double s, double phi_dot, double s_dot, const Eigen::Vector4d& lambda) {
  const Eigen::Vector2d along(std::sin(phi), -std::cos(phi));
  const Eigen::Vector2d across(std::cos(phi), std::sin(phi));
  ReferenceState state{Eigen::VectorXd(6), Eigen::VectorXd(6), lambda};
  state.q << half_rod * along, phi, s * along, phi;
  state.v << half_rod * phi_dot * across, phi_dot, s_dot * along + s * phi_dot * across, phi_dot;
  return state;
}

/// t, phi, s, phi', s', lambda
constexpr double states[][9] = {
    {0.0, 1.0471975511966, 0.8, 0.0, 0.0, 10.922392034, -0.70186205714, 1.6855829599, 4.9889544684},
    {0.5, -0.172598349436, 1.359595280546, -2.374477234087, 1.763925460558, -6.3757192455, -24.231680153,
     -0.65903517322, 1.1013861651},
    {1.0, -0.620930373712, 1.386132682099, 0.661859136169, -1.097593709622, -9.0986315297, -13.65020952, -0.75577193121,
     -3.3157161936},
    {2.0, 0.47362407824, 1.235812833845, -1.452985659146, -0.455259281953, 9.0982083561, -17.32917154, 0.66816955694,
     2.4598722856},
    {5.0, 0.176570726587, 1.260603355127, 1.654218131907, 0.406238457931, 4.0993385906, -21.668215677, 0.29828360004,
     0.69298682569}};

std::optional<ReferenceState> state_at(double t) {
  for (const auto& s : states) {
    if (std::abs(t - s[0]) < 1e-12) {
      return state_of(s[1], s[2], s[3], s[4], Eigen::Vector4d(s[5], s[6], s[7], s[8]));
    }
  }
  return std::nullopt;
}

Mechanism make(int) {
  Mechanism mechanism;
  mechanism.system = nikravesh_pendulum();
  mechanism.start.q = state_at(0.0)->q;
  mechanism.t_end = 5.0;
  mechanism.reference = state_at;
  mechanism.reference_source = "reduced equations, tight tolerances, at t = 0, 0.5, 1, 2, 5 s";
  return mechanism;
}

}  // namespace

MechanismEntry make_nikravesh() {
  return {make};
}

}  // namespace sunlagrange::mechanisms
