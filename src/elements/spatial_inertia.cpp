// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <sstream>
#include <string>
#include <utility>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/elements/spatial/rigid_body.hpp>

#include "linear_algebra/symmetric_eigen.hpp"

namespace sunlagrange {
namespace {

/// Returns two numbers as texts with as many digits as tell them apart.
std::pair<std::string, std::string> texts_apart(double a, double b) {
  std::pair<std::string, std::string> both{text(a), text(b)};
  for (int digits = 7; both.first == both.second && digits <= std::numeric_limits<double>::max_digits10; ++digits) {
    const auto with_digits = [digits](double value) {
      std::ostringstream out;
      out << std::setprecision(digits) << value;
      return out.str();
    };
    both = {with_digits(a), with_digits(b)};
  }
  return both;
}

}  // namespace

void SpatialRigidBody::describe_parameters(Parameters& p) {
  p.not_negative("m", m, "kg", "mass");
  p.not_negative("Jxx", Jxx, "kg m^2", "moment of inertia about the x axis, none above the sum of the others");
  p.not_negative("Jyy", Jyy, "kg m^2", "about the y axis");
  p.not_negative("Jzz", Jzz, "kg m^2", "about the z axis");
  p.finite("Jxy", Jxy, "kg m^2", "product of inertia, 0 in principal axes");
  p.finite("Jxz", Jxz, "kg m^2", "product of inertia");
  p.finite("Jyz", Jyz, "kg m^2", "product of inertia");
  p.finite("norm_inertia", norm_inertia, "kg m^2", "inertia of the norm of e, not negative",
           {mean_moment, "mean moment of inertia"});
  p.require(norm_inertia == mean_moment || norm_inertia >= 0.0 || std::isnan(norm_inertia),
            "norm_inertia = " + text(norm_inertia) + ": must be finite and not negative, or mean_moment");
  const double moments[] = {Jxx, Jyy, Jzz};
  const char* const names[] = {"Jxx", "Jyy", "Jzz"};
  for (const double value : {Jxx, Jyy, Jzz, Jxy, Jxz, Jyz}) {
    if (!std::isfinite(value)) return;
  }
  if (Jxx < 0.0 || Jyy < 0.0 || Jzz < 0.0) return;

  const double tolerance = 1e-12 * (Jxx + Jyy + Jzz);
  bool triangle = true;
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const bool good = moments[k] <= moments[i] + moments[j] + tolerance;
    triangle = triangle && good;
    const auto [moment, bound] = texts_apart(moments[k], moments[i] + moments[j]);
    p.require(good, std::string(names[k]) + " = " + moment + ": must not exceed " + names[i] + " + " + names[j] +
                        " = " + bound +
                        ", no mass has such moments of inertia; check them, and that they refer to the centre of mass");
  }
  if (!triangle) return;
  const double half = 0.5 * (Jxx + Jyy + Jzz);
  const double x = half - Jxx, y = half - Jyy, z = half - Jzz;  // integrals of x^2, y^2, z^2; of x y: -Jxy
  const double square = tolerance * half, cube = square * half;
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
  d.inertia(corners);
}

}  // namespace sunlagrange
