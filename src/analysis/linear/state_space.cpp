// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/analysis/state_space.hpp>

#include <sunlagrange/base/registry.hpp>
#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/internal/element_group.hpp>

#include "analysis/shared/scaled_system.hpp"
#include "formulation/parts/acceleration_form.hpp"
#include "linear_algebra/vector_map.hpp"
#include "model/evaluation.hpp"
#include "model/parameters/parameter_derivative.hpp"
#include "results/motion_output.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Names of the parameters that the inputs of one element start with, in the order in which InputBinder lists the
/// inputs.
class InputStarts final : public Parameters {
 public:
  explicit InputStarts(const std::string& element) : prefix_{element + "."} {}

  std::vector<std::string> found;

  void input(double, std::shared_ptr<const double>&) override { found.push_back(last_); }

 protected:
  void number(const Parameter& about, double&) override { last_ = prefix_.back() + about.name; }
  void enter(const ParameterPart& about) override { prefix_.push_back(prefix_.back() + about.name + "."); }
  void leave() override { prefix_.pop_back(); }

 private:
  std::vector<std::string> prefix_;
  std::string last_;
};

/// Returns the inputs by name, each with the parameter that it replaces.
std::vector<std::pair<std::string, std::string>> inputs_of(const std::shared_ptr<const MechanicalSystem>& system) {
  InputBinder binder;
  with_inputs(system, binder);
  std::vector<std::pair<std::string, std::string>> list;
  for (const std::string& name : binder.names()) list.emplace_back(name, "");
  for (int k = 0; k < system->num_elements(); ++k) {
    const auto [group, position] = system->element(k);
    InputBinder own;
    own.begin(group->name(position));
    group->describe(position, own);
    InputStarts starts(system->element_name(k));
    group->describe(position, starts);
    for (std::size_t i = 0; i < starts.found.size(); ++i) {
      for (auto& [input, parameter] : list) {
        if (input == own.names()[i]) parameter = starts.found[i];
      }
    }
  }
  return list;
}

const std::string& parameter_of(const std::string& input,
                                const std::vector<std::pair<std::string, std::string>>& known) {
  std::vector<std::string_view> names;
  for (const auto& [name, parameter] : known) {
    if (name == input && !parameter.empty()) return parameter;
    names.emplace_back(name);
  }
  if (names.empty())
    throw Error("state_space: input \"" + input +
                "\": the system has no inputs; give an element an Input as its law (laws.hpp)");
  throw_unknown("input", input, names);
}

/// Changes of q and v, one column each, and the changes of v' and lambda that follow from the equations of motion.
struct Changes {
  Changes(Index n, Index m, Index columns) : q(MatrixXd::Zero(n, columns)), v(q), a(n, columns), lambda(m, columns) {}
  MatrixXd q, v, a, lambda;
};

/// Computes `a` and `lambda` of the changes. Returns false if the system is singular there.
bool respond(AccelerationForm& equations, const std::vector<ParameterTerms>& terms, Changes& changes) {
  const Index n = changes.q.rows();
  VectorXd tangent(2 * n), rate(2 * n), lambda(changes.lambda.rows());
  for (Index i = 0; i < changes.q.cols(); ++i) {
    tangent << changes.q.col(i), changes.v.col(i);
    const ParameterTerms& explicit_terms = terms[terms.size() == 1U ? 0U : static_cast<std::size_t>(i)];
    if (equations.tangent_motion(tangent.data(), explicit_terms, rate.data(), lambda.data()) != EvaluationResult::ok)
      return false;
    changes.a.col(i) = rate.tail(n);
    changes.lambda.col(i) = lambda;
  }
  return true;
}

void require_no_jump(const std::string& input, const ParameterTerms& terms) {
  if (terms.g.isZero(0.0) && terms.g_rate.isZero(0.0)) return;
  throw Error("state_space: input \"" + input +
              "\" moves a constraint, so that velocities jump with it; let a force drive the mechanism, or add the "
              "motion to the model as a law of time");
}

}  // namespace

StateSpace state_space(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& state,
                       const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
                       const ConsistencyOptions& options) {
  StateSpace result;
  result.about = linearise(system, state, options);
  result.status = result.about.status;
  const auto known = inputs_of(system);
  result.inputs = inputs;
  for (std::size_t k = 0; inputs.empty() && k < known.size(); ++k) result.inputs.push_back(known[k].first);
  result.outputs = outputs;
  for (int i = 0; outputs.empty() && i < system->num_positions(); ++i)
    result.outputs.push_back(system->position_name(i));
  std::vector<ParameterDerivative> derivatives;
  for (const std::string& input : result.inputs) derivatives.emplace_back(system, parameter_of(input, known));
  std::vector<MotionOutput> rows;
  for (const std::string& output : result.outputs) rows.push_back(motion_output(*system, output));
  if (!result.status.finished()) return result;

  const Linearisation& about = result.about;
  MotionState at = about.state;
  const Index n = at.q.size(), m = at.lambda.size();
  const Index p = about.positions.cols(), k = about.velocities.cols();
  FormulationChoice choice;
  choice.linear_solver = options.linear_solver;
  AccelerationForm equations({{choice, {}}, system, at}, Stabilization::none(*system));
  VectorXd y(2 * n);
  y << at.q, at.v;
  const double *a = nullptr, *lambda = nullptr;
  ScaledSystem scales(system);
  bool good = equations.linearize_sensitivities(at.t, y.data(), nullptr, a, lambda) == EvaluationResult::ok &&
              scales.find_scales(at.t, at.q, at.v);
  std::vector<ParameterTerms> none(1), by_input(derivatives.size());
  none.front().set_zero(*system);
  Changes of_state(n, m, p + k), of_inputs(n, m, static_cast<Index>(derivatives.size()));
  of_state.q.leftCols(p) = about.positions;
  of_state.v << about.transport, about.velocities;
  if (good) {
    at.a = as_vector(a, n);
    at.lambda = as_vector(lambda, m);
    const Point point{at.t, at.q.data(), at.v.data(), at.a.data(), at.lambda.data()};
    for (std::size_t i = 0; good && i < derivatives.size(); ++i) {
      by_input[i].set_zero(*system);
      good = derivatives[i].evaluate(point, by_input[i]);
      if (good) require_no_jump(result.inputs[i], by_input[i]);
    }
    good = good && respond(equations, none, of_state) && respond(equations, by_input, of_inputs);
  }
  if (!good) {
    result.status = {Outcome::model_error, "the model declined the point at t = " + text(at.t) +
                                               ", or one with an input nearby; see check_derivatives"};
    return result;
  }
  result.A = about.state_matrix();
  // An input does not change the rows: da = N w', with N orthonormal in scaled coordinates.
  const VectorXd scale = scales.columns().cwiseInverse();
  const Index num_inputs = of_inputs.a.cols();
  result.B = MatrixXd::Zero(p + k, num_inputs);
  if (num_inputs > 0)  // Eigen adds an offset to the null pointer of an empty matrix
    result.B.bottomRows(k) = (scale.asDiagonal() * about.velocities).transpose() * (scale.asDiagonal() * of_inputs.a);
  const auto many = static_cast<Index>(rows.size());
  result.C.resize(many, p + k);
  result.D.resize(many, num_inputs);
  result.z.resize(many);
  for (Index i = 0; i < many; ++i) {
    const MotionOutput& output = rows[static_cast<std::size_t>(i)];
    if (p + k > 0) result.C.row(i) = output.row(of_state);  // the same
    if (num_inputs > 0) result.D.row(i) = output.row(of_inputs);
    result.z[i] = output.row(at)[0];
  }
  return result;
}

}  // namespace sunlagrange
