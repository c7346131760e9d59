// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/model/not_smooth.hpp>

#include <algorithm>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/internal/element_group.hpp>
#include <sunlagrange/model/parameters.hpp>

#include "model/evaluation.hpp"

namespace sunlagrange {
namespace {

class Times final : public Parameters {
 public:
  void not_smooth_at(double time) override { times.push_back(time); }

  std::vector<double> times;

 protected:
  void number(const Parameter&, double&) override {}
  void numbers(const Parameter&, double*, std::size_t) override {}
};

}  // namespace

void visit_not_smooth(const MechanicalSystem& system, double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                      NotSmooth& visitor) {
  if (q.size() != system.num_positions() || v.size() != system.num_positions()) {
    throw Error("visit_not_smooth: q has " + std::to_string(q.size()) + " entries, v has " + std::to_string(v.size()) +
                ", the system has " + std::to_string(system.num_positions()) + " coordinates");
  }
  internal::visit_elements_not_smooth(system, t, q.data(), v.data(), visitor);
}

std::vector<double> times_not_smooth(const MechanicalSystem& system) {
  Times found;
  for (int k = 0; k < system.num_elements(); ++k) {
    const auto [group, position] = system.element(k);
    group->describe(position, found);
  }
  std::vector<double>& times = found.times;
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

}  // namespace sunlagrange
