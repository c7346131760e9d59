// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "campaign/case.hpp"

namespace sunlagrange::program {

/// Counts of the runs of one formulation at one tolerance.
struct CampaignRow {
  std::string formulation, integrator;
  double rtol = 0.0;
  long runs = 0, right = 0, false_doubts = 0, wrong_and_doubted = 0, wrong_without_doubt = 0;
  long uncertain_right = 0, uncertain_wrong = 0, failed = 0, without_cause = 0, blind = 0;
  double worst = 0.0;

  void describe(Figures& f) {
    f("formulation", formulation, "name");
    f("integrator", integrator, "name");
    f("rtol", rtol, "1", "rtol = atol");
    f("runs", runs, "runs");
    f("right", right, "right, finished without doubts, or blind");
    f("false_doubts", false_doubts, "right, finished with doubts, and not blind");
    f("wrong_and_doubted", wrong_and_doubted, "wrong, finished with doubts");
    f("wrong_without_doubt", wrong_without_doubt, "wrong, finished without doubts: what the campaign searches for");
    f("uncertain_right", uncertain_right, "right, with the outcome uncertain_branch");
    f("uncertain_wrong", uncertain_wrong, "wrong, with the outcome uncertain_branch");
    f("failed", failed, "all other outcomes");
    f("without_cause", without_cause, "failed or uncertain_branch without a message");
    f("blind", blind, "right with any error, see Judgement");
    f("worst", worst, "1", "largest error over the allowed one among the right runs");
  }
};

/// A run that the summary lists.
struct CampaignFinding {
  const CampaignCase* found_in = nullptr;
  const CampaignRun* run = nullptr;
};

/// Results of a campaign. It refers to the cases.
class CampaignSummary {
 public:
  /// @param remark  the reason why the campaign ended early; empty if it did not
  CampaignSummary(const CampaignPlan& plan, const std::vector<CampaignCase>& cases, std::string remark);

  /// Returns true if no run is wrong without doubt and every failure has a message.
  bool holds() const;

  /// Returns the text for a terminal. @param width  see output_width()
  std::string text(std::size_t width) const;
  std::string document() const;  ///< document of --json
  /// Returns the summary for benchmarks/results.
  std::string markdown(const std::string& command) const;

 private:
  void count(const CampaignCase& in, const CampaignRun& run);
  std::string sizes() const;
  std::string verdict() const;
  std::string table(std::size_t width) const;
  std::string counts(std::size_t width) const;
  std::string findings(const std::vector<CampaignFinding>& list, std::size_t width) const;
  std::string aside(std::size_t width) const;

  const CampaignPlan& plan_;
  const std::vector<CampaignCase>& cases_;
  std::string remark_;
  std::vector<CampaignRow> rows_;
  std::vector<const CampaignCase*> set_aside_;
  std::vector<CampaignFinding> wrong_, false_doubts_, without_cause_;
  std::map<std::string, long> features_, outcomes_, doubts_of_right_, doubts_of_wrong_;
};

/// Returns one line for each run of a case, with its judgement.
std::string case_text(const CampaignCase& result, std::size_t width);

}  // namespace sunlagrange::program
