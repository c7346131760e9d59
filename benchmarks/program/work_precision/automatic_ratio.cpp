#include "work_precision/automatic_ratio.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "shared/table.hpp"
#include "work_precision/fronts.hpp"

namespace sunlagrange::bench {
namespace {

/// The value that a share of them does not exceed.
double quantile(std::vector<AutomaticRatio> ratios, double share) {
  if (ratios.empty()) return Report::none;
  std::sort(ratios.begin(), ratios.end(),
            [](const AutomaticRatio& a, const AutomaticRatio& b) { return a.ratio < b.ratio; });
  return ratios[static_cast<std::size_t>(std::ceil(share * static_cast<double>(ratios.size()))) - 1].ratio;
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
  std::string words = fmt::format(
      "\nautomatic over the best by hand that holds the constraints: median {}, nine in ten {}, largest {}, of {}:",
      number(quantile(ratios, half), ".2f"), number(quantile(ratios, nine_in_ten), ".2f"),
      number(quantile(ratios, all), ".2f"), ratios.size());
  for (std::size_t k = 0; k < ratios.size(); ++k) {
    const bool new_one = k == 0 || ratios[k].mechanism != ratios[k - 1].mechanism;
    words += (new_one ? (k == 0 ? " " : "; ") + ratios[k].mechanism : std::string()) + " " +
             (std::isfinite(ratios[k].ratio) ? number(ratios[k].ratio, ".2f") : "fails");
  }
  print_wrapped(words, width);
}

Json ratios_json(const std::vector<AutomaticRatio>& ratios) {
  Json json, list = Json::array();
  set(json, "median", number_or_null(quantile(ratios, half)));
  set(json, "nine_in_ten", number_or_null(quantile(ratios, nine_in_ten)));
  set(json, "largest", number_or_null(quantile(ratios, all)));
  for (const AutomaticRatio& r : ratios) {
    Json entry;
    set(entry, "mechanism", r.mechanism);
    set(entry, "error", r.error);
    set(entry, "ratio", number_or_null(r.ratio));
    list.push_back(std::move(entry));
  }
  set(json, "ratios", std::move(list));
  return json;
}

}  // namespace sunlagrange::bench
