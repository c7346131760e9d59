// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <set>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/model/active_constraints.hpp>
#include <sunlagrange/model/not_smooth.hpp>

#include "base/problems.hpp"
#include "events/runner.hpp"

namespace sunlagrange::internal {
namespace {

/// Part of the run within which the changes by one event are counted (ContactThresholds::chatter).
constexpr double chatter_window = 1e-9;

std::string form_problem(const Event& event) {
  std::string problem;
  const auto require = [&problem](bool good, const char* complaint) {
    if (!good) problem += (problem.empty() ? "" : "; ") + std::string(complaint);
  };
  require(!event.name.empty(), "has no name; the report needs one");
  const bool timed = !event.times.empty();
  require(event.root != nullptr || timed, "has no root function and no times");
  require(event.root == nullptr || !timed, "has a root function and times; make two events of it");
  require(!timed || (!event.limit && event.contact.empty() && event.crossing == Crossing::any),
          "has times, which are no limit, no contact and have no crossing");
  for (std::size_t k = 0; k < event.times.size(); ++k) {
    if (!std::isfinite(event.times[k]) || (k > 0 && !(event.times[k] > event.times[k - 1]))) {
      require(false, ("times[" + std::to_string(k) + "] = " + text(event.times[k]) +
                      ": times must be finite and increase; sort them, and give each once")
                         .c_str());
      break;
    }
  }
  require(!event.limit || event.crossing != Crossing::any, "a limit needs Crossing::rising or Crossing::falling");
  return problem;
}

/// Returns a continuous function of time that changes its sign at each of the times.
std::function<double(const EventPoint&)> zero_at(const std::vector<double>& times) {
  return [times](const EventPoint& p) {
    const auto next = std::lower_bound(times.begin(), times.end(), p.t());
    const double behind = next == times.begin() ? INFINITY : p.t() - *(next - 1);
    const double ahead = next == times.end() ? INFINITY : *next - p.t();
    return ((next - times.begin()) % 2 == 0 ? 1.0 : -1.0) * std::min(behind, ahead);
  };
}

}  // namespace

EventRunner::EventRunner(const std::shared_ptr<const MechanicalSystem>& full, EventOptions options,
                         const InitialState& given)
    : options_(std::move(options)),
      state_(full, options_.linear_solver),
      instant_(contacts_),
      roots_(options_.events.size()),
      q_(full->num_positions()),
      v_(q_),
      window_(chatter_window * (options_.t_end - given.t)) {
  contacts_.jump.linear_solver = options_.linear_solver;
  contacts_.tolerances = options_;
  contacts_.step = options_.step;
  state_.set_inputs(options_.inputs);
  std::string problems;
  try {
    state_.set_active(find_constraint_rows(*full, options_.inactive_constraints, "inactive_constraints"), false);
  } catch (const Error& error) {
    problems += std::string(error.what()) + "\n";
  }
  std::set<std::string> names;
  for (const Event& event : options_.events) {
    if (!names.insert(event.name).second) problems += "event \"" + event.name + "\": the name is taken\n";
    for (const std::string& problem : {form_problem(event), root_problem(event, given), contact_problem(event)}) {
      if (problem.empty()) continue;
      problems += "event \"" + event.name + "\": " + problem + "\n";
      break;
    }
  }
  throw_if_any(problems, "invalid events");
  for (std::size_t k = 0; k < options_.events.size(); ++k) {
    Event& event = options_.events[k];
    if (!event.times.empty()) event.root = zero_at(event.times);
    searched_.push_back(k);
  }
  for (const double time : options_.step == 0.0 ? times_not_smooth(*full) : std::vector<double>()) {
    // Implicit methods see a force that vanishes at both times between them only. Not in their middle alone: the error
    // estimate of verner6 is a thousandth of the error over half of a hump sin^4.
    if (!corners_.empty()) {
      const double before = corners_.back();
      for (const double between : {0.3, 0.6}) corners_.push_back(before + between * (time - before));
    }
    corners_.push_back(time);
  }
  if (given.q.size() != full->num_positions()) return;  // refused later
  std::vector<double> gaps;
  has_friction_ = add_gaps(given.t, given.q, Eigen::VectorXd::Zero(given.q.size()), gaps);
  roots_.resize(options_.events.size() + gaps.size());
}

namespace {

class Gaps final : public NotSmooth {
 public:
  explicit Gaps(std::vector<double>& values) : values_(values) {}
  void gap(double value) override { values_.push_back(value); }
  void friction(double, double, bool) override { has_friction = true; }

  bool has_friction = false;

 private:
  std::vector<double>& values_;
};

}  // namespace

/// Adds the gaps that the model states. Returns true if it states dry friction.
bool EventRunner::add_gaps(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v, std::vector<double>& values) {
  Gaps gaps(values);
  visit_not_smooth(state_.full(), t, q, v, gaps);
  return gaps.has_friction;
}

/// Calls the root function once, so that unknown names are reported.
std::string EventRunner::root_problem(const Event& event, const InitialState& given) {
  const int n = state_.full().num_positions();
  if (event.root == nullptr || given.q.size() != n || (given.v.size() != n && given.v.size() != 0)) return "";
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(n);
  state_.move_to(given.t, given.q.data(), given.v.size() == n ? given.v.data() : rest.data());
  try {
    root(event);
  } catch (const Error& error) {
    return error.what();
  } catch (...) {  // a fault of the model: the run evaluates it again and reports it
  }
  return "";
}

/// Checks the contact of an event and switches it off.
std::string EventRunner::contact_problem(const Event& event) {
  if (event.contact.empty()) return "";
  if (!state_.law().has_forces) return "a kinematic program has no contacts";
  try {
    const int row = state_.row_of(event.contact);
    if (row >= state_.full().num_position_constraints())
      return "\"" + event.contact + "\" is a velocity constraint and has no gap";
    state_.set_active({row}, false);
    contacts_.rows.push_back(row);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

void EventRunner::restrict_to_active_rows(FormulationChoice& choice) const {
  if (state_.active().get() == &state_.full()) return;
  const int m_g = state_.full().num_position_constraints();
  const int m_psi = state_.full().num_velocity_constraints();
  choice.gains = choice.gains.restricted(m_g, m_psi, state_.active_rows());
  choice.excess = choice.excess.restricted(m_g, m_psi, state_.active_rows());
}

}  // namespace sunlagrange::internal
