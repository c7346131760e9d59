#include "answers.hpp"

#include <cmath>

#include <sunlagrange/results/report_json.hpp>
#include <sunlagrange/simulation/catalogue.hpp>

namespace sunlagrange::python {
namespace {

using namespace py::literals;

py::object number(double x) {
  return std::isfinite(x) ? py::object(py::float_(x)) : py::none();
}

}  // namespace

py::dict state_dict(const MotionState& state) {
  return py::dict("t"_a = state.t, "q"_a = state.q, "v"_a = state.v, "a"_a = state.a, "multipliers"_a = state.lambda);
}

py::list answer(const std::vector<Doubt>& doubts) {
  py::list list;
  for (const Doubt& d : doubts) {
    list.append(py::dict("kind"_a = to_string(d.kind), "value"_a = number(d.value), "allowed"_a = number(d.allowed),
                         "text"_a = d.text));
  }
  return list;
}

py::dict answer(const Simulation& run) {
  const Report& r = run.report;
  py::dict all = py::module_::import("json").attr("loads")(report_json(run));
  all["t_start"] = r.t_start;
  all["start"] = py::dict("feasible"_a = r.start.feasible, "velocities_feasible"_a = r.start.velocities_feasible,
                          "moved_positions"_a = number(r.start.moved_positions), "most_moved"_a = r.start.most_moved,
                          "moved_velocities"_a = number(r.start.moved_velocities), "rank"_a = r.start.rank);
  py::list settings;
  for (const Setting& line : r.used.lines())
    settings.append(py::dict("name"_a = line.name, "asked"_a = line.asked, "used"_a = line.used));
  all["settings"] = settings;
  all["references"] = r.references;
  all["text"] = r.text(run.status);
  return all;
}

py::dict answer(const ConsistentState& found) {
  const ConsistencyReport& r = found.report;
  py::dict all = state_dict(found.state);
  all["status"] = to_string(r.status.outcome);
  all["feasible"] = r.feasible;
  all["velocities_feasible"] = r.velocities_feasible;
  all["position_violation_before"] = number(r.position_violation_before);
  all["position_violation_after"] = number(r.position_violation_after);
  all["moved_positions"] = number(r.moved_positions);
  all["position_moves"] = r.position_moves;
  all["most_moved"] = r.most_moved;
  all["worst_constraint"] = r.worst_constraint;
  all["rank"] = r.rank;
  all["text"] = r.status.message;
  return all;
}

py::dict answer(const RedundancyReport& r) {
  const bool known = r.permanence_known();
  py::list dependent;
  for (const DependentConstraint& row : r.dependent) {
    py::dict relation;
    for (const RelationTerm& term : row.relation) relation[py::str(term.constraint)] = term.coefficient;
    dependent.append(py::dict("constraint"_a = row.constraint, "relation"_a = relation,
                              "permanent"_a = known ? py::object(py::bool_(row.permanent)) : py::object(py::none())));
  }
  py::list lost;
  for (const LostDirection& direction : r.lost) {
    py::dict shares;
    for (const ConstraintShare& share : direction.shares) shares[py::str(share.constraint)] = share.share;
    lost.append(py::dict("singular_value"_a = direction.singular_value, "shares"_a = shares));
  }
  return py::dict(
      "status"_a = to_string(r.status.outcome), "rows"_a = r.rows, "rank"_a = r.rank, "redundant"_a = r.redundant,
      "permanent"_a = known ? py::object(py::int_(r.permanent)) : py::object(py::none()),
      "degrees_of_freedom"_a = r.degrees_of_freedom, "immobile"_a = r.immobile, "singular_values"_a = r.singular_values,
      "dependent"_a = dependent, "lost"_a = lost, "text"_a = r.text());
}

py::dict answer(const Reactions& r) {
  py::dict ideal, stabilizing;
  for (std::size_t i = 0; r.status.finished() && i < r.names.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    ideal[py::str(r.names[i])] = r.ideal[row];
    stabilizing[py::str(r.names[i])] = r.stabilizing[row];
  }
  return py::dict("t"_a = r.t, "status"_a = to_string(r.status.outcome), "ideal"_a = ideal,
                  "stabilizing"_a = stabilizing, "generalized_force"_a = r.generalized_force,
                  "stabilizing_force"_a = r.stabilizing_force, "acceleration"_a = r.acceleration,
                  "position_violation"_a = r.position_violation, "velocity_violation"_a = r.velocity_violation,
                  "acceleration_violation"_a = r.acceleration_violation, "jacobian"_a = r.jacobian.toDense(),
                  "rank"_a = r.rank, "text"_a = r.status.message);
}

py::dict answer(const PowerBalance& b) {
  py::dict elements;
  for (const ElementPower& e : b.elements) {
    elements[py::str(e.name)] =
        py::dict("power"_a = e.power, "stored"_a = e.stored, "dissipated"_a = e.dissipated, "supplied"_a = e.supplied,
                 "prescribed"_a = e.prescribed, "unassigned"_a = e.unassigned);
  }
  return py::dict("t"_a = b.t, "status"_a = to_string(b.status.outcome), "elements"_a = elements, "stored"_a = b.stored,
                  "dissipated"_a = b.dissipated, "supplied"_a = b.supplied, "prescribed"_a = b.prescribed,
                  "unassigned"_a = b.unassigned, "sum"_a = b.sum, "magnitude"_a = b.magnitude, "text"_a = b.text());
}

py::dict answer(const EnergyBalance& b) {
  py::dict elements;
  for (const ElementEnergy& e : b.elements) {
    elements[py::str(e.name)] = py::dict("stored"_a = e.stored, "taken"_a = e.taken, "dissipated"_a = e.dissipated,
                                         "supplied"_a = e.supplied, "prescribed"_a = e.prescribed);
  }
  return py::dict("t_start"_a = b.t_start, "t_end"_a = b.t_end, "status"_a = to_string(b.status.outcome),
                  "elements"_a = elements, "stored"_a = b.stored, "dissipated"_a = b.dissipated,
                  "supplied"_a = b.supplied, "prescribed"_a = b.prescribed, "jumps"_a = b.jumps,
                  "residual"_a = b.residual, "turnover"_a = b.turnover, "closure"_a = number(b.closure),
                  "text"_a = b.text());
}

py::dict answer(const GainAdvice& a) {
  py::list warnings;
  for (const GainWarning& w : a.warnings) {
    warnings.append(py::dict("kind"_a = to_string(w.kind), "value"_a = number(w.value), "allowed"_a = number(w.allowed),
                             "text"_a = w.text));
  }
  std::string words;
  for (const Setting& line : a.lines()) words += (words.empty() ? "" : "\n") + line.name + ": " + line.used;
  return py::dict("motion_rate"_a = a.motion_rate, "omega"_a = a.omega, "fastest"_a = a.fastest,
                  "slowest"_a = a.slowest, "growth"_a = a.growth, "stability_margin"_a = number(a.stability_margin),
                  "expected_violation"_a = a.expected_violation, "added_cost"_a = number(a.added_cost),
                  "warnings"_a = warnings, "text"_a = words);
}

py::dict answer(const Certificate& c) {
  py::list failures;
  for (const CertificateFailure& f : c.failures) {
    failures.append(py::dict("condition"_a = to_string(f.condition), "step"_a = f.step, "t"_a = f.t,
                             "value"_a = number(f.value), "bound"_a = number(f.bound), "text"_a = f.words));
  }
  return py::dict("certified"_a = c.certified, "stayed_below"_a = c.stayed_below(), "failures"_a = failures,
                  "steps"_a = c.steps, "step"_a = c.tau, "eps"_a = c.eps, "t_reached"_a = c.t_reached,
                  "largest_error"_a = number(c.largest_error), "t_of_largest"_a = number(c.t_of_largest),
                  "largest_contraction"_a = number(c.largest_contraction),
                  "largest_remainder"_a = number(c.largest_remainder), "smallest_slack"_a = number(c.smallest_slack),
                  "text"_a = c.text());
}

py::list formulation_list() {
  py::list list;
  for (const FormulationInfo& f : formulations()) {
    list.append(py::dict("name"_a = f.name, "summary"_a = f.summary, "equations"_a = to_string(f.equations),
                         "for_programs"_a = f.for_programs, "unknowns"_a = f.unknowns, "when"_a = f.when,
                         "when_not"_a = f.when_not));
  }
  return list;
}

py::list integrator_list() {
  py::list list;
  for (const IntegratorInfo& i : integrators()) {
    list.append(py::dict("name"_a = i.name, "summary"_a = i.summary, "equations"_a = to_string(i.equations),
                         "fixed_step"_a = i.fixed_step));
  }
  return list;
}

py::list linear_solver_list() {
  py::list list;
  for (const LinearSolverInfo& s : linear_solvers())
    list.append(py::dict("name"_a = s.name, "summary"_a = s.summary, "available"_a = s.available));
  return list;
}

py::list element_list() {
  py::list list;
  for (const ElementInfo& e : elements()) {
    std::vector<std::string> kinds;
    for (const BlockKind kind : e.blocks) kinds.emplace_back(to_string(kind));
    list.append(py::dict("name"_a = e.name.substr(0, e.name.find('<')), "summary"_a = e.summary, "blocks"_a = kinds));
  }
  return list;
}

}  // namespace sunlagrange::python
