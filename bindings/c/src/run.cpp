// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/page/write_html.hpp>
#include <sunlagrange/results/report_json.hpp>

#include "handles.hpp"

using namespace sunlagrange;
using namespace sunlagrange::c;

namespace {

template <class Run>
Run& given(Run* run) {
  require_given(run, "run", "make one with sunlagrange_simulate");
  return *run;
}

}  // namespace

int sunlagrange_set_keep_going(sunlagrange_mechanism* mechanism, int (*keep_going)(double t, void* data), void* data) {
  return guarded(__func__, [&] {
    auto& asked = checked(mechanism).file.options.keep_going;
    if (keep_going == nullptr)
      asked = nullptr;
    else
      asked = [keep_going, data](double t) { return keep_going(t, data) != 0; };
    return SUNLAGRANGE_SUCCESS;
  });
}

struct sunlagrange_event_context {
  sunlagrange::EventContext& context;
};

namespace {

EventContext& given(sunlagrange_event_context* context) {
  require_given(context, "context", "it is that of the action");
  return context->context;
}

}  // namespace

int sunlagrange_add_event(sunlagrange_mechanism* mechanism, const char* name,
                          double (*root)(double t, const double* q, const double* v, void* data), int crossing,
                          const double* times, int num_times,
                          int (*action)(sunlagrange_event_context* context, void* data), void* data) {
  return guarded(__func__, [&] {
    MechanismFile& file = checked(mechanism).file;
    require_given(name, "name", "the report needs one");
    if (crossing < -1 || crossing > 1) throw Error("crossing = " + std::to_string(crossing) + ": must be -1, 0 or 1");
    if ((root != nullptr) == (num_times > 0))
      throw Error("event \"" + std::string(name) + "\": give either root or times, and NULL and 0 for the other");
    Event event;
    event.name = name;
    event.crossing = crossing > 0 ? Crossing::rising : crossing < 0 ? Crossing::falling : Crossing::any;
    if (root != nullptr)
      event.root = [root, data](const EventPoint& p) { return root(p.t(), p.q().data(), p.v().data(), data); };
    if (num_times > 0) {
      require_given(times, "times", "give num_times of them");
      event.times.assign(times, times + num_times);
    }
    if (action != nullptr) {
      event.action = [action, data](EventContext& c) {
        sunlagrange_event_context context{c};
        const int result = action(&context, data);
        if (result < 0) throw ModelFailure("the action returned " + std::to_string(result));
      };
    }
    file.options.events.push_back(std::move(event));
    return SUNLAGRANGE_SUCCESS;
  });
}

int sunlagrange_clear_events(sunlagrange_mechanism* mechanism) {
  return guarded(__func__, [&] {
    checked(mechanism).file.options.events.clear();
    return SUNLAGRANGE_SUCCESS;
  });
}

int sunlagrange_event_state(sunlagrange_event_context* context, double* t, double* q, double* v) {
  return guarded(__func__, [&] {
    const EventContext& c = given(context);
    copy(c.t(), t);
    copy(c.q(), q);
    copy(c.v(), v);
    return SUNLAGRANGE_SUCCESS;
  });
}

int sunlagrange_event_set_velocity(sunlagrange_event_context* context, const double* v) {
  return guarded(__func__, [&] {
    EventContext& c = given(context);
    require_given(v, "v", "give one velocity for each position");
    c.set_velocity(Eigen::Map<const Eigen::VectorXd>(v, c.v().size()));
    return SUNLAGRANGE_SUCCESS;
  });
}

int sunlagrange_event_set_input(sunlagrange_event_context* context, const char* input, double value) {
  return guarded(__func__, [&] {
    require_given(input, "input", "name one");
    given(context).set_input(input, value);
    return SUNLAGRANGE_SUCCESS;
  });
}

int sunlagrange_event_switch(sunlagrange_event_context* context, const char* constraint, int on) {
  return guarded(__func__, [&] {
    require_given(constraint, "constraint", "name one");
    on != 0 ? given(context).activate(constraint) : given(context).deactivate(constraint);
    return SUNLAGRANGE_SUCCESS;
  });
}

int sunlagrange_event_restart(sunlagrange_event_context* context) {
  return guarded(__func__, [&] {
    given(context).restart();
    return SUNLAGRANGE_SUCCESS;
  });
}

int sunlagrange_event_stop(sunlagrange_event_context* context, const char* reason) {
  return guarded(__func__, [&] {
    given(context).stop(reason != nullptr ? reason : "");
    return SUNLAGRANGE_SUCCESS;
  });
}

int sunlagrange_simulate(sunlagrange_mechanism* mechanism, sunlagrange_run** run) {
  if (run != nullptr) *run = nullptr;
  return guarded(__func__, [&] {
    require_given(run, "run", "give the address of a sunlagrange_run*");
    const MechanismFile& file = checked(mechanism).file;
    auto made = std::make_unique<sunlagrange_run>();
    made->system = file.system;
    made->simulation = simulate(file.system, file.start, file.options);
    const int code = code_of(made->simulation.status, "sunlagrange_simulate");
    *run = made.release();
    return code;
  });
}

void sunlagrange_run_free(sunlagrange_run** run) {
  if (run == nullptr) return;
  delete *run;
  *run = nullptr;
}

const char* sunlagrange_run_outcome(const sunlagrange_run* run) {
  return guarded_text(__func__, [&] { return to_string(given(run).simulation.status.outcome); });
}

const char* sunlagrange_run_message(const sunlagrange_run* run) {
  return guarded_text(__func__, [&] { return given(run).simulation.status.message.c_str(); });
}

const char* sunlagrange_run_text(sunlagrange_run* run) {
  return guarded_text(__func__, [&] {
    sunlagrange_run& r = given(run);
    r.text = r.simulation.report.text(r.simulation.status);
    return r.text.c_str();
  });
}

const char* sunlagrange_run_json(sunlagrange_run* run) {
  return guarded_text(__func__, [&] {
    sunlagrange_run& r = given(run);
    r.json = report_json(r.simulation);
    return r.json.c_str();
  });
}

int sunlagrange_run_figure(const sunlagrange_run* run, const char* name, double* value) {
  return guarded(__func__, [&] {
    const Simulation& simulation = given(run).simulation;
    copy(figure_by_name([&simulation](Figures& visitor) { describe_const(simulation, visitor); }, name), value);
    return SUNLAGRANGE_SUCCESS;
  });
}

long sunlagrange_run_num_states(const sunlagrange_run* run) {
  long count = 0;
  const int code = guarded(__func__, [&] {
    count = static_cast<long>(given(run).simulation.trajectory.size());
    return SUNLAGRANGE_SUCCESS;
  });
  return code == SUNLAGRANGE_SUCCESS ? count : code;
}

int sunlagrange_run_state(const sunlagrange_run* run, long state, double* t, double* q, double* v, double* a,
                          double* lambda) {
  return guarded(__func__, [&] {
    const Trajectory& path = given(run).simulation.trajectory;
    if (state < 0 || state >= static_cast<long>(path.size()))
      throw Error("state = " + std::to_string(state) + ", must be at least 0 and less than " +
                  std::to_string(path.size()) + " (sunlagrange_run_num_states)");
    const auto k = static_cast<std::size_t>(state);
    copy(path.t(k), t);
    copy(path.q(k), q);
    copy(path.v(k), v);
    copy(path.a(k), a);
    copy(path.lambda(k), lambda);
    return SUNLAGRANGE_SUCCESS;
  });
}

int sunlagrange_run_at(const sunlagrange_run* run, double t, double* q, double* v) {
  return guarded(__func__, [&] {
    const Trajectory& path = given(run).simulation.trajectory;
    copy(path.position_at(t), q);
    copy(path.velocity_at(t), v);
    return SUNLAGRANGE_SUCCESS;
  });
}

int sunlagrange_run_write_csv(const sunlagrange_run* run, const char* file) {
  return guarded(__func__, [&] {
    require_given(file, "file", "name one to write");
    const Simulation& simulation = given(run).simulation;
    simulation.trajectory.write_csv(file, *run->system, simulation.report.error_estimate);
    return SUNLAGRANGE_SUCCESS;
  });
}

int sunlagrange_run_write_html(const sunlagrange_run* run, const char* file, const char* title) {
  return guarded(__func__, [&] {
    require_given(file, "file", "name one to write");
    write_html(given(run).simulation, run->system, file, title != nullptr ? title : "");
    return SUNLAGRANGE_SUCCESS;
  });
}
