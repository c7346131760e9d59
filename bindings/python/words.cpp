// SPDX-License-Identifier: BSD-3-Clause
#include "words.hpp"

#include <utility>

namespace sunlagrange::python {
namespace {

/// Words of C++, longer ones before words that they contain, and those of Python.
constexpr std::pair<const char*, const char*> words[] = {
    {"Record::every_kth_step, at_times or ends_only",
     "record=100 (every hundredth step), a list of times or 'ends_only'"},
    {"only Record::every_kth_step reads it", "only record=k, every k-th step, reads it"},
    {"Record::every_kth_step", "record=k (every k-th step)"},
    {"only Record::at_times reads them", "only a list of times as record reads them"},
    {"Record::at_times", "record=[times]"},
    {"Record::every_step", "record='every_step'"},
    {"Record::ends_only", "record='ends_only'"},
    {"Crossing::rising or Crossing::falling", "crossing='rising' or crossing='falling'"},
    {"Start::as_given", "start='as_given'"},
    {"AtSingularity::project", "at_singularity='project'"},
    {"unilateral_contact", "Event.contact"},
    {"make_system(), Assembly::build() or make_program()", "Assembly.build()"},
    {"takes kinematic programs, see make_program()", "takes kinematic programs, which are made in C++"},
    {"in C++ without_constraints()", "in Python build the model without it"},
    {"consistent_state() or consistent_state_at()", "Mechanism.consistent_state()"},
    {"consistent_state_at()", "Mechanism.consistent_state()"},
    {"consistent_state()", "Mechanism.consistent_state()"},
    {"static_equilibria(), equilibrium --starts", "Mechanism.equilibria()"},
    {"make_functional() or named_functional() make one", "give it by its name"},
    {"write_checkpoint()", "Stepper.save()"},
    {"; see check_derivatives", "; check that the model is defined and smooth near it"},
    {"use check_derivatives, and check", "check"},
    {"see analyse_redundancy", "see Mechanism.redundancy()"},
    {"analyse_redundancy", "Mechanism.redundancy"},
    {"FirstOrderForm::facts() and reports show it", "reports show it"},
    {"options.t_end", "t_end"},
    {"in options.events", "as events"},
    {"advance_to(", "Stepper.advance_to("},
    {" (laws.hpp)", ""},
    {" (literature.hpp)", ""},
    {"a C++ function", "a function"},
    {" (CVodeSetMaxNumSteps, IDASetMaxNumSteps, ARKStepSetMaxNumSteps)", " (max_steps)"},
    {"simulate() does that", "simulate does that"},
};

}  // namespace

std::string in_python(std::string message) {
  for (const auto& [cpp, python] : words) {
    const std::string from = cpp, to = python;
    for (std::size_t at = message.find(from); at != std::string::npos; at = message.find(from, at + to.size())) {
      const bool python_already = at >= 1 && message[at - 1] == '.';
      if (!python_already) message.replace(at, from.size(), to);
    }
  }
  return message;
}

}  // namespace sunlagrange::python
