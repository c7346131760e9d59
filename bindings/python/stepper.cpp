// SPDX-License-Identifier: BSD-3-Clause
#include <optional>
#include <thread>

#include <sunlagrange/files/checkpoint_file.hpp>
#include <sunlagrange/simulation/stepper.hpp>

#include "arguments.hpp"

/// A stepper of Python. It keeps events and the mechanism alive.
namespace sunlagrange::python {
namespace {

class HeldStepper {
 public:
  HeldStepper(const MechanismFile& mechanism, std::vector<Event> events, const py::object& record,
              const std::optional<std::string>& checkpoint) {
    SimulationOptions options = mechanism.options;
    options.events = std::move(events);
    set_record(options, record);
    options.keep_going = [this](double) { return interruption_->go_on(); };
    interruption_ = std::make_unique<Interruption>();
    stepper_ = std::make_unique<Stepper>(without_lock([&] {
      if (!checkpoint) return Stepper(mechanism.system, mechanism.start, options);
      return Stepper(mechanism.system, parse_checkpoint(*checkpoint, "checkpoint"), options);
    }));
  }
  HeldStepper(const HeldStepper&) = delete;
  HeldStepper& operator=(const HeldStepper&) = delete;

  /// Returns use(stepper). An observer may call this in the thread in which the run advances.
  /// @throws Error if another thread uses the stepper
  template <class Use>
  auto use(const Use& use) {
    const InUse in_use(*this);
    return use(*stepper_);
  }

  /// The same, for what an observer may not do.
  template <class Use>
  auto use_alone(const Use& use) {
    if (user_ == std::this_thread::get_id())
      throw Error(
          "this Stepper advances already: its observer may read, set inputs and save, but not step, restore or "
          "finish; do that after advance_to");
    return this->use(use);
  }

  /// Calls work(stepper) without the lock. If Ctrl-C has ended the run, KeyboardInterrupt is raised.
  template <class Work>
  bool work(const Work& work) {
    return use_alone([&](Stepper&) { return advance(work); });
  }

  bool advance_to(double t, const py::object& observer) {
    if (observer.is_none()) return work([&](Stepper& stepper) { return stepper.advance_to(t); });
    return work([&](Stepper& stepper) {
      return stepper.advance_to(t,
                                [&](Stepper&) { return calling("observer", [&] { return observer().cast<bool>(); }); });
    });
  }

 private:
  /// Notes the thread that uses the stepper. It is made and destroyed while Python's lock is held, which makes `user_`
  /// safe; in between the lock may be given to another thread.
  class InUse {
   public:
    explicit InUse(HeldStepper& held) : user_(held.user_), before_(held.user_) {
      if (user_ != std::thread::id() && user_ != std::this_thread::get_id())
        throw Error(
            "this Stepper is at work in another thread; use one Stepper for each thread, or wait until that "
            "thread is done");
      user_ = std::this_thread::get_id();
    }
    InUse(const InUse&) = delete;
    InUse& operator=(const InUse&) = delete;
    ~InUse() { user_ = before_; }

   private:
    std::thread::id& user_;
    std::thread::id before_;
  };

  template <class Work>
  bool advance(const Work& work) {
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

  std::unique_ptr<Interruption> interruption_;
  std::unique_ptr<Stepper> stepper_;
  std::thread::id user_;  ///< that uses it; that of no thread: nobody
};

/// Returns the function of the module that calls use(stepper).
template <class Use>
auto used(const Use& use) {
  return [use](HeldStepper& held) { return held.use(use); };
}

}  // namespace

void define_stepper(py::module_& module) {
  py::class_<HeldStepper>(module, "Stepper")
      .def(py::init<const MechanismFile&, std::vector<Event>, const py::object&, const std::optional<std::string>&>())
      .def_property_readonly("time", used([](Stepper& s) { return s.time(); }))
      .def_property_readonly("over", used([](Stepper& s) { return s.over(); }))
      .def_property_readonly("outcome", used([](Stepper& s) { return to_string(s.status().outcome); }))
      .def_property_readonly("message", used([](Stepper& s) { return in_python(s.status().message); }))
      .def_property_readonly("inputs", used([](Stepper& s) { return s.inputs(); }))
      .def_property_readonly("outputs", used([](Stepper& s) { return s.outputs(); }))
      .def("step", [](HeldStepper& s) { return s.work([](Stepper& stepper) { return stepper.step(); }); })
      .def("advance_to", &HeldStepper::advance_to)
      .def("set", [](HeldStepper& held, const std::string& input,
                     double value) { held.use([&](Stepper& s) { s.set(input, value); }); })
      .def("read", [](HeldStepper& held,
                      const std::string& output) { return held.use([&](Stepper& s) { return s.read(output); }); })
      .def("state", used([](Stepper& s) { return figures_dict(s.state()); }))
      .def("save", used([](Stepper& s) { return checkpoint_text(s.save()); }))
      .def("restore",
           [](HeldStepper& held, const std::string& text) {
             held.use_alone([&](Stepper& s) { s.restore(parse_checkpoint(text, "checkpoint")); });
           })
      .def("finish", [](HeldStepper& held) {
        return held.use_alone([](Stepper& s) { return std::make_unique<Simulation>(s.finish()); });
      });
}

}  // namespace sunlagrange::python
