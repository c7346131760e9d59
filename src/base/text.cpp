#include <sstream>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>

namespace sunlagrange {

std::string text(double value) {
  std::ostringstream out;
  out.precision(6);
  out << value;
  return out.str();
}

const char* to_string(DoubtKind kind) {
  switch (kind) {
    case DoubtKind::position_violation:
      return "position_violation";
    case DoubtKind::velocity_violation:
      return "velocity_violation";
    case DoubtKind::energy_balance:
      return "energy_balance";
    case DoubtKind::start_moved:
      return "start_moved";
    case DoubtKind::velocities_infeasible:
      return "velocities_infeasible";
    case DoubtKind::rank_policy:
      return "rank_policy";
    case DoubtKind::failed_steps:
      return "failed_steps";
    case DoubtKind::unconverged_iterations:
      return "unconverged_iterations";
    case DoubtKind::rounded_clock:
      return "rounded_clock";
    case DoubtKind::dense_output:
      return "dense_output";
    case DoubtKind::unstable_gains:
      return "unstable_gains";
    case DoubtKind::coarse_steps:
      return "coarse_steps";
    case DoubtKind::altered_motion:
      return "altered_motion";
  }
  return "unknown";
}

const char* to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::finished:
      return "finished";
    case Outcome::uncertain_branch:
      return "uncertain_branch";
    case Outcome::infeasible:
      return "infeasible";
    case Outcome::rank_loss:
      return "rank_loss";
    case Outcome::integrator_failure:
      return "integrator_failure";
    case Outcome::model_error:
      return "model_error";
    case Outcome::step_limit:
      return "step_limit";
    case Outcome::interrupted:
      return "interrupted";
    case Outcome::out_of_memory:
      return "out_of_memory";
  }
  return "unknown";
}

}  // namespace sunlagrange
