#include <sunlagrange/results/at_singularity.hpp>

namespace sunlagrange {

using namespace internal;

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
