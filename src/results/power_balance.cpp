// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/results/power_balance.hpp>

#include <cmath>
#include <sstream>

#include <sunlagrange/base/figures.hpp>
#include <sunlagrange/base/registry.hpp>
#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/internal/element_terms.hpp>

#include "base/columns.hpp"
#include "base/words.hpp"
#include "model/checks/required_system.hpp"
#include "model/evaluation.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

template <class Entry>
const Entry& find_by_name(const std::vector<Entry>& entries, const std::string& name, const std::string& asking) {
  std::vector<std::string> known;
  for (const Entry& entry : entries) {
    if (entry.name == name) return entry;
    known.push_back(entry.name);
  }
  throw Error(asking + ": no element is called \"" + name + "\"" + did_you_mean(name, known) +
              "; known elements: " + quoted(known));
}

Eigen::VectorXd gathered(const Eigen::VectorXd& all, const std::vector<int>& indices) {
  Eigen::VectorXd part(static_cast<Eigen::Index>(indices.size()));
  for (std::size_t i = 0; i < indices.size(); ++i)
    part[static_cast<Eigen::Index>(i)] = indices[i] < 0 ? 0.0 : all[indices[i]];
  return part;
}

void check_sizes(const MechanicalSystem& system, const MotionState& s) {
  require_forces(system, "power_balance", "has no forces and no energy");
  const auto wrong = [](const char* what, Eigen::Index size, int wanted) {
    return size == wanted ? std::string()
                          : "power_balance: " + std::string(what) + " has " + std::to_string(size) +
                                " entries, must have " + std::to_string(wanted) + "\n";
  };
  const int n = system.num_positions();
  const std::string problems = wrong("q", s.q.size(), n) + wrong("v", s.v.size(), n) + wrong("a", s.a.size(), n) +
                               wrong("lambda", s.lambda.size(), system.num_constraints());
  if (!problems.empty())
    throw Error(problems + "take a state that is complete, e.g. that of consistent_state() or consistent_state_at()");
}

ElementPower power_of(const MechanicalSystem& system, const ElementTerms& terms, const MotionState& s) {
  const Eigen::VectorXd v = gathered(s.v, terms.coordinates);
  const Eigen::VectorXd reaction = terms.jacobian.transpose() * gathered(s.lambda, terms.rows);
  const Eigen::VectorXd inertia = terms.mass * gathered(s.a, terms.coordinates);
  const Eigen::VectorXd effort = inertia - terms.force + reaction;
  const Eigen::VectorXd size = inertia.cwiseAbs() + terms.force.cwiseAbs() + reaction.cwiseAbs();
  ElementPower p;
  for (std::size_t k = 0; k < terms.coordinates.size(); ++k) {
    const int i = terms.coordinates[k];
    const auto local = static_cast<Eigen::Index>(k);
    p.variables.push_back({i, system.position_name(i), system.position_domain(i), effort[local], v[local], s.q[i],
                           terms.momentum[local], effort[local] * v[local], size[local]});
  }
  p.power = effort.dot(v);
  (terms.dissipative ? p.dissipated : p.prescribed) = (terms.dissipative ? 1.0 : -1.0) * reaction.dot(v);
  if (terms.energy_known) {
    p.dissipated += terms.dissipated;
    p.supplied = terms.power + terms.dissipated;  // `power` is the remainder of the two
    p.stored = p.power - p.dissipated + p.supplied + p.prescribed;
  } else {
    p.unassigned = p.power - p.dissipated + p.prescribed;
  }
  return p;
}

std::string cell(double x) {
  return text(x == 0.0 ? 0.0 : x);
}

}  // namespace

PowerBalance power_balance(const MechanicalSystem& system, const MotionState& state) {
  check_sizes(system, state);
  PowerBalance balance;
  balance.t = state.t;
  balance.effort_sum.setZero(system.num_positions());
  balance.effort_size.setZero(system.num_positions());
  ElementTerms terms;
  for (int e = 0; e < system.num_elements(); ++e) {
    if (!element_terms(system, e, state.t, state.q.data(), state.v.data(), terms)) {
      balance.status = {Outcome::model_error, "power_balance at t = " + text(state.t) + ": element \"" +
                                                  system.element_name(e) + "\" declined the point"};
      return balance;
    }
    ElementPower p = power_of(system, terms, state);
    p.name = system.element_name(e);
    for (const UnifiedVariables& u : p.variables) {
      balance.effort_sum[u.coordinate] += u.effort;
      balance.effort_size[u.coordinate] += u.effort_size;
      balance.magnitude += u.effort_size * std::abs(u.flow);
    }
    balance.sum += p.power;
    balance.stored += p.stored;
    balance.dissipated += p.dissipated;
    balance.supplied += p.supplied;
    balance.prescribed += p.prescribed;
    balance.unassigned += p.unassigned;
    balance.elements.push_back(std::move(p));
  }
  return balance;
}

const ElementPower& PowerBalance::element(const std::string& name) const {
  return find_by_name(elements, name, "power balance");
}

const ElementEnergy& EnergyBalance::element(const std::string& name) const {
  return find_by_name(elements, name, "energy balance");
}

std::string PowerBalance::text() const {
  std::vector<std::vector<std::string>> rows = {{"", "effort", "flow", "displacement", "momentum", "power [W]"}};
  for (const ElementPower& p : elements) {
    rows.push_back({p.name, "", "", "", "", cell(p.power)});
    for (const UnifiedVariables& u : p.variables) {
      rows.push_back({"  " + u.name, cell(u.effort), cell(u.flow), cell(u.displacement), cell(u.momentum),
                      cell(u.power), u.domain ? to_string(*u.domain) : ""});
    }
  }
  rows.push_back({"sum", "", "", "", "", cell(sum)});
  std::ostringstream out;
  out << "power balance at t = " << sunlagrange::text(t) << " s\n"
      << columns("lrrrrrl", rows) << "stored " << sunlagrange::text(stored) << "   dissipated "
      << sunlagrange::text(dissipated) << "   supplied " << sunlagrange::text(supplied)
      << "   prescribed motions and flows " << sunlagrange::text(prescribed);
  if (unassigned != 0.0) out << "   unassigned " << sunlagrange::text(unassigned);
  out << "\n";
  return out.str();
}

std::string EnergyBalance::text() const {
  std::vector<std::vector<std::string>> rows = {{"", "stored", "dissipated", "supplied", "prescribed"}};
  for (const ElementEnergy& e : elements) {
    rows.push_back({e.name, cell(e.stored), cell(e.dissipated), cell(e.supplied), cell(e.prescribed)});
  }
  rows.push_back({"sum", cell(stored), cell(dissipated), cell(supplied), cell(prescribed)});
  std::ostringstream out;
  out << "energy balance [J], t = " << sunlagrange::text(t_start) << " ... " << sunlagrange::text(t_end) << " s\n"
      << columns("lrrrr", rows) << "stored + dissipated - supplied - prescribed = " << sunlagrange::text(residual)
      << ", " << sunlagrange::text(closure) << " of what changed hands";
  if (jumps != 0.0) out << "; events brought in " << sunlagrange::text(jumps);
  out << "\n";
  return out.str();
}

void UnifiedVariables::describe(Figures& f) {
  f("name", name, "name of the coordinate");
  f("coordinate", coordinate, "number of the coordinate, from 0 on");
  f("domain", domain, "physical domain; none for generic blocks");
  f("effort", effort, "unit of force", "generalised force that the element takes from the others");
  f("flow", flow, "unit of v", "velocity");
  f("displacement", displacement, "unit of q", "position");
  f("momentum", momentum, "unit of force x s", "derivative of the kinetic energy of the element by the velocity");
  f("power", power, "W", "effort x flow, positive into the element");
  f("effort_size", effort_size, "unit of force", "sum of the sizes of the terms of the effort");
}

void ElementPower::describe(Figures& f) {
  f("name", name, "name of the element");
  f("power", power, "W", "power that flows into the element");
  f("stored", stored, "W", "rate of change of its energy");
  f("dissipated", dissipated, "W", "dissipated power");
  f("supplied", supplied, "W", "power of its other forces; negative: a load");
  f("prescribed", prescribed, "W", "power of its constraints: prescribed motions and flows");
  f("unassigned", unassigned, "W", "power of an element whose energy is not known");
  f.keyed("variables", variables, "name", "effort, flow, displacement and momentum on each of its coordinates");
}

void PowerBalance::describe(Figures& f) {
  f("t", t, "s", "time");
  status.describe(f);
  f.keyed("elements", elements, "name", "power of each element");
  f("stored", stored, "W", "sum over all elements");
  f("dissipated", dissipated, "W", "sum over all elements");
  f("supplied", supplied, "W", "sum over all elements");
  f("prescribed", prescribed, "W", "sum over all elements");
  f("unassigned", unassigned, "W", "sum over all elements");
  f("sum", sum, "W", "sum of all powers, zero to rounding");
  f("magnitude", magnitude, "W", "sum of the sizes of all powers");
  f("effort_sum", effort_sum, "unit of force", "sum of the efforts on each coordinate, zero to rounding");
  f("effort_size", effort_size, "unit of force", "sum of the sizes of the efforts on each coordinate");
  f.derived("text", text(), "table in words");
}

}  // namespace sunlagrange
