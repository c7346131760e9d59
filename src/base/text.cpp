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

}  // namespace sunlagrange
