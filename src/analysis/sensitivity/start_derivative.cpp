// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/sensitivity/start_derivative.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/shared/one_coordinate.hpp"
#include "analysis/shared/row_space.hpp"
#include "linear_algebra/vector_map.hpp"
#include "linear_solver/saddle_point_system.hpp"
#include "model/coordinate_unit.hpp"
#include "model/evaluation.hpp"
#include "model/known_positions.hpp"
#include "model/natural_scales.hpp"

namespace sunlagrange::internal {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// Adds J x to `sum` and the sizes of its terms to `size`; the size of a coordinate is at least its entry of `least`.
void add_terms(const PatternMatrix& J, const Eigen::Ref<const VectorXd>& x, const VectorXd& least, VectorXd& sum,
               VectorXd& size) {
  J.for_each_entry([&](int i, int j, double entry) {
    sum[i] += entry * x[j];
    size[i] += std::abs(entry) * std::max(std::abs(x[j]), least[j]);
  });
}

double largest_ratio(const VectorXd& sum, const VectorXd& size, Index rows) {
  double largest = 0.0;
  for (Index i = 0; i < rows; ++i) {
    if (sum[i] != 0.0) largest = std::max(largest, std::abs(sum[i]) / size[i]);
  }
  return largest;
}

}  // namespace

StartDerivative::StartDerivative(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& given,
                                 const SimulationOptions& options, const SensitivityOptions& wanted,
                                 const std::string& who, std::vector<SystemParameter>& parameters)
    : system_(system),
      options_(options),
      n_(system->num_positions()),
      fixed_positions_(position_indices(*system, given.fixed_positions)),
      fixed_velocities_(position_indices(*system, given.fixed_velocities)),
      parameters_(parameters),
      columns_(*system, named(given, wanted, who)),
      tangent_(2 * n_) {}

bool StartDerivative::enter(const std::shared_ptr<const MechanicalSystem>& active, const std::vector<int>& rows,
                            MotionState& state) {
  active_ = active;
  m_ = active->num_constraints();
  m_g_ = active->num_position_constraints();
  workspace_ = make_workspace(*active, storage_of(options_.linear_solver));
  equations_ =
      std::make_unique<AccelerationForm>(FormulationInput{{options_, {}}, active, state}, Stabilization::none(*active));
  columns_.activate(*active, rows);
  return linearise(state);
}

bool StartDerivative::enter(MotionState& state) {
  std::vector<int> all(static_cast<std::size_t>(system_->num_constraints()));
  std::iota(all.begin(), all.end(), 0);
  return enter(system_, all, state);
}

std::vector<SensitivityColumn> StartDerivative::named(const InitialState& given, const SensitivityOptions& wanted,
                                                      const std::string& who) {
  std::vector<SensitivityColumn> columns;
  const auto add = [&](SystemParameter about, double size) -> SensitivityColumn& {
    for (const SystemParameter& other : parameters_) {
      if (other.name == about.name) throw Error(who + ": \"" + about.name + "\" is given twice");
    }
    parameters_.push_back(std::move(about));
    SensitivityColumn& column = columns.emplace_back();
    column.size = size;
    column.start = {0.0, VectorXd::Zero(n_), VectorXd::Zero(n_), {}, {}, 0.0};
    return column;
  };
  for (const std::string& name : wanted.parameters) {
    auto derivative = std::make_unique<ParameterDerivative>(system_, name);
    SensitivityColumn& column = add(derivative->about(), derivative->size());
    column.parameter = std::move(derivative);
  }
  const auto add_starts = [&](const std::vector<std::string>& names, const char* letter, VectorXd MotionState::*part,
                              const VectorXd& values, int order) {
    for (const std::string& name : names) {
      const int j = one_coordinate(*system_, name, who);
      starts_.push_back({parameters_.size(), j, part});
      (add({std::string(letter) + "(" + name + ")", values.size() == n_ ? values[j] : 0.0,
            coordinate_unit(*system_, j, order), "start value", Range::finite},
           system_->natural_scales()[j])
           .start.*
       part)[j] = 1.0;
    }
  };
  add_starts(wanted.start_positions, "q", &MotionState::q, given.q, 0);
  add_starts(wanted.start_velocities, "v", &MotionState::v, given.v, 1);
  for (const EventParameter& p : wanted.event_parameters)
    add({p.name, p.value, p.unit, p.meaning, Range::finite}, p.value != 0.0 ? std::abs(p.value) : 1.0).of_events = &p;
  return columns;
}

bool StartDerivative::differentiate(const MotionState& start, Status& status) {
  for (const StartValue& value : starts_) parameters_[value.parameter].value = (start.*value.part)[value.coordinate];
  if (options_.start != Start::consistent) return true;
  MetricStep positions(*workspace_->patterns, m_g_, {{}, fixed_positions_}, options_.linear_solver);
  MetricStep velocities(*workspace_->patterns, m_, {{}, fixed_velocities_}, options_.linear_solver);
  const bool factorized = positions.factorize(*workspace_) == EvaluationResult::ok &&
                          velocities.factorize(*workspace_) == EvaluationResult::ok;
  for (int i = 0; i < columns_.size(); ++i) {
    if (factorized && make_consistent(start, i, positions, velocities)) continue;
    status = {Outcome::infeasible,
              "\"" + parameters_[static_cast<std::size_t>(i)].name +
                  "\": no change of the start keeps the constraints when it changes: redundant rows then contradict "
                  "each other, or too much is fixed; see analyse_redundancy"};
    return false;
  }
  return true;
}

bool StartDerivative::linearise(MotionState& state) {
  tangent_ << state.q, state.v;
  const double *a = nullptr, *lambda = nullptr;
  if (equations_->linearize_sensitivities(state.t, tangent_.data(), nullptr, a, lambda) != EvaluationResult::ok)
    return false;
  state.a = as_vector(a, n_);
  state.lambda = as_vector(lambda, m_);
  const Point at{state.t, state.q.data(), state.v.data(), state.a.data(), state.lambda.data()};
  return evaluate_system(*active_, request::acceleration_level | request::tangent, at, *workspace_) &&
         columns_.evaluate(at);
}

/// Projects dq and dv onto the tangents of the constraints: [W G^T; G 0] (change, .) = (0, -(G dq + g_p)), then the
/// same with the derivative of (g', psi). Returns false if rows contradict each other.
bool StartDerivative::make_consistent(const MotionState& at, int column, MetricStep& positions,
                                      MetricStep& velocities) {
  const ParameterTerms& terms = columns_.terms(column);
  MotionState& s = columns_.column(column).start;
  const auto step = [&](MetricStep& metric, int rows, VectorXd& x, const VectorXd& residual) {
    VectorXd top = VectorXd::Zero(n_), bottom = VectorXd::Zero(m_);
    bottom.head(rows) = -residual.head(rows);
    if (metric.solve(top.data(), bottom.data()) != EvaluationResult::ok) return false;
    x += top;
    return true;
  };
  VectorXd rows = VectorXd::Zero(m_);
  rows += workspace_->G * s.q;
  rows.head(m_g_) += terms.g;
  bool good = step(positions, m_g_, s.q, rows);
  rows = terms.g_rate;
  rows += workspace_->V_q * s.q;
  rows += workspace_->G * s.v;
  good = good && step(velocities, m_, s.v, rows);
  return good && position_error(s.q, at, column) <= contradiction_residual &&
         velocity_error(s, at, column) <= contradiction_residual;
}

/// Returns the largest residual of a row relative to the sizes of its terms. The size of a coordinate is at least that
/// of the state divided by the size of the parameter, and at least the rounding of the largest change: at rest the
/// state alone gives no scale.
double StartDerivative::position_error(const Eigen::Ref<const VectorXd>& dq, const MotionState& at, int column) {
  VectorXd sum = VectorXd::Zero(m_);
  sum.head(m_g_) = columns_.terms(column).g;
  VectorXd size = sum.cwiseAbs();
  add_terms(workspace_->G, dq, sizes_of(at.q, dq, column), sum, size);
  return largest_ratio(sum, size, m_g_);
}

double StartDerivative::velocity_error(const MotionState& s, const MotionState& at, int column) {
  VectorXd sum = columns_.terms(column).g_rate, size = sum.cwiseAbs();
  add_terms(workspace_->V_q, s.q, sizes_of(at.q, s.q, column), sum, size);
  add_terms(workspace_->G, s.v, sizes_of(at.v, s.v, column), sum, size);
  return largest_ratio(sum, size, m_);
}

VectorXd StartDerivative::sizes_of(const VectorXd& x, const Eigen::Ref<const VectorXd>& change, int column) {
  const double size =
      std::max(natural_size(*system_, x) / columns_.column(column).size, natural_size(*system_, change));
  return size * system_->natural_scales();
}

}  // namespace sunlagrange::internal
