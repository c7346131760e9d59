// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <sunlagrange/files/mechanism_file.hpp>

#include "callable_model.hpp"
#include "to_dict.hpp"

/// Calls from Python into the library, without Python's lock and with Ctrl-C.
namespace sunlagrange::python {

/// Checks for Ctrl-C, at most every 50 ms, while the library runs without Python's lock.
class Interruption {
 public:
  bool go_on() {
    const auto now = Clock::now();
    if (now < next_ || caught_) return !caught_;
    next_ = now + std::chrono::milliseconds(50);
    const py::gil_scoped_acquire lock;
    caught_ = PyErr_CheckSignals() != 0;
    return !caught_;
  }

  bool caught() const { return caught_; }

  /// Raises the exception of a signal handler, but for KeyboardInterrupt, which is the outcome of the run.
  void raise() const {
    if (!caught_) return;
    py::error_already_set raised;
    if (!raised.matches(PyExc_KeyboardInterrupt)) throw raised;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point next_ = Clock::now() + std::chrono::milliseconds(50);
  bool caught_ = false;
};

/// Returns the function of the module that calls `call` without the lock and returns its result as a dict. Ctrl-C in a
/// function of the user raises KeyboardInterrupt.
template <class Result, class... Arguments>
auto unlocked(Result (*call)(Arguments...)) {
  return [call](Arguments... arguments) {
    Result result = without_lock([&] { return call(arguments...); });
    if (interrupted_in_function(result)) {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
      throw py::error_already_set();
    }
    return to_dict(result);
  };
}

/// Sets the recorded states: "every_step", "ends_only", a number k for every k-th step, or a list of times.
inline void set_record(SimulationOptions& options, const py::object& record) {
  if (py::isinstance<py::str>(record)) {
    const auto word = record.cast<std::string>();
    if (word != "every_step" && word != "ends_only")
      throw Error("record \"" + word + "\" is not known; choose every_step, ends_only, a number of steps, or times");
    options.record = word == "ends_only" ? Record::ends_only : Record::every_step;
  } else if (PyLong_Check(record.ptr())) {
    options.record = Record::every_kth_step;
    options.record_stride = record.cast<long>();
  } else {
    options.record = Record::at_times;
    options.record_times = record.cast<std::vector<double>>();
  }
}

/// Returns how the start of the mechanism is put onto the constraints.
inline ConsistencyOptions consistency(const MechanismFile& mechanism) {
  ConsistencyOptions options;
  options.start = mechanism.options.start;
  options.linear_solver = mechanism.options.linear_solver;
  return options;
}

/// Define the analyses, the attachments and the stepper in the module.
void define_analyses(py::module_& module);
void define_attachments(py::module_& module);
void define_stepper(py::module_& module);

}  // namespace sunlagrange::python
