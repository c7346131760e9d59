// SPDX-License-Identifier: BSD-3-Clause
#include "expert.hpp"

#include "andrews.hpp"
#include "car_axis.hpp"
#include "pendulum.hpp"
#include "slider_crank.hpp"

namespace sunlagrange::peers {
namespace {

constexpr Form forms[] = {
    {"index3", 3, false, false}, {"index2", 2, false, false}, {"ggl", 0, false, false}, {"index1", 1, false, false}};
constexpr Form second_order[] = {
    {"index3 m1", 3, true, false}, {"index2 m1", 2, true, false}, {"index1 m1", 1, true, false}};
constexpr Form approximate[] = {{"index3 approximate J", 3, false, true},
                                {"index2 approximate J", 2, false, true},
                                {"ggl approximate J", 0, false, true},
                                {"index1 approximate J", 1, false, true}};

template <class P>
void add_cases(const std::string& problem, const std::vector<double>& end, std::vector<Case>& cases) {
  if (problem != P::name) return;
  const auto add = [&](const char* family, const Form& form) {
    cases.push_back({family, form.name, 0.0, [&form, end](double tol) { return Expert<P>::run(form, tol, end); }});
  };
  for (const Form& form : forms) add("RADAU5", form);
  if (P::accelerations) {
    for (const Form& form : approximate) add("RADAU5", form);
  }
  for (const Form& form : second_order) add("RADAU5 m1", form);
}

}  // namespace

void add_expert_cases(const std::string& problem, const std::vector<double>& end, std::vector<Case>& cases) {
  add_cases<Pendulum>(problem, end, cases);
  add_cases<CarAxis>(problem, end, cases);
  add_cases<SliderCrank>(problem, end, cases);
  add_cases<Andrews>(problem, end, cases);
}

}  // namespace sunlagrange::peers
