#include <cmath>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/elements/spatial/rigid_body.hpp>

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

}  // namespace sunlagrange
