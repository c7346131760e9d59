#include <sunlagrange/files/checkpoint_file.hpp>
#include <sunlagrange/simulation/stepper.hpp>

#include "arguments.hpp"

/// A stepper of Python. It keeps events and the mechanism alive.
namespace sunlagrange::python {
namespace {

class HeldStepper {
 public:
  HeldStepper(const MechanismFile& mechanism, std::vector<Event> events, const py::object& record,
              const std::string& checkpoint) {
    SimulationOptions options = mechanism.options;
    options.events = std::move(events);
    set_record(options, record);
    options.keep_going = [this](double) { return interruption_->go_on(); };
    interruption_ = std::make_unique<Interruption>();
    stepper_ = std::make_unique<Stepper>(without_lock([&] {
      if (checkpoint.empty()) return Stepper(mechanism.system, mechanism.start, options);
      return Stepper(mechanism.system, parse_checkpoint(checkpoint, "checkpoint"), options);
    }));
  }
  HeldStepper(const HeldStepper&) = delete;
  HeldStepper& operator=(const HeldStepper&) = delete;

  Stepper& operator*() { return *stepper_; }

  /// Calls work(stepper) without the lock. If Ctrl-C has ended the run, KeyboardInterrupt is raised.
  template <class Work>
  bool work(const Work& work) {
    interruption_ = std::make_unique<Interruption>();
    const bool good = without_lock([&] { return work(*stepper_); });
    interruption_->raise();
    if (const auto raised = take_raised()) {
      if (!stepper_->status().finished()) throw py::error_already_set(*raised);
    }
    if (stepper_->status().outcome == Outcome::interrupted) {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
      throw py::error_already_set();
    }
    return good;
  }

  bool advance_to(double t, const py::object& observer) {
    if (observer.is_none()) return work([&](Stepper& stepper) { return stepper.advance_to(t); });
    return work([&](Stepper& stepper) {
      return stepper.advance_to(t,
                                [&](Stepper&) { return calling("observer", [&] { return observer().cast<bool>(); }); });
    });
  }

 private:
  std::unique_ptr<Interruption> interruption_;
  std::unique_ptr<Stepper> stepper_;
};

}  // namespace

void define_stepper(py::module_& module) {
  py::class_<HeldStepper>(module, "Stepper")
      .def(py::init<const MechanismFile&, std::vector<Event>, const py::object&, const std::string&>())
      .def_property_readonly("time", [](HeldStepper& s) { return (*s).time(); })
      .def_property_readonly("over", [](HeldStepper& s) { return (*s).over(); })
      .def_property_readonly("outcome", [](HeldStepper& s) { return to_string((*s).status().outcome); })
      .def_property_readonly("message", [](HeldStepper& s) { return (*s).status().message; })
      .def_property_readonly("inputs", [](HeldStepper& s) { return (*s).inputs(); })
      .def_property_readonly("outputs", [](HeldStepper& s) { return (*s).outputs(); })
      .def("step", [](HeldStepper& s) { return s.work([](Stepper& stepper) { return stepper.step(); }); })
      .def("advance_to", &HeldStepper::advance_to)
      .def("set", [](HeldStepper& s, const std::string& input, double value) { (*s).set(input, value); })
      .def("read", [](HeldStepper& s, const std::string& output) { return (*s).read(output); })
      .def("state", [](HeldStepper& s) { return figures_dict((*s).state()); })
      .def("save", [](HeldStepper& s) { return checkpoint_text((*s).save()); })
      .def("restore",
           [](HeldStepper& s, const std::string& text) { (*s).restore(parse_checkpoint(text, "checkpoint")); })
      .def("finish", [](HeldStepper& s) { return std::make_unique<Simulation>((*s).finish()); });
}

}  // namespace sunlagrange::python
