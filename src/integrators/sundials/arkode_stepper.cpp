// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <arkode/arkode_butcher.h>

#include <sunlagrange/sundials/attach_arkode.hpp>

#include "base/numerics.hpp"
#include "integrators/sundials/sundials_stepper.hpp"
#include "integrators/sundials/verner8.hpp"

namespace sunlagrange::internal {
namespace {

ARKodeButcherTable convert(const ButcherTable& table) {
  const int s = table.stages();
  std::vector<sunrealtype> A(static_cast<std::size_t>(s * s), 0.0);
  for (std::size_t i = 0; i < table.A.size(); ++i) {
    for (std::size_t j = 0; j < table.A[i].size(); ++j) A[i * static_cast<std::size_t>(s) + j] = table.A[i][j];
  }
  std::vector<sunrealtype> c = table.c;
  std::vector<sunrealtype> b = table.b;
  return ARKodeButcherTable_Create(s, table.order, 0, c.data(), A.data(), b.data(), nullptr);
}

/// ARKStep, not ERKStep: in 6.4 the latter loses an order with textbook tables whose last node is 1.
class ArkodeStepper final : public SundialsStepper {
 public:
  ArkodeStepper(const IntegratorEntry& entry, const std::shared_ptr<const MechanicalSystem>& system,
                const MotionState& start, const StepperOptions& options)
      : SundialsStepper(start.t, options),
        fixed_step_(entry.fixed_step ? options.step : 0.0),
        controlled_(!entry.fixed_step && options.ends == nullptr),
        ends_(options.ends),
        shortest_(1e-14 * (options.t_end - start.t)) {
    auto binding = make_binding(system, start, options.attach, Equations::ode, "ARKODE");
    make_vectors(binding->ode(), start, false);
    accepted_.resize(values_.size());
    memory_ = ARKStepCreate(arkode_rhs, nullptr, t_, y_, context_);
    if (memory_ == nullptr) throw Error("ARKStepCreate failed: " + messages_.last());
    messages_.install_on_arkode(memory_);
    attachment_ = std::make_unique<Attachment>(install_arkode(memory_, std::move(binding)));
    const ButcherTable* fixed = entry.fixed_step_table != nullptr ? entry.fixed_step_table : options.table;
    if (entry.fixed_step && fixed == nullptr) throw Error("integrator " + std::string(entry.name) + " has no table");
    set_table(entry.fixed_step ? convert(*fixed) : entry.embedded_pair());
    if (controlled_) {
      require_success(control_.install(memory_, context_), "step control of ARKODE");
      require_success(ark::set_tolerances(memory_, error_weights), "ARKStepWFtolerances");
      require_success(ark::set_stop_time(memory_, t_end_), "ARKStepSetStopTime");
      ArkodeStepper::limit_steps(options.max_step);
    }
    if (num_roots() == 0) return;
    prepare_roots(system);
    require_success(ark::set_roots(memory_, num_roots(), evaluate_roots), "ARKStepRootInit");
    require_success(ark::set_root_directions(memory_, searched_directions_.data()), "ARKStepSetRootDirection");
    ark::set_no_inactive_root_warning(memory_);
  }
  ~ArkodeStepper() override { ark::free(&memory_); }

  bool step(Status& status) override {
    if (variables_changed()) restart();
    started_ = true;
    // No stop time with fixed steps: at it 6.4 interpolates, which for Euler's method is the mean of old and new state.
    const bool rest_of_step = ahead_of_root();
    if (!controlled_ && !rest_of_step) {
      const double length = given_length();
      last_ = t_end_ - t_ <= length * (1.0 + 1e-6);
      set_length(last_ ? t_end_ - t_ : length);
    }
    std::copy_n(N_VGetArrayPointer(y_), accepted_.size(), accepted_.begin());
    sunrealtype reached = t_;
    int flag = attempt(reached);
    if (flag < 0 && controlled_) flag = repeat_shortened(flag, reached);
    if (flag < 0) {
      std::copy(accepted_.begin(), accepted_.end(), N_VGetArrayPointer(y_));
      return failed("ARKodeEvolve", flag, ark::flag_name(flag), status);
    }
    t_ = last_ && flag != ARK_ROOT_RETURN ? t_end_ : reached;
    if (!rest_of_step) ++steps_;
    record_roots(flag == ARK_ROOT_RETURN, [this](int* found) { ark::roots_found(memory_, found); });
    return true;
  }

  void stop_at(double t) override {
    t_end_ = t;
    if (controlled_) require_success(ark::set_stop_time(memory_, t_end_), "ARKStepSetStopTime");
  }

  void limit_steps(double longest) override {
    if (controlled_) require_success(ark::set_max_step(memory_, longest), "ARKStepSetMaxStep");
  }

  int order() const override { return order_; }

  StepperCounts counts() const override {
    StepperCounts c;
    c.steps = steps_;
    c.nonlinear_failures = repeated_;
    ark::error_test_failures(memory_, &c.error_test_failures);
    return c;
  }

 private:
  /// True if the last call ended at a root inside a step: the next call only completes that step. (The criterion is
  /// ARKODE's.)
  bool ahead_of_root() const {
    if (found_.empty()) return false;
    sunrealtype t = t_;
    ark::current_time(memory_, &t);
    return t - t_ > 100.0 * SUN_UNIT_ROUNDOFF * (std::abs(t) + length_);
  }

  /// Returns the length of the next step where the steps are given.
  double given_length() {
    if (ends_ == nullptr) return fixed_step_;
    while (next_ < ends_->size() && (*ends_)[next_] - t_ < shortest_interval(t_)) ++next_;
    return next_ < ends_->size() ? (*ends_)[next_] - t_ : t_end_ - t_;
  }

  void set_length(double length) {
    if (length == length_) return;
    require_success(ark::set_fixed_step(memory_, length), "ARKStepSetFixedStep");
    length_ = length;
  }

  /// y' at the end of a step is that of its last stage, or costs one evaluation; the interpolant of ARKODE would take
  /// up to four.
  bool interpolate(double t, int k, double* out) override {
    if (k != 1 || t != t_) return ark::derivative(memory_, t, k, wrap(out)) == 0;
    const LastEvaluation* last = binding().formulation().provides().last;
    return (last != nullptr && last->rates(t, N_VGetArrayPointer(y_), out)) ||
           arkode_rhs(t, y_, wrap(out), &binding()) == 0;
  }

  void set_table(ARKodeButcherTable table) {
    if (table == nullptr) throw Error("ARKODE has no such table");
    order_ = table->q;
    const int flag = ARKStepSetTables(memory_, table->q, table->p, nullptr, table);
    ARKodeButcherTable_Free(table);
    require_success(flag, "ARKStepSetTables");
  }

  int attempt(sunrealtype& reached) {
    failures().begin_step();
    return ark::evolve(memory_, t_end_, y_, &reached);
  }

  /// Restarts ARKODE from (t_, y_); counters and tables stay. (A reset clears the stop time.)
  void restart() {
    require_success(ark::reset(memory_, t_, y_), "ARKStepReset");
    if (controlled_) require_success(ark::set_stop_time(memory_, t_end_), "ARKStepSetStopTime");
  }

  /// Repeats a step that failed recoverably, each time with half its length, as CVODE and IDA do. (ARKODE ends with the
  /// first recoverable failure of an explicit stage, of its search for a first step, and of a projection.)
  int repeat_shortened(int flag, sunrealtype& reached) {
    double h = 0.0;
    ark::current_step(memory_, &h);
    if (!(h > 0.0)) h = 1e-3 * (t_end_ - t_);  // there was no first step yet
    while (flag < 0 && failures().last_of_step() != EvaluationResult::ok && binding().error == nullptr) {
      ++repeated_;
      h *= 0.5;
      if (h < shortest_ || t_ + h == t_) break;
      std::copy(accepted_.begin(), accepted_.end(), N_VGetArrayPointer(y_));
      restart();
      require_success(ark::set_first_step(memory_, h), "ARKStepSetInitStep");
      flag = attempt(reached);
    }
    return flag;
  }

  void* memory_ = nullptr;
  ark::StepControl control_;
  double fixed_step_;
  bool controlled_;  // the embedded method controls the steps; false: they are given
  const std::vector<double>* ends_;
  std::size_t next_ = 0;          // index of the next end in *ends_
  double length_ = 0.0;           // given to ARKODE for the present step
  bool last_ = false;             // the present step ends at t_end_
  double shortest_;               // length at which repeat_shortened() gives up
  std::vector<double> accepted_;  // y of the last accepted step: a failed call leaves a stage in y_
  int order_ = 0;
  long steps_ = 0;
  long repeated_ = 0;  // attempts with a shortened step
};

}  // namespace

IntegratorEntry fixed_step_runge_kutta(const ButcherTable* table, std::string_view references) {
  IntegratorEntry entry;
  entry.fixed_step = true;
  entry.fixed_step_table = table;
  entry.order = table != nullptr ? table->order : 0;
  entry.kind = IntegratorKind::fixed_step;
  entry.references = references;
  entry.make = make_stepper<ArkodeStepper>;
  return entry;
}

IntegratorEntry make_rk1() {
  return fixed_step_runge_kutta(&rk1(), "[002]");
}
IntegratorEntry make_rk2() {
  return fixed_step_runge_kutta(&rk2(), "[002]");
}
IntegratorEntry make_rk3() {
  return fixed_step_runge_kutta(&rk3(), "[002]");
}
IntegratorEntry make_rk4() {
  return fixed_step_runge_kutta(&rk4(), "[002]");
}
IntegratorEntry make_table() {
  return fixed_step_runge_kutta(nullptr, "[002]");
}

template <ARKODE_ERKTableID id>
ARKodeButcherTable pair_of_arkode() {
  return ARKodeButcherTable_LoadERK(id);
}

IntegratorEntry embedded_runge_kutta(ARKodeButcherTable (*pair)(), int order, std::string_view references) {
  IntegratorEntry entry;
  entry.order = order;
  entry.kind = IntegratorKind::explicit_adaptive;
  entry.embedded_pair = pair;
  entry.references = references;
  entry.make = make_stepper<ArkodeStepper>;
  return entry;
}

IntegratorEntry make_dopri5() {
  return embedded_runge_kutta(pair_of_arkode<ARKODE_DORMAND_PRINCE_7_4_5>, 5, "[DormandPrince1980]");
}
IntegratorEntry make_bogacki_shampine3() {
  return embedded_runge_kutta(pair_of_arkode<ARKODE_BOGACKI_SHAMPINE_4_2_3>, 3, "[BogackiShampine1989]");
}
IntegratorEntry make_verner6() {
  return embedded_runge_kutta(pair_of_arkode<ARKODE_VERNER_8_5_6>, 6, "[Verner1978]");
}
IntegratorEntry make_fehlberg8() {
  return embedded_runge_kutta(pair_of_arkode<ARKODE_FEHLBERG_13_7_8>, 8, "[Fehlberg1968]");
}
IntegratorEntry make_verner8() {
  return embedded_runge_kutta(verner8, 8, "[Verner2010]");
}

}  // namespace sunlagrange::internal
