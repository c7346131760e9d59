// SPDX-License-Identifier: BSD-3-Clause
#include "to_dict.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <sunlagrange/analysis/described_results.hpp>
#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/results/report_json.hpp>
#include <sunlagrange/simulation/catalogue.hpp>

namespace sunlagrange::python {
namespace {

using namespace py::literals;

const char* name_in_python(const char* name) {
  const std::string_view text = name;
  return text == "lambda" ? "multipliers" : text == "dlambda" ? "dmultipliers" : name;
}

std::vector<py::ssize_t> shape_of(const py::handle& value) {
  if (!py::isinstance<py::array>(value)) return {};
  const auto array = py::reinterpret_borrow<py::array>(value);
  return {array.shape(), array.shape() + array.ndim()};
}

/// Returns one column of a table, a list or an array of numbers. Vectors and matrices that are missing in a row become
/// not-a-number.
py::object column(const py::list& rows, const py::str& name, bool sample) {
  const py::object first = py::dict(rows[0])[name];
  const bool numeric = py::isinstance<py::float_>(first) || py::isinstance<py::array>(first);
  py::list entries;
  std::vector<py::ssize_t> shape;
  for (const py::handle row : rows) shape = std::max(shape, shape_of(row[name]));
  const py::module_ numpy = py::module_::import("numpy");
  const py::object unknown = numeric ? numpy.attr("full")(py::tuple(py::cast(shape)), Report::none) : py::none();
  for (const py::handle row : rows) {
    if (!sample) entries.append(numeric && shape_of(row[name]) != shape ? unknown : py::object(row[name]));
  }
  if (!numeric) return entries;
  shape.insert(shape.begin(), static_cast<py::ssize_t>(entries.size()));
  return numpy.attr("array")(entries, "dtype"_a = "float").attr("reshape")(py::tuple(py::cast(shape)));
}

/// Adds "text" to a result without one: its verdict, or else the message of its status.
void add_text(py::dict& all) {
  for (const char* words : {"verdict", "message"}) {
    if (!all.contains("text") && all.contains(words) && py::len(all[words]) > 0) all["text"] = all[words];
  }
  if (!all.contains("text")) all["text"] = "";
}

}  // namespace

void DictFigures::put(const Figure& figure, const py::object& value) {
  if (*figure.name == '\0')
    py::list(levels_.back()).append(value);
  else
    py::dict(levels_.back())[name_in_python(figure.name)] = value;
}

void DictFigures::number(const Figure& figure, double& value) {
  const bool in_table = !tables_.empty() && levels_.size() == tables_.back().row_level;
  put(figure, in_table || std::isfinite(value) ? py::object(py::float_(value)) : py::none());
}

void DictFigures::word(const Figure& figure, const char* const* names, std::size_t size, std::size_t& value) {
  put(figure, py::str(value < size ? names[value] : ""));
}

bool DictFigures::begin(const Figure&) {
  levels_.push_back(py::dict());
  return true;
}

void DictFigures::end(const Figure& figure) {
  py::dict inside = levels_.back();
  levels_.pop_back();
  if (inside.contains("status")) add_text(inside);
  put(figure, inside);
}

std::size_t DictFigures::begin_list(const Figure& figure, std::size_t size) {
  levels_.push_back(py::list());
  if (figure.shape == ListShape::table) tables_.push_back({levels_.size() + 1, size == 0});
  return size;
}

void DictFigures::end_list(const Figure& figure) {
  const py::list rows = levels_.back();
  levels_.pop_back();
  if (figure.shape == ListShape::list) {
    put(figure, rows);
  } else if (figure.shape == ListShape::keyed) {
    py::dict all;
    for (const py::handle row : rows) {
      py::dict rest = py::reinterpret_borrow<py::dict>(row);
      const py::object key = rest.attr("pop")(figure.key);
      all[key] = rest.size() == 1 ? py::reinterpret_borrow<py::object>(rest.begin()->second) : rest;
    }
    put(figure, all);
  } else {
    const bool sample = tables_.back().sample;
    tables_.pop_back();
    py::dict columns;
    if (!rows.empty()) {
      for (const auto& entry : py::dict(rows[0])) {
        const auto name = py::reinterpret_borrow<py::str>(entry.first);
        columns[name] = column(rows, name, sample);
      }
    }
    if (std::string_view(figure.name) == "points")
      levels_.back().attr("update")(columns);
    else
      put(figure, columns);
  }
}

py::dict DictFigures::take() {
  py::dict all = levels_.front();
  if (all.contains("status") || all.contains("verdict")) add_text(all);
  return all;
}

bool DictFigures::optional(const Figure& figure, bool given) {
  if (!given) put(figure, py::none());
  return given;
}

py::dict to_dict(const Simulation& run) {
  py::dict all = py::module_::import("json").attr("loads")(in_python(report_json(run)));
  all["text"] = in_python(run.report.text(run.status));
  return all;
}

/// Returns the figures with multipliers by the names of their rows; none if the forces are not known.
py::dict to_dict(const Reactions& reactions) {
  py::dict all = figures_dict(reactions);
  for (const auto& [name, values] :
       {std::pair("ideal", &reactions.ideal), std::pair("stabilizing", &reactions.stabilizing)}) {
    py::dict rows;
    for (std::size_t i = 0; reactions.status.finished() && i < reactions.names.size(); ++i)
      rows[py::str(reactions.names[i])] = (*values)[static_cast<Eigen::Index>(i)];
    all[name] = rows;
  }
  return all;
}

py::dict to_dict(const ModesAboutStart& found) {
  return to_dict(found.modes);
}

py::dict to_dict(const MechanismWorkspace& found) {
  py::dict all = figures_dict(found);
  all["places"] = all.attr("pop")("place");
  py::dict boundary = all["boundary"];
  boundary["places"] = boundary.attr("pop")("place");
  return all;
}

py::dict to_dict(const Identification& found) {
  py::dict all = figures_dict(found);
  std::string words;
  for (std::size_t i = 0; i < found.parameters.size(); ++i) {
    const SystemParameter& p = found.parameters[i];
    const auto row = static_cast<Eigen::Index>(i);
    words += p.name + " = " + text(p.value);
    const bool lost = std::any_of(found.confounded.begin(), found.confounded.end(), [&](const Confounded& group) {
      return std::count(group.parameters.begin(), group.parameters.end(), p.name) > 0;
    });
    if (row < found.deviation.size() && !lost) words += " +- " + text(found.deviation[row]);
    words += (p.unit.empty() ? "" : " " + p.unit) + (lost ? ", not determined\n" : "\n");
  }
  for (const std::string& sentence : {found.status.message, found.misfit, found.untested})
    words += sentence.empty() ? "" : sentence + "\n";
  all["text"] = in_python(words.substr(0, words.size() - 1));
  py::list fits = all["fits"];
  for (std::size_t k = 0; k < fits.size(); ++k)
    fits[k]["model"] = py::module_::import("numpy").attr("array")(fits[k]["values"]);
  return all;
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

py::dict figure_lists() {
  py::dict all;
  const auto add = [&all](auto type, const char* name, const char*) {
    py::list list;
    for (const FigureInfo& figure : figures_of<typename decltype(type)::Result>())
      list.append(py::dict("name"_a = figure.name, "kind"_a = figure.kind, "unit"_a = figure.unit,
                           "meaning"_a = figure.meaning));
    all[name] = list;
  };
  for_each_result(add);
  add(ResultType<Certificate>{}, "Certificate", "");
  return all;
}

}  // namespace sunlagrange::python
