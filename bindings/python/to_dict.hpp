// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <pybind11/eigen.h>
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <sunlagrange/analysis.hpp>
#include <sunlagrange/base/figures.hpp>
#include <sunlagrange/stability/certificate.hpp>
#include <sunlagrange/sunlagrange.hpp>

#include "words.hpp"

/// Results of the library as dictionaries of Python. They follow from the descriptions of the results
/// (base/figures.hpp) and have the names of the documents of --json; None stands for a number that is not finite,
/// "text" is the account in words.
namespace sunlagrange::python {

namespace py = pybind11;

/// Makes a dictionary of a described result. Vectors and matrices become arrays of numpy, keyed lists dictionaries;
/// tables become arrays, one for each figure of the rows, and those called "points" stand in the dictionary around
/// them. Multipliers are called so, because lambda is a keyword of Python.
class DictFigures final : public Figures {
 public:
  /// The dictionary, once the result has been visited. Results with a status or a verdict have "text" as well.
  py::dict take();

 protected:
  bool wants_sample() const override { return true; }
  void number(const Figure& figure, double& value) override;
  void integer(const Figure& figure, long& value) override { put(figure, py::int_(value)); }
  void flag(const Figure& figure, bool& value) override { put(figure, py::bool_(value)); }
  void text(const Figure& figure, std::string& value) override { put(figure, py::str(in_python(value))); }
  void word(const Figure& figure, const char* const* names, std::size_t size, std::size_t& value) override;
  void complex_number(const Figure& figure, std::complex<double>& value) override { put(figure, py::cast(value)); }
  void numbers(const Figure& figure, Eigen::VectorXd& values) override { put(figure, py::cast(values)); }
  void complex_numbers(const Figure& figure, Eigen::VectorXcd& values) override { put(figure, py::cast(values)); }
  void matrix(const Figure& figure, Eigen::MatrixXd& values) override { put(figure, py::cast(values)); }
  bool begin(const Figure& figure) override;
  void end(const Figure& figure) override;
  std::size_t begin_list(const Figure& figure, std::size_t size) override;
  void end_list(const Figure& figure) override;
  bool optional(const Figure& figure, bool given) override;

 private:
  void put(const Figure& figure, const py::object& value);

  struct Table {
    std::size_t row_level;  // number of levels inside a row
    bool sample;            // its only row is a sample
  };

  std::vector<py::object> levels_{py::dict()};
  std::vector<Table> tables_;  // that are open
};

/// Returns the figures of a result.
template <class Result>
py::dict figures_dict(const Result& result) {
  DictFigures figures;
  describe_const(result, figures);
  return figures.take();
}
template <class Result>
py::dict to_dict(const Result& result) {
  return figures_dict(result);
}

/// With the linearisation that the page shows.
struct ModesAboutStart {
  Linearisation about;
  Modes modes;
};

py::dict to_dict(const Simulation& run);
py::dict to_dict(const Reactions& reactions);
py::dict to_dict(const ModesAboutStart& found);
py::dict to_dict(const MechanismWorkspace& found);
py::dict to_dict(const Identification& found);

template <class Entry>
py::list to_list(const std::vector<Entry>& entries) {
  py::list list;
  for (const Entry& entry : entries) list.append(figures_dict(entry));
  return list;
}

/// The catalogue, a dict for each entry.
py::list formulation_list();
py::list integrator_list();
py::list linear_solver_list();
py::list element_list();

/// The figures of every type of results: {type: [{name, kind, unit, meaning}]}.
py::dict figure_lists();

}  // namespace sunlagrange::python
