// SPDX-License-Identifier: BSD-3-Clause
#include "ranking/ranking_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "shared/table.hpp"
#include "shared/text.hpp"

namespace sunlagrange::program {
namespace {

std::string percent(double share) {
  return fmt::format("{:.0f} %", 100.0 * share);
}

/// Returns the text in lines of at most `width` characters, each with a line break.
std::string lines(const std::string& text, std::size_t width) {
  std::string result;
  for (const std::string& line : wrapped(text, width, 2)) result += line + "\n";
  return result;
}

std::string table(const Ranking& ranking, std::size_t width) {
  const Align left = Align::left;
  std::vector<Column> columns = {{"formulation", left}};
  for (const double error : ranking.errors) {
    const std::string group = "error of q " + short_number(error);
    const std::string of = fmt::format("of {}", ranking.all.mechanisms.size());
    columns.insert(columns.end(), {{"work ", Align::right, 0, 6, group},
                                   {"CPU", Align::right, 0, 5, group},
                                   {"integrator", left, 0, 0, group},
                                   {of, Align::right, 0, 0, group},
                                   {"max|g|", Align::right, 0, 0, group}});
  }
  std::vector<Table::Row> rows;
  for (const RankedFormulation& f : ranking.all.order) {
    Table::Row row = {f.formulation};
    for (const Standing& s : f.at) {
      row.insert(row.end(), {number(s.work, ".2f") + (s.best ? "=" : " "), number(s.cpu, ".2f"),
                             s.reached > 0 ? s.integrator : "-", std::to_string(s.reached), two_digits(s.violation)});
    }
    rows.push_back(std::move(row));
  }
  return Table(columns, width, 1).text(rows);
}

/// Returns the formulations with the least work and their integrators, "baumgarte = penalty (dopri5)".
std::string winners(const RankedKind& kind, std::size_t error) {
  std::string names;
  std::vector<std::string> integrators;
  for (const RankedFormulation& f : kind.order) {
    const Standing& s = f.at[error];
    if (!s.best) continue;
    names += (names.empty() ? "" : " = ") + f.formulation;
    if (std::count(integrators.begin(), integrators.end(), s.integrator) == 0) integrators.push_back(s.integrator);
  }
  return names.empty() ? "none" : names + " (" + joined(integrators) + ")";
}

/// Returns "stiff: penalty (radau)", with the winners at the other errors where they are not the same.
std::string line_of(const Ranking& ranking, const RankedKind& kind) {
  std::string words = kind.kind + ": " + winners(kind, 0);
  for (std::size_t k = 1; k < ranking.errors.size(); ++k) {
    if (winners(kind, k) != winners(kind, k - 1))
      words += "; at " + short_number(ranking.errors[k]) + " " + winners(kind, k);
  }
  return words;
}

Json standing_json(const Standing& s, double error) {
  Json json;
  set(json, "error", error);
  set(json, "work", number_or_null(s.work));
  set(json, "cpu", number_or_null(s.cpu));
  set(json, "integrator", s.integrator);
  set(json, "reached", s.reached);
  set(json, "violation", number_or_null(s.violation));
  set(json, "best", s.best);
  return json;
}

Json formulations_json(const std::vector<RankedFormulation>& list, const std::vector<double>& errors) {
  Json json = Json::array();
  for (const RankedFormulation& f : list) {
    Json entry, at = Json::array();
    for (std::size_t k = 0; k < errors.size(); ++k) at.push_back(standing_json(f.at[k], errors[k]));
    set(entry, "formulation", f.formulation);
    set(entry, "at", std::move(at));
    json.push_back(std::move(entry));
  }
  return json;
}

}  // namespace

std::string preliminary_text(const Ranking& ranking, std::size_t planned, std::size_t width) {
  return lines(fmt::format("Preliminary ranking, from {} of {} mechanisms ({}): work at equal error over the least of "
                           "each mechanism, median.",
                           ranking.all.mechanisms.size(), planned, joined(ranking.all.mechanisms)),
               width) +
         table(ranking, width);
}

std::string ranking_text(const Ranking& ranking, std::size_t width) {
  std::string text =
      lines(fmt::format("Which formulation? Work at equal error over the least of each mechanism, median "
                        "over {} mechanisms: {}.",
                        ranking.all.mechanisms.size(), joined(ranking.all.mechanisms)),
            width) +
      table(ranking, width);
  for (const SameRuns& s : ranking.same)
    text += lines(s.formulation + " is " + s.is + " here: with constant gains all its runs are the same.", width);
  std::string missing;
  for (const RankedFormulation& f : ranking.not_ranked) {
    int most = 0;
    for (const Standing& s : f.at) most = std::max(most, s.reached);
    missing += (missing.empty() ? "" : ", ") +
               fmt::format("{} ({} of {})", f.formulation, most, ranking.all.mechanisms.size());
  }
  if (!missing.empty())
    text += lines(
        "Not ranked, because on most mechanisms they do not hold the constraints or miss the errors (they reach them "
        "on): " +
            missing + ".",
        width);
  text += "The least work for each kind of mechanism:\n";
  for (const RankedKind& kind : ranking.kinds) text += lines(line_of(ranking, kind), width);
  text += lines(
      fmt::format("Rows stand in the order of the product of their works. Work counts right-hand sides or residuals, "
                  "Newton factorisations and 2 for each Jacobian, with the "
                  "best integrator; = is equal to the least, within {}, the noise of an interpolated work. CPU is the "
                  "same in time, with the fastest integrator; it differs from run to run and ranks nothing. max|g| is "
                  "the largest violation at this error (of velocities where no positions are constrained).",
                  percent(ranking.noise)),
      width);
  std::string runs = fmt::format("{} of {} runs finished without doubts", ranking.certain, ranking.runs);
  if (ranking.bound > 0)
    runs += fmt::format("; in {} most steps were as long as the longest one allowed", ranking.bound);
  return text + lines(runs + ".", width);
}

Json ranking_json(const Ranking& ranking) {
  Json json, kinds = Json::array(), same = Json::array();
  for (const RankedKind& kind : ranking.kinds) {
    Json entry;
    set(entry, "kind", kind.kind);
    set(entry, "mechanisms", kind.mechanisms);
    set(entry, "formulations", formulations_json(kind.order, ranking.errors));
    kinds.push_back(std::move(entry));
  }
  for (const SameRuns& s : ranking.same) {
    Json entry;
    set(entry, "formulation", s.formulation);
    set(entry, "is", s.is);
    same.push_back(std::move(entry));
  }
  set(json, "mechanisms", ranking.all.mechanisms);
  set(json, "errors", Json(ranking.errors));
  set(json, "noise", ranking.noise);
  set(json, "runs", ranking.runs);
  set(json, "without_doubts", ranking.certain);
  set(json, "longest_step_bound", ranking.bound);
  set(json, "formulations", formulations_json(ranking.all.order, ranking.errors));
  set(json, "not_ranked", formulations_json(ranking.not_ranked, ranking.errors));
  set(json, "same", std::move(same));
  set(json, "kinds", std::move(kinds));
  return json;
}

}  // namespace sunlagrange::program
