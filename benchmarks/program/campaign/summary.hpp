#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "campaign/case.hpp"

namespace sunlagrange::program {

/// Runs of one formulation at one tolerance.
struct CampaignRow {
  std::string formulation, integrator;
  double rtol = 0.0;
  long runs = 0;
  long right = 0;                                 ///< finished; without doubts, or blind
  long false_doubts = 0;                          ///< finished and right, with doubts, and not blind
  long wrong_and_doubted = 0;                     ///< finished
  long wrong_without_doubt = 0;                   ///< finished: what the campaign looks for
  long uncertain_right = 0, uncertain_wrong = 0;  ///< uncertain_branch
  long failed = 0;                                ///< all other outcomes
  long without_cause = 0;                         ///< of them, and of uncertain_branch: no message
  long blind = 0;                                 ///< right, whatever the error is: see Judgement
  double worst = 0.0;                             ///< largest error over what is allowed, of `right`
};

/// A run worth looking at.
struct CampaignFinding {
  const CampaignCase* found_in = nullptr;
  const CampaignRun* run = nullptr;
};

/// What came out of a campaign. Refers to the cases.
class CampaignSummary {
 public:
  /// @param remark  what cut the campaign short; empty: nothing
  CampaignSummary(const CampaignPlan& plan, const std::vector<CampaignCase>& cases, std::string remark);

  /// Nothing was wrong without doubt, and every failure names its cause.
  bool holds() const;

  /// For a terminal. @param width  see output_width()
  std::string text(std::size_t width) const;
  std::string document() const;  ///< of --json
  /// For benchmarks/results.
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

/// One line for each run of a case, with what the judge says.
std::string case_text(const CampaignCase& result, std::size_t width);

}  // namespace sunlagrange::program
