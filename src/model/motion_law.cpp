#include "model/motion_law.hpp"

#include <cmath>

#include "base/numerics.hpp"

namespace sunlagrange::internal {
namespace {

class MechanicalLaw final : public MotionLaw {
 public:
  bool has_forces() const override { return true; }
  int second_order_rows(const MechanicalSystem& system) const override { return system.num_position_constraints(); }
  double velocity_violation(const Eigen::VectorXd& rates) const override { return max_abs(rates); }
  double kinetic_energy(const PatternMatrix& M, const Eigen::VectorXd& v) const override {
    return 0.5 * v.dot(M.times(v));
  }
  void error(const Workspace& w, Eigen::VectorXd& e) const override {
    e.resize(w.g.size() + w.g_rate.size());
    e << w.g, w.g_rate;
  }
};

class ProgramLaw final : public MotionLaw {
 public:
  bool has_forces() const override { return false; }
  int second_order_rows(const MechanicalSystem&) const override { return 0; }
  double velocity_violation(const Eigen::VectorXd&) const override { return NAN; }
  double kinetic_energy(const PatternMatrix&, const Eigen::VectorXd&) const override { return NAN; }
  void error(const Workspace& w, Eigen::VectorXd& e) const override { e = w.g; }
};

}  // namespace

const MotionLaw& motion_law(const MechanicalSystem& system) {
  static const MechanicalLaw mechanical;
  static const ProgramLaw program;
  if (system.first_order()) return program;
  return mechanical;
}

}  // namespace sunlagrange::internal
