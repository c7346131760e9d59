#include <sunlagrange/linear_solver/options.hpp>

namespace sunlagrange {

using namespace internal;

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

}  // namespace sunlagrange
