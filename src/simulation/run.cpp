// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/run.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "base/words.hpp"
#include "formulation/formulation.hpp"
#include "integrators/stepper.hpp"
#include "model/natural_scales.hpp"
#include "simulation/automatic.hpp"
#include "simulation/options.hpp"
#include "sundials/binding.hpp"

namespace sunlagrange::internal {
namespace {

/// Adds the counts of one stepper.
void collect_counts(IntegratorStepper& stepper, Report& report) {
  const StepperCounts c = stepper.counts();
  const AttachmentCounts a = stepper.attachment().counts();
  report.error_test_failures += c.error_test_failures;
  report.nonlinear_failures += c.nonlinear_failures;
  report.nonlinear_iterations += c.nonlinear_iterations;
  report.rhs_evaluations += a.rhs_evaluations;
  report.jacobian_evaluations += a.jacobian_evaluations;
  report.factorizations += a.factorizations;
  report.linear_solutions += a.linear_solutions;
  report.pivot_refreshes += a.pivot_refreshes;
  report.rank_actions += a.rank_actions;
  report.tapered_factorizations += AttachmentAccess::binding(stepper.attachment()).formulation().counts().tapered;
  report.unconverged_iterations += a.unconverged;
}

/// Removes the record times before t, for a run that goes on from there.
SimulationOptions options_from(double t, SimulationOptions options) {
  std::vector<double>& times = options.record_times;
  times.erase(times.begin(), std::lower_bound(times.begin(), times.end(), t));
  if (options.record == Record::at_times && times.empty()) options.record = Record::ends_only;
  return options;
}

std::string references_of(const SimulationOptions& o) {
  return std::string(find_formulation(o.formulation).references) + " " +
         std::string(find_integrator(o.integrator).references);
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

Run::Run(const std::shared_ptr<const MechanicalSystem>& system, const InputBinder& inputs,
         const SimulationOptions& requested, const InitialState& given)
    : system_(system),
      requested_(requested),
      resolved_(validated(*system, given, requested)),
      events_(system, event_options(resolved_, &inputs), given),
      last_t_stop_(resolved_.t_end) {
  run_.report.t_end = resolved_.t_end;
  run_.report.references = references_of(resolved_);
}

Run::Run(const std::shared_ptr<const MechanicalSystem>& system, const InputBinder& inputs, const InitialState& given,
         const SimulationOptions& requested, std::optional<AsCompanion> as_companion)
    : Run(system, inputs, requested, given) {
  as_companion_ = std::move(as_companion);
  run_.trajectory = Trajectory(system->num_positions(), system->num_constraints());
  run_.report.t_start = run_.report.t_reached = given.t;
  guarded([&] { begin(given); });
}

Run::Run(const std::shared_ptr<const MechanicalSystem>& system, const InputBinder& inputs, const Checkpoint& from,
         const SimulationOptions& requested, Trajectory& trajectory)
    : Run(system, inputs, options_from(from.state.t, requested), from.state) {
  const std::string references = std::move(run_.report.references);
  run_.report = from.report;
  run_.report.t_end = resolved_.t_end;
  run_.report.references = references;
  const Trajectory later = trajectory.cut_after(from.state.t);
  const std::size_t kept = trajectory.size();
  std::swap(run_.trajectory, trajectory);
  try {
    guarded([&] { resume(from); });
  } catch (...) {
    std::swap(run_.trajectory, trajectory);
    trajectory.put_back(kept, later);
    throw;
  }
}

/// Runs `work` and turns what it throws into a status. An Error before the first integrator exists is misuse and is
/// rethrown.
template <class Work>
void Run::guarded(Work&& work) {
  const auto threw = [this](const std::string& what) {
    run_.status = {Outcome::model_error, "the model threw" + what};
  };
  const auto when = [this] { return " at t = " + text(run_.report.t_reached) + ": "; };
  try {
    return work();
  } catch (const Error& error) {
    if (state_ == State::starting) throw;
    threw(when() + error.what());
  } catch (const std::bad_alloc&) {
    run_.status = {Outcome::out_of_memory,
                   "no memory left at t = " + text(run_.report.t_reached) + ", after " +
                       std::to_string(run_.report.steps) + " steps, " + std::to_string(run_.trajectory.size()) +
                       " states kept; record fewer: Record::every_kth_step, at_times or ends_only"};
  } catch (const std::exception& error) {
    threw(when() + error.what());
  } catch (...) {
    threw(" something unknown at t = " + text(run_.report.t_reached));
  }
  state_ = State::failed;
}

ConsistentState Run::consistent_at(const InitialState& at) const {
  ConsistencyOptions consistency;
  consistency.start = resolved_.start;
  consistency.linear_solver = resolved_.linear_solver;
  consistency.typical_position = events_.restart_state().typical_position;
  return consistent_state(events_.system(), at, consistency);
}

void Run::begin(const InitialState& given) {
  const ConsistentState start = consistent_at(given);
  run_.report.start = start.report;
  choose_method(start);
  resolved_.linear_solver.rank_threshold = resolved_rank_threshold(system_, resolved_, start);
  monitor_.emplace(events_.system(), events_.rows(), resolved_, run_);
  monitor_->note_start(given);
  if (as_companion_) monitor_->record_polynomials();
  accept(start.state);
  if (!can_start_from(start.report, resolved_.start)) {
    run_.status = start.report.status;
    state_ = State::failed;
    return;
  }
  const bool stopped = events_.begin(start.state) == EventRunner::Verdict::stop;
  if (stopped) run_.status = events_.status();
  enter_new_state();
  if (stopped || events_.restart_state().t >= resolved_.t_end)
    state_ = State::ended;
  else
    open_segment();
}

void Run::choose_method(const ConsistentState& start) {
  if (requested_.formulation != "automatic" || start.report.status.outcome != Outcome::finished) return;
  MethodChoice choice = internal::choose_method(system_, requested_, start);
  resolved_.formulation = choice.formulation;
  resolved_.integrator = choice.integrator;
  resolved_.at_singularity = resolved_treatment(requested_.at_singularity, *system_, resolved_);
  choice_reason_ = std::move(choice.reason);
  run_.report.references = references_of(resolved_);
}

void Run::resume(const Checkpoint& from) {
  events_.resume(from.state, from.active, from.events, from.report, from.typical_position);
  const ConsistentState start = consistent_at(from.state);
  monitor_.emplace(events_.system(), events_.rows(), resolved_, run_);
  monitor_->restore(from.checks);
  if (restart_from(start)) open_segment();
}

/// Returns true if the run can go on from the state. The next integration segment is not opened here.
bool Run::restart_from(const ConsistentState& at) {
  segment_.reset();
  if (!can_start_from(at.report, resolved_.start)) {
    run_.status = at.report.status;
    state_ = State::failed;
    return false;
  }
  const bool stopped = events_.jump(at.state) == EventRunner::Verdict::stop;
  if (stopped) {
    run_.status = events_.status();
    state_ = State::ended;
  }
  events_.settled();
  monitor_->restart(events_.system(), events_.rows(), events_.work());
  accept(events_.restart_state());
  return !stopped;
}

void Run::jump() {
  const bool running = state_ == State::running;
  if (!running && !run_.status.finished()) return;
  std::optional<ConsistentState> found;
  const MotionState now = state();
  const auto find = [&] { found = consistent_at({now.t, now.q, now.v}); };
  running ? guarded(find) : find();  // a run that ended well keeps its status
  if (!found) return;
  if (events_.positions_jump(found->report, now.q)) {
    throw Error("an input that was set at t = " + text(now.t) + " moves positions, most \"" + found->report.most_moved +
                "\" by " + text(found->report.moved_positions) +
                "; positions cannot jump: prescribe their rate (PrescribedRate), or follow a law of time");
  }
  if (running)
    guarded([&] { restart_from(*found); });
  else
    state_after_end_ = std::move(found->state);
}

void Run::enter_new_state() {
  if (!events_.settled()) return;
  monitor_->restart(events_.system(), events_.rows(), events_.work());
  accept(events_.restart_state());
}

void Run::open_segment() {
  if (!limit_) limit_.emplace(resolved_, run_.report.t_start);
  StepperOptions options;
  const IntegratorEntry& entry = find_integrator(resolved_.integrator);
  // for automatic gains; options and registry outlive the stepper
  const IntegratorHint hint{entry.kind, resolved_.step,
                            std::shared_ptr<const ButcherTable>(std::shared_ptr<void>(), fixed_step_table(resolved_))};
  options.attach = {{resolved_, {hint, resolved_.t_end - run_.report.t_start}}, true, resolved_.ida};
  events_.restrict_to_active_rows(options.attach);
  if (kept_gains_) options.attach.gains = *std::exchange(kept_gains_, std::nullopt);
  options.step = resolved_.step;
  options.t_end = resolved_.t_end;
  options.table = resolved_.table.has_value() ? &*resolved_.table : nullptr;
  if (as_companion_ && !as_companion_->ends.empty())
    options.ends = &as_companion_->ends;
  else
    options.max_step = limit_->begin_segment(events_, events_.restart_state());
  if (!resolved_.events.empty()) options.roots = events_.roots(EventRunner::Searched::acting);
  if (stepper_ != nullptr) leave_stepper();
  stepper_.reset();  // its counts are in the report
  stepper_ = entry.make(entry, events_.system(), events_.restart_state(), options);
  state_ = State::running;
  segment_start_ = events_.restart_state().t;
  segment_.emplace(*stepper_, *monitor_, events_, *limit_, resolved_, run_);
}

/// Adds the gains of the segment that ends to the report, if they are others than those of the segment before.
void Run::record_gains() {
  constexpr std::size_t most = 100;
  const FormulationFacts& facts = stepper_->attachment().facts();
  SegmentGains now{segment_start_, facts.K_D, facts.K_P, facts.K_N, facts.Lambda};
  const auto same = [](const std::optional<UsedGain>& a, const std::optional<UsedGain>& b) {
    if (!a || !b) return a.has_value() == b.has_value();
    const Eigen::MatrixXd x = a->used.dense(), y = b->used.dense();
    return a->varying == b->varying && x.rows() == y.rows() && x.cols() == y.cols() && x == y;
  };
  const bool changed = last_gains_ && !(same(now.K_D, last_gains_->K_D) && same(now.K_P, last_gains_->K_P) &&
                                        same(now.K_N, last_gains_->K_N) && same(now.Lambda, last_gains_->Lambda));
  std::vector<SegmentGains>& later = run_.report.used.later_gains;
  if (changed && later.size() < most) later.push_back(now);
  last_gains_ = std::move(now);
}

void Run::leave_stepper() {
  collect_counts(*stepper_, run_.report);
  record_gains();
  if (++segments_ == 1) run_.report.used = facts_of(*system_, requested_, resolved_, *stepper_);
  run_.report.used.max_step = limit_->used();
  if (segments_ != 1) return;
  if (choice_reason_.has_value()) run_.report.used.own.push_back(*choice_reason_);
}

bool Run::step(double t_stop) {
  const double before = time();
  if (segment_ && t_stop != last_t_stop_ && segment_->inside_a_step()) jump();  // the integrator may be past t_stop
  last_t_stop_ = t_stop;
  if (state_ != State::running) return false;
  guarded([&] {
    IntegrationSegment::Next next = IntegrationSegment::Next::repeat;
    while (next == IntegrationSegment::Next::repeat) {
      if (!segment_) open_segment();
      next = segment_->step(t_stop);
      if (next == IntegrationSegment::Next::step) return;
      // the motion goes on, and beside a singular pose its state tells nothing about its rate
      if (next == IntegrationSegment::Next::repeat || next == IntegrationSegment::Next::cross)
        kept_gains_ = gains_in_use(stepper_->attachment().facts());
      segment_.reset();
    }
    enter_new_state();
    const bool goes_on = next == IntegrationSegment::Next::restart || next == IntegrationSegment::Next::cross;
    if (!goes_on || events_.restart_state().t >= resolved_.t_end) state_ = State::ended;
  });
  return state_ == State::running || (run_.status.finished() && time() > before);
}

MotionState Run::state() const {
  const PathSample& last = monitor_->newest();
  const MotionState now =
      state_after_end_ ? *state_after_end_ : MotionState{last.t, last.q, last.v, last.a, last.lambda};
  MotionState state{now.t, now.q, now.v, now.a, Eigen::VectorXd::Zero(system_->num_constraints())};
  const std::vector<int>& rows = events_.rows();
  for (std::size_t i = 0; i < rows.size(); ++i) state.lambda[rows[i]] = now.lambda[static_cast<Eigen::Index>(i)];
  state.typical_position = events_.restart_state().typical_position;
  return state;
}

Checkpoint Run::save() const {
  Checkpoint c;
  c.version = library_version();
  c.options = requested_;
  if (requested_.formulation == "automatic") {
    c.options.formulation = resolved_.formulation;
    c.options.integrator = resolved_.integrator;
  }
  c.options.linear_solver.rank_threshold = resolved_.linear_solver.rank_threshold;
  c.options.events.clear();
  c.options.keep_going = nullptr;
  const MotionState now = state();
  c.state = {now.t, now.q, now.v};
  c.typical_position = now.typical_position;
  for (int i = 0; i < system_->num_positions(); ++i) c.positions.push_back(system_->position_name(i));
  for (int i = 0; i < system_->num_constraints(); ++i) c.constraints.push_back(system_->constraint_name(i));
  c.active = events_.active();
  c.events = events_.memory(now.t);
  c.report = run_.report;
  if (stepper_ != nullptr) collect_counts(*stepper_, c.report);
  c.report.events = events_.records();
  c.report.event_work = events_.total_work();
  c.report.undetermined_event_forces = events_.undetermined_forces();
  c.report.wall_seconds += seconds_since(started_at_);
  c.checks = monitor_->save();
  return c;
}

/// Completes the report with the counts of the last stepper and the events, and the trajectory with the last state.
void Run::close() {
  try {
    if (monitor_.has_value()) monitor_->keep_end();
  } catch (const std::bad_alloc&) {
    run_.report.t_reached = run_.trajectory.t(run_.trajectory.size() - 1);
  }
  run_.report.events = events_.records();
  run_.report.event_work = events_.total_work();
  run_.report.undetermined_event_forces = events_.undetermined_forces();
  if (stepper_ == nullptr) return;
  leave_stepper();
  run_.report.used.statistics = stepper_->attachment().statistics();
  run_.report.used.has_segments = segments_ > 1;
}

Simulation Run::finish() {
  if (state_ == State::running) run_.status.message = "ended at t = " + text(time()) + ", before t_end, as asked";
  if (state_ != State::failed) guarded([this] { monitor_->conclude(run_.status); });
  close();
  if (run_.status.finished()) run_.status.doubts = monitor_->doubts(*system_);
  run_.report.wall_seconds += seconds_since(started_at_);
  return std::move(run_);
}

}  // namespace sunlagrange::internal
