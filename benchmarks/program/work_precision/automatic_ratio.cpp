// SPDX-License-Identifier: BSD-3-Clause
#include "work_precision/automatic_ratio.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <sunlagrange/base/figure_visitors.hpp>

#include "ranking/cost_at_error.hpp"
#include "shared/quantile.hpp"
#include "shared/table.hpp"

namespace sunlagrange::program {
namespace {

std::vector<double> ascending(const std::vector<AutomaticRatio>& ratios) {
  std::vector<double> values;
  for (const AutomaticRatio& r : ratios) values.push_back(r.ratio);
  std::sort(values.begin(), values.end());
  return values;
}

constexpr double half = 0.5, nine_in_ten = 0.9, all = 1.0;

}  // namespace

void append_ratios(std::vector<AutomaticRatio>& ratios, const std::string& mechanism,
                   const std::vector<RunRecord>& records, const std::vector<double>& errors) {
  const bool ran = std::any_of(records.begin(), records.end(),
                               [](const RunRecord& r) { return r.options.formulation == automatic_choice; });
  for (const double error : errors) {
    double best = Report::none, own = std::numeric_limits<double>::infinity();
    for (const CostAtError& c : costs_at(records, error, Among::holding)) {
      if (c.formulation == automatic_choice)
        own = c.cpu_seconds;
      else if (std::isnan(best))
        best = c.cpu_seconds;
    }
    if (ran && !std::isnan(best)) ratios.push_back({mechanism, error, own / best});
  }
}

void print_ratios(const std::vector<AutomaticRatio>& ratios, std::size_t width) {
  if (ratios.empty()) return;
  const std::vector<double> values = ascending(ratios);
  std::string words = fmt::format(
      "\nautomatic over the best by hand that holds the constraints: median {}, nine in ten {}, largest {}, of {}:",
      number(quantile(values, half), ".2f"), number(quantile(values, nine_in_ten), ".2f"),
      number(quantile(values, all), ".2f"), ratios.size());
  for (std::size_t k = 0; k < ratios.size(); ++k) {
    const bool new_one = k == 0 || ratios[k].mechanism != ratios[k - 1].mechanism;
    words += (new_one ? (k == 0 ? " " : "; ") + ratios[k].mechanism : std::string()) + " " +
             (std::isfinite(ratios[k].ratio) ? number(ratios[k].ratio, ".2f") : "fails");
  }
  print_wrapped(words, width);
}

Json ratios_json(const std::vector<AutomaticRatio>& ratios) {
  const std::vector<double> values = ascending(ratios);
  Json json, list = Json::array();
  set(json, "median", number_or_null(quantile(values, half)));
  set(json, "nine_in_ten", number_or_null(quantile(values, nine_in_ten)));
  set(json, "largest", number_or_null(quantile(values, all)));
  for (const AutomaticRatio& r : ratios) list.push_back(parsed(figures_json(r)));
  set(json, "ratios", std::move(list));
  return json;
}

}  // namespace sunlagrange::program
