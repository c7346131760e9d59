// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/summary.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <sunlagrange/base/figure_visitors.hpp>
#include <sunlagrange/base/status.hpp>

#include "campaign/judge.hpp"
#include "campaign/records.hpp"
#include "shared/table.hpp"

namespace sunlagrange::program {
namespace {

const std::string rules =
    "A case is a random mechanism and its motion over 1 s. Reference: two methods of different formulation and "
    "integrator, at a hundredth of the tightest tolerance, that agree within 10 such tolerances x amplification; else "
    "the case is set aside. Error: max |q - reference| / (1 + |reference|) at the end. Amplification: largest response "
    "to disturbances of q and v as large as the tolerance, at the start and at five moments on the way, half of them "
    "off the constraints. Wrong: error > amplification x (100 rtol "
    "+ law of the form) + 1.5 x (what halving a fixed step changed). Forms whose violation grows: 1000 rtol; whose "
    "velocities are not controlled: steps^2 rtol; law of altered equations: 10 x alteration / square of the smallest "
    "singular value, at most 0.01. Blind: an error of 0.1 would have been right; doubts about such a run are not "
    "called false. "
    "False doubts: about runs that are right, by a doubt or as uncertain_branch.";

std::string percent(long part, long whole) {
  return whole == 0 ? "-" : fmt::format("{:.3g} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string verdict_of(const Judgement& j) {
  if (!j.reached) return "";
  return std::string(j.right ? "right" : "WRONG") + (j.doubted ? ", doubted" : "") + (j.blind ? ", blind" : "");
}

Json finding_json(const CampaignFinding& finding) {
  Json json = parsed(figures_json(*finding.run));
  json["seed"] = finding.found_in->seed;
  json["kind"] = finding.found_in->kind;
  json["mass_ratio"] = finding.found_in->mass_ratio;
  json["allowed"] = number_or_null(judge(*finding.run).allowed);
  return json;
}

Json findings_json(const std::vector<CampaignFinding>& list) {
  Json json = Json::array();
  for (const CampaignFinding& finding : list) json.push_back(finding_json(finding));
  return json;
}

}  // namespace

CampaignSummary::CampaignSummary(const CampaignPlan& plan, const std::vector<CampaignCase>& cases, std::string remark)
    : plan_(plan), cases_(cases), remark_(std::move(remark)) {
  for (const CampaignCase& c : cases_) {
    ++features_[c.features];
    if (c.set_aside) set_aside_.push_back(&c);
    for (const CampaignRun& run : c.runs) count(c, run);
  }
}

void CampaignSummary::count(const CampaignCase& in, const CampaignRun& run) {
  auto row = std::find_if(rows_.begin(), rows_.end(), [&run](const CampaignRow& r) {
    return r.formulation == run.formulation && r.integrator == run.integrator && r.rtol == run.rtol;
  });
  if (row == rows_.end()) {
    CampaignRow fresh;
    fresh.formulation = run.formulation;
    fresh.integrator = run.integrator;
    fresh.rtol = run.rtol;
    row = rows_.insert(rows_.end(), fresh);
  }
  const Judgement j = judge(run);
  ++row->runs;
  ++outcomes_[run.outcome];
  row->right += j.finished && j.right && !j.false_doubt();
  row->false_doubts += j.finished && j.false_doubt();
  row->wrong_and_doubted += j.finished && !j.right && j.doubted;
  row->wrong_without_doubt += j.wrong_without_doubt();
  row->uncertain_right += j.uncertain && j.right;
  row->uncertain_wrong += j.uncertain && !j.right;
  row->failed += !j.finished && !j.uncertain;
  row->without_cause += !j.finished && run.message.empty();
  row->blind += j.blind;
  if (j.finished && j.right) row->worst = std::max(row->worst, run.error / j.allowed);
  for (const std::string& kind : run.doubts) {
    if (j.finished) ++(j.right ? doubts_of_right_ : doubts_of_wrong_)[kind];
  }
  if (j.wrong_without_doubt()) wrong_.push_back({&in, &run});
  if (j.false_doubt()) false_doubts_.push_back({&in, &run});
  if (!j.finished && run.message.empty()) without_cause_.push_back({&in, &run});
}

bool CampaignSummary::holds() const {
  return wrong_.empty() && without_cause_.empty();
}

std::string CampaignSummary::sizes() const {
  const std::size_t first = cases_.empty() ? 0 : cases_.front().seed;
  const std::size_t last = cases_.empty() ? 0 : cases_.back().seed;
  return fmt::format("{} cases{} (seeds {} ... {}), {} set aside ({})", cases_.size(),
                     plan_.set.empty() ? "" : " of the " + plan_.set + " set", first, last, set_aside_.size(),
                     percent(static_cast<long>(set_aside_.size()), static_cast<long>(cases_.size())));
}

std::string CampaignSummary::verdict() const {
  long right = 0, blind = 0;
  for (const CampaignRow& row : rows_) {
    right += row.right + row.false_doubts + row.uncertain_right;
    blind += row.blind;
  }
  const auto doubted = static_cast<long>(false_doubts_.size());
  return fmt::format(
      "{}{} runs wrong, finished and without doubt; {} false doubts ({} of those that are right); {} failures without "
      "a "
      "cause; {} runs of motions that multiply disturbances so much that nothing could have been wrong",
      remark_.empty() ? "" : remark_ + ". ", wrong_.size(), doubted, percent(doubted, right), without_cause_.size(),
      blind);
}

std::string CampaignSummary::table(std::size_t width) const {
  const Align left = Align::left, right = Align::right;
  Table table({{"formulation", left},
               {"integrator", left, 4},
               {"rtol"},
               {"runs"},
               {"right", right, 0, 0, "finished"},
               {"doubted", right, 0, 0, "finished"},
               {"WRONG", right, 0, 0, "finished"},
               {"and doubted", right, 2, 0, "finished"},
               {"right", right, 1, 0, "uncertain branch"},
               {"wrong", right, 1, 0, "uncertain branch"},
               {"failed"},
               {"no cause"},
               {"blind", right, 3},
               {"error/allowed", right, 3}},
              width);
  std::vector<Table::Row> cells;
  for (const CampaignRow& r : rows_) {
    cells.push_back({r.formulation, r.integrator, number(r.rtol, ".0e"), std::to_string(r.runs),
                     std::to_string(r.right), std::to_string(r.false_doubts), std::to_string(r.wrong_without_doubt),
                     std::to_string(r.wrong_and_doubted), std::to_string(r.uncertain_right),
                     std::to_string(r.uncertain_wrong), std::to_string(r.failed), std::to_string(r.without_cause),
                     std::to_string(r.blind), number(r.worst, ".2g")});
  }
  return table.text(cells);
}

std::string CampaignSummary::counts(std::size_t width) const {
  return paragraph("outcomes: " + counts_text(outcomes_), width) +
         paragraph("doubts about runs that are right: " + counts_text(doubts_of_right_), width) +
         paragraph("doubts about runs that are wrong: " + counts_text(doubts_of_wrong_), width) +
         paragraph("mechanisms: " + counts_text(features_), width);
}

std::string CampaignSummary::findings(const std::vector<CampaignFinding>& list, std::size_t width) const {
  const Align left = Align::left, right = Align::right;
  Table table({{"seed"},
               {"formulation", left},
               {"rtol"},
               {"error"},
               {"allowed"},
               {"amplification", right, 2},
               {"singular value", right, 3},
               {"mass ratio", right, 1},
               {"doubts", left, 2},
               {"mechanism", left, 1}},
              width);
  std::vector<Table::Row> cells;
  for (const CampaignFinding& f : list) {
    cells.push_back({std::to_string(f.found_in->seed), f.run->formulation, number(f.run->rtol, ".0e"),
                     number(f.run->error, ".2g"), number(judge(*f.run).allowed, ".2g"),
                     number(f.run->amplification, ".2g"), number(f.run->smallest_singular_value, ".1e"),
                     number(f.found_in->mass_ratio, ".1e"),
                     judge(*f.run).uncertain ? f.run->outcome : joined(f.run->doubts), f.found_in->kind});
  }
  return list.empty() ? "none\n" : table.text(cells);
}

std::string CampaignSummary::aside(std::size_t width) const {
  std::string result;
  for (const CampaignCase* c : set_aside_)
    result += paragraph(std::to_string(c->seed) + " " + c->kind + ": " + c->references, width);
  return result.empty() ? "none\n" : result;
}

std::string CampaignSummary::text(std::size_t width) const {
  std::string result = paragraph(rules, width) + "\n" + table(width) + "\n" + counts(width);
  if (!set_aside_.empty()) result += "\nset aside, no two references agree:\n" + aside(width);
  if (!false_doubts_.empty()) result += "\nright, and doubted:\n" + findings(false_doubts_, width);
  if (!without_cause_.empty()) result += "\nfailed without a cause:\n" + findings(without_cause_, width);
  if (!wrong_.empty()) result += "\nWRONG, finished and without doubt (--only SEED):\n" + findings(wrong_, width);
  return result + "\n" + paragraph(sizes() + "; " + verdict(), width);
}

std::string CampaignSummary::document() const {
  Json rows = Json::array(), aside = Json::array();
  for (const CampaignRow& row : rows_) rows.push_back(parsed(figures_json(row)));
  for (const CampaignCase* c : set_aside_)
    aside.push_back({{"seed", c->seed}, {"kind", c->kind}, {"references", c->references}});
  Json json;
  json["schema"] = 1;
  json["plan"] = as_json(plan_);
  json["cases"] = cases_.size();
  json["remark"] = remark_;
  json["holds"] = holds();
  json["rows"] = std::move(rows);
  json["outcomes"] = outcomes_;
  json["doubts_of_right"] = doubts_of_right_;
  json["doubts_of_wrong"] = doubts_of_wrong_;
  json["set_aside"] = std::move(aside);
  json["wrong_without_doubt"] = findings_json(wrong_);
  json["false_doubts"] = findings_json(false_doubts_);
  json["failed_without_cause"] = findings_json(without_cause_);
  return json_text(json);
}

std::string CampaignSummary::markdown(const std::string& command) const {
  const auto block = [](const std::string& text) { return "\n```\n" + text + "```\n"; };
  std::string result = "# Campaign over random mechanisms\n\nWritten by the program:\n" + block(command + "\n");
  result += "\n" + paragraph(sizes() + "; " + verdict() + ".", 120) + "\n" + paragraph(rules, 120);
  result += block(table(unlimited)) + block(counts(unlimited));
  result += "\n## Wrong, finished and without doubt\n" + block(findings(wrong_, unlimited));
  result += "\n## Right, and doubted\n" + block(findings(false_doubts_, unlimited));
  result += "\n## Failed without a cause\n" + block(findings(without_cause_, unlimited));
  return result + "\n## Set aside, no two references agree\n" + block(aside(unlimited));
}

std::string case_text(const CampaignCase& result, std::size_t width) {
  const Align left = Align::left, right = Align::right;
  Table table({{"formulation", left},
               {"integrator", left, 3},
               {"rtol"},
               {"outcome", left},
               {"steps", right, 2},
               {"error"},
               {"allowed"},
               {"amplification", right, 1},
               {"singular value", right, 2},
               {"", left},
               {"message, doubts", left}},
              width);
  std::vector<Table::Row> cells;
  for (const CampaignRun& run : result.runs) {
    const Judgement j = judge(run);
    cells.push_back({run.used_formulation.empty() ? run.formulation : run.used_formulation, run.integrator,
                     number(run.rtol, ".0e"), run.outcome, std::to_string(run.steps), number(run.error, ".2g"),
                     number(j.allowed, ".2g"), number(run.amplification, ".2g"),
                     number(run.smallest_singular_value, ".1e"), verdict_of(j),
                     run.doubts.empty() ? run.message : joined(run.doubts)});
  }
  return paragraph(fmt::format("{}: {}; {}; mass ratio {:.1e}; references {}: {}, {:.1e} apart", result.seed,
                               result.features, result.kind, result.mass_ratio,
                               result.set_aside ? "do not agree, set aside" : "agree", result.references, result.gap),
                   width) +
         (result.runs.empty() ? "" : table.text(cells)) + "\n";
}

}  // namespace sunlagrange::program
