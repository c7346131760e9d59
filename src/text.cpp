#include <sstream>

#include <sunlagrange/options.hpp>
#include <sunlagrange/setting.hpp>
#include <sunlagrange/status.hpp>

namespace sunlagrange {

std::string text(double value) {
  std::ostringstream out;
  out.precision(6);
  out << value;
  return out.str();
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
  }
  return "unknown";
}

const char* to_string(RankPolicy policy) {
  switch (policy) {
    case RankPolicy::strict:
      return "strict";
    case RankPolicy::minimum_norm:
      return "minimum_norm";
    case RankPolicy::regularized:
      return "regularized";
  }
  return "";
}

const char* to_string(AtSingularity policy) {
  switch (policy) {
    case AtSingularity::filter:
      return "filter";
    case AtSingularity::stop:
      return "stop";
    case AtSingularity::project:
      return "project";
  }
  return "";
}

}  // namespace sunlagrange
