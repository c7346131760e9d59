#include <algorithm>
#include <cmath>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/elements/spatial/rigid_body.hpp>

#include "linear_algebra/symmetric_eigen.hpp"

namespace sunlagrange {

void SpatialRigidBody::check_parameters(Parameters& p) const {
  p.not_negative("m", m);
  const double moments[] = {Jxx, Jyy, Jzz};
  const char* const names[] = {"Jxx", "Jyy", "Jzz"};
  bool usable = true;
  const auto moment = [&](const char* name, double value, bool negative_too) {
    const bool good = std::isfinite(value) && (negative_too || value >= 0.0);
    usable = usable && good;
    if (negative_too)
      p.finite(name, value);
    else
      p.not_negative(name, value);
  };
  for (int k = 0; k < 3; ++k) moment(names[k], moments[k], false);
  moment("Jxy", Jxy, true);
  moment("Jxz", Jxz, true);
  moment("Jyz", Jyz, true);
  p.require(norm_inertia == mean_moment || (norm_inertia >= 0.0 && std::isfinite(norm_inertia)),
            "norm_inertia = " + text(norm_inertia) + ": must be finite and not negative, or mean_moment");
  if (!usable) return;

  const double rounding = 1e-12 * (Jxx + Jyy + Jzz);
  bool triangle = true;
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const bool good = moments[k] <= moments[i] + moments[j] + rounding;
    triangle = triangle && good;
    p.require(good, std::string(names[k]) + " = " + text(moments[k]) + ": must not exceed " + names[i] + " + " +
                        names[j] + " = " + text(moments[i] + moments[j]) +
                        ", no mass has such moments of inertia; check them, and that they refer to the centre of mass");
  }
  if (!triangle) return;
  const double half = 0.5 * (Jxx + Jyy + Jzz);
  const double x = half - Jxx, y = half - Jyy, z = half - Jzz;  // integrals of x^2, y^2, z^2; of x y: -Jxy
  const double square = rounding * half, cube = square * half;
  p.require(x * y - Jxy * Jxy >= -square && x * z - Jxz * Jxz >= -square && y * z - Jyz * Jyz >= -square &&
                x * (y * z - Jyz * Jyz) - Jxy * (Jxy * z + Jyz * Jxz) - Jxz * (Jxy * Jyz + y * Jxz) >= -cube,
            "Jxy = " + text(Jxy) + ", Jxz = " + text(Jxz) + ", Jyz = " + text(Jyz) +
                ": too large beside Jxx, Jyy, Jzz, the principal moments violate the triangle inequality; check signs "
                "and axes");
}

void SpatialRigidBody::draw(double, View<const double> q, Drawing& d) const {
  const Drawing::Point centre = d.on_body({q[0], q[1], q[2]}, 0);
  d.mass(centre);
  const double half = 0.5 * (Jxx + Jyy + Jzz);
  // integral of r r^T dm, lower triangle; along its principal axis l a box of half length h has m h^2 / 3
  const double second[] = {half - Jxx, -Jxy, -Jxz, 0.0, half - Jyy, -Jyz, 0.0, 0.0, half - Jzz};
  internal::SymmetricEigen principal(3);
  principal.decompose(3, second);
  if (!(m > 0.0)) return;
  spatial::Vector3<double> edge[3];
  for (int l = 0; l < 3; ++l) {
    const double h = std::sqrt(std::max(0.0, 3.0 * principal.value(l) / m));
    const double* axis = principal.vector(l);
    edge[l] = spatial::rotated(spatial::part(q, 3, 4), {h * axis[0], h * axis[1], h * axis[2]});
  }
  std::array<Drawing::Point, 8> corners;
  for (std::size_t k = 0; k < 8; ++k) {
    spatial::Vector3<double> p = {q[0], q[1], q[2]};
    for (unsigned l = 0; l < 3; ++l) p = spatial::sum(p, spatial::scaled((k >> l & 1U) != 0 ? 1.0 : -1.0, edge[l]));
    corners[k] = {p[0], p[1], p[2]};
  }
  d.box(corners);
}

}  // namespace sunlagrange
