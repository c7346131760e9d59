// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <sunlagrange/files/law_function.hpp>
#include <sunlagrange/model/model_functions.hpp>

#include "to_dict.hpp"

namespace sunlagrange::python {

/// Exception that a function of the user raised in this thread during a call of the library. It is not destroyed with
/// the thread, which may outlive the interpreter.
inline thread_local py::error_already_set* raised_by_function = nullptr;

inline std::unique_ptr<const py::error_already_set> take_raised() {
  return std::unique_ptr<const py::error_already_set>(std::exchange(raised_by_function, nullptr));
}

/// Returns type and text of an exception without its traceback, "ValueError: too fast". Needs the lock.
inline std::string in_short(const py::error_already_set& raised) {
  const std::string type = py::str(raised.type().attr("__name__"));
  const std::string text = py::str(raised.value());
  return text.empty() ? type : type + ": " + text;
}

/// Calls a function of the user with the lock. Its exception is kept, and an Error is thrown through the library.
template <class Call>
auto calling(const std::string& name, const Call& call) {
  const py::gil_scoped_acquire lock;
  try {
    return call();
  } catch (const py::error_already_set& raised) {
    if (raised_by_function == nullptr) raised_by_function = new py::error_already_set(raised);
    throw Error(name + ": " + in_short(raised));
  } catch (const py::cast_error&) {
    throw Error(name + ": must return a number");
  }
}

/// Raises a mistake of a function as sunlagrange.Error. Needs the lock.
[[noreturn]] inline void refuse(const std::string& text) {
  PyErr_SetString(py::module_::import("sunlagrange._core").attr("Error").ptr(), text.c_str());
  throw py::error_already_set();
}

/// Calls the library without the lock. Exceptions of functions of the user are raised again afterwards.
template <class Work>
auto without_lock(const Work& work) {
  take_raised();
  try {
    const py::gil_scoped_release release;
    return work();
  } catch (const Error&) {
    if (raised_by_function == nullptr) throw;
  }
  throw py::error_already_set(*take_raised());
}

/// Returns the status of a result; nullptr: it has none.
template <class Result>
auto status_of(Result& found, int) -> decltype(&found.status) {
  return &found.status;
}
template <class Result>
Status* status_of(Result&, long) {
  return nullptr;
}

/// Ends a run or an analysis in which a function of the user may have raised. Ctrl-C in a function: its result is the
/// one so far, and this returns true. Another exception is raised again unless the result is finished in spite of it.
template <class Result>
bool interrupted_in_function(Result& found) {
  const auto raised = take_raised();
  if (raised == nullptr) return false;
  Status* const status = status_of(found, 0);
  if (raised->matches(PyExc_KeyboardInterrupt)) {
    if (status != nullptr) *status = {Outcome::interrupted, "Ctrl-C"};
    return true;
  }
  if (status != nullptr && !status->finished()) throw py::error_already_set(*raised);
  return false;
}

/// Returns a Python object that may be shared and released without the lock.
template <class Value>
std::shared_ptr<const Value> held(Value value) {
  return {new Value(std::move(value)), [](const Value* last) {
            const py::gil_scoped_acquire lock;
            delete last;
          }};
}

/// A function of the user. If its first result is None, its `return` is missing, and it does not decline the point.
struct Function : py::object {
  explicit Function(py::object function) : py::object(std::move(function)) {}
  mutable bool has_returned = false;
};

/// Throws the Error "event bottom: below returned None; forgot return?". Needs the lock.
[[noreturn]] inline void refuse_none(const std::string& name, const py::object& function,
                                     const std::string& more = "") {
  refuse(name + ": " + std::string(py::str(py::getattr(function, "__name__", py::str("the function")))) +
         " returned None; forgot return?" + more);
}

/// A model made of functions of Python (model/requirements.hpp). None stands for a function that the model does not
/// have.
struct Functions {
  std::vector<std::string> positions;
  int num_constraints = 0;
  int num_velocity_constraints = 0;
  Function mass_matrix, applied_force, constraint, velocity_constraint, constraint_jacobian;
};

inline Eigen::VectorXd vector(View<const double> x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), x.size());
}

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// Copies an array of real numbers. Conversions of numpy would drop imaginary parts and read texts. Needs the lock.
/// @throws Error  "applied_force: returned str, wanted 2 numbers"
inline Numbers numbers(const char* name, const py::object& returned, const MatrixView<double>& wanted) {
  const py::array given = py::array::ensure(returned);
  const char kind = given ? given.dtype().kind() : 'U';
  if (std::string("biufO").find(kind) != std::string::npos) {
    if (Numbers found = Numbers::ensure(given)) return found;
  }
  refuse(std::string(name) + ": returned " + std::string(py::str(py::type::of(returned).attr("__name__"))) +
         ", wanted " + std::to_string(wanted.rows()) +
         (wanted.columns() == 1 ? "" : " x " + std::to_string(wanted.columns())) + " numbers" +
         (kind == 'c' ? ", none of them complex" : ""));
}

/// The library asks with a time that is NaN whether a function reads the time (model/time_dependence.cpp). Functions of
/// Python are not called then and count as functions of time: numpy clears the flags by which it would be noticed.
inline bool asks_for_use(double t) {
  return std::isnan(t);
}

/// Returns false if the function returns None: it declines the point.
template <class... Arguments>
bool fill(const char* name, MatrixView<double> out, const Function& function, const Arguments&... arguments) {
  return calling(name, [&] {
    const py::object returned = function(arguments...);
    if (returned.is_none()) {
      if (!function.has_returned) refuse_none(name, function, " (None declines a point, but not the first one)");
      return false;
    }
    function.has_returned = true;
    const Numbers value = numbers(name, returned, out);
    const bool vector = out.columns() == 1 && (value.ndim() == 1 || (value.ndim() == 0 && out.rows() == 1));
    const bool matrix = value.ndim() == 2 && value.shape(0) == out.rows() && value.shape(1) == out.columns();
    if (!matrix && !(vector && value.size() == out.rows())) {
      const std::string shape = py::str(value.attr("shape"));
      refuse(std::string(name) + ": returns an array of shape " + shape + ", must have " + std::to_string(out.rows()) +
             (out.columns() == 1 ? " entries" : " x " + std::to_string(out.columns()) + " entries"));
    }
    for (int i = 0; i < out.rows(); ++i)
      for (int j = 0; j < out.columns(); ++j) out(i, j) = value.data()[i * out.columns() + j];
    return true;
  });
}
template <class... Arguments>
bool fill(const char* name, View<double> out, const Function& function, const Arguments&... arguments) {
  return fill(name, MatrixView<double>(out.data(), out.size(), 1), function, arguments...);
}

/// The same for a function whose first argument is the time.
template <class Out, class... Arguments>
bool fill_at(const char* name, Out out, const Function& function, double t, const Arguments&... arguments) {
  return !asks_for_use(t) && fill(name, out, function, t, arguments...);
}

/// Functions of a law by its name: value, first and second derivative of an array of arguments; None: by differences.
using LawsOfPython = std::map<std::string, std::tuple<py::object, py::object, py::object>>;

/// Returns the function of the library that calls a function of Python, which may not decline a point.
template <class Out>
std::function<void(LawFunction::In, Out)> law_part(const std::string& name, const py::object& given) {
  if (given.is_none()) return nullptr;
  return [name, function = held(Function(given))](LawFunction::In x, Out out) {
    if (asks_for_use(x.data()[0])) throw Error(name + ": the time must be a number");
    if (fill(name.c_str(), out, *function, vector(x))) return;
    const py::gil_scoped_acquire lock;
    refuse_none(name, *function);
  };
}

inline LawFunctions law_functions(const LawsOfPython& given) {
  LawFunctions functions;
  for (const auto& [name, parts] : given) {
    const auto& [value, first, second] = parts;
    functions[name] = {law_part<View<double>>(name, value), law_part<MatrixView<double>>(name, first),
                       law_part<View<double>>(name, second)};
  }
  return functions;
}

/// Returns the functions that are given. Any thread may call them; they are released with the lock.
inline ModelFunctions model_functions(const std::shared_ptr<const Functions>& f) {
  using In = ModelFunctions::In;
  ModelFunctions m;
  m.num_positions = static_cast<int>(f->positions.size());
  m.num_constraints = f->num_constraints;
  m.num_velocity_constraints = f->num_velocity_constraints;
  m.position_names = f->positions;
  m.mass_matrix = [f](double t, In q, ModelFunctions::Matrix M) {
    return fill_at("mass_matrix", M, f->mass_matrix, t, vector(q));
  };
  m.applied_force = [f](double t, In q, In v, View<double> force) {
    return fill_at("applied_force", force, f->applied_force, t, vector(q), vector(v));
  };
  if (f->num_constraints > 0) {
    m.constraint = [f](double t, In q, View<double> g) {
      return fill_at("constraint", g, f->constraint, t, vector(q));
    };
    if (!f->constraint_jacobian.is_none())
      m.constraint_jacobian = [f](double t, In q, ModelFunctions::Matrix G) {
        return fill_at("constraint_jacobian", G, f->constraint_jacobian, t, vector(q));
      };
  }
  if (f->num_velocity_constraints > 0)
    m.velocity_constraint = [f](double t, In q, In v, View<double> psi) {
      return fill_at("velocity_constraint", psi, f->velocity_constraint, t, vector(q), vector(v));
    };
  return m;
}

}  // namespace sunlagrange::python
