// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/stability/first_order_form.hpp>

#include <algorithm>

#include <sunlagrange/base/status.hpp>

#include "formulation/formulation.hpp"
#include "linear_algebra/spd.hpp"
#include "model/checks/required_system.hpp"
#include "model/evaluation.hpp"

namespace sunlagrange {

using namespace internal;

struct FirstOrderForm::Parts {
  std::shared_ptr<const MechanicalSystem> system;
  std::unique_ptr<OdeFormulation> formulation;
  std::unique_ptr<Workspace> dense;  // made at first use, because it takes memory in proportion to n^2
  Eigen::VectorXd q;
  Eigen::VectorXd v;

  Workspace& workspace() {
    if (dense == nullptr) dense = make_workspace(*system, Storage::dense);
    return *dense;
  }
};

FirstOrderForm::FirstOrderForm(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                               const FormulationOptions& options) {
  require_system(system, "first-order form");
  const FormulationEntry& entry = find_formulation(options.formulation, *system);
  if (entry.equations != Equations::ode) {
    throw Error("first-order form: formulation " + std::string(entry.name) +
                " is no ordinary differential equation; use baumgarte, penalty or another ODE form, for kinematic "
                "programs integral_manifold");
  }
  const FormulationInput input{options, system, start};
  require_usable(entry, input);
  const int n = system->num_positions();
  parts_ = std::make_unique<Parts>(
      Parts{system, as<OdeFormulation>(entry.make(input)), nullptr, Eigen::VectorXd(n), Eigen::VectorXd(n)});
}

FirstOrderForm::FirstOrderForm(FirstOrderForm&&) noexcept = default;
FirstOrderForm& FirstOrderForm::operator=(FirstOrderForm&&) noexcept = default;
FirstOrderForm::~FirstOrderForm() = default;

int FirstOrderForm::size() const {
  return parts_->formulation->size();
}

int FirstOrderForm::error_size() const {
  return parts_->system->motion_law().error_size;
}

Eigen::VectorXd FirstOrderForm::pack(const MotionState& state) const {
  Eigen::VectorXd y(size());
  parts_->formulation->pack(state, y.data(), nullptr);
  return y;
}

bool FirstOrderForm::rhs(double t, const Eigen::VectorXd& y, Eigen::VectorXd& ydot) {
  ydot.resize(size());
  return parts_->formulation->rhs(t, y.data(), ydot.data()) == EvaluationResult::ok;
}

bool FirstOrderForm::motion(double t, const Eigen::VectorXd& y, Eigen::VectorXd& q, Eigen::VectorXd& v) {
  const int n = parts_->system->num_positions();
  q.resize(n);
  v.resize(n);
  return parts_->formulation->unpack(t, y.data(), nullptr, q.data(), v.data(), nullptr) == EvaluationResult::ok;
}

bool FirstOrderForm::constraint_error(double t, const Eigen::VectorXd& y, Eigen::VectorXd& e) {
  Parts& p = *parts_;
  Workspace& w = p.workspace();
  if (!motion(t, y, p.q, p.v)) return false;
  if (!evaluate_system(*p.system, request::constraint, {t, p.q.data(), p.v.data(), nullptr, nullptr}, w)) return false;
  const int velocity_rows = p.system->motion_law().velocity_rows;
  e.resize(w.g.size() + velocity_rows);
  e << w.g, w.g_rate.head(velocity_rows);
  return true;
}

Eigen::MatrixXd FirstOrderForm::leaving_directions(double t, const Eigen::VectorXd& y) {
  Parts& p = *parts_;
  const int n = p.system->num_positions(), m = p.system->num_constraints(), m_g = p.system->num_position_constraints();
  if (!p.system->motion_law().has_forces || size() != 2 * n || !motion(t, y, p.q, p.v)) return {};
  const Point at = {t, p.q.data(), p.v.data(), nullptr, nullptr};
  if (!evaluate_system(*p.system, request::mass | request::jacobian, at, p.workspace())) return {};
  const Eigen::MatrixXd M = p.workspace().M.dense();
  if (!is_spd(M)) return {};
  const Eigen::MatrixXd pull = spd_solve(M, p.workspace().G.dense().transpose());
  Eigen::MatrixXd directions = Eigen::MatrixXd::Zero(2 * n, m_g + m);
  directions.topLeftCorner(n, m_g) = pull.leftCols(m_g);
  directions.bottomRightCorner(n, m) = pull;
  return directions;
}

FormulationFacts FirstOrderForm::facts() const {
  return parts_->formulation->facts();
}

}  // namespace sunlagrange
