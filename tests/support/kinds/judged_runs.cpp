// SPDX-License-Identifier: BSD-3-Clause
#include "kinds/judged_runs.hpp"

#include <cmath>
#include <sstream>

namespace sunlagrange::test::kinds {
namespace {

constexpr double tolerances_allowed = 1000.0;
constexpr double branches_apart = 0.1;
constexpr double accurate_branch = 0.02;

std::string doubts_of(const Status& status) {
  std::string text;
  for (const Doubt& doubt : status.doubts) text += "; " + doubt.text;
  return text;
}

void judge(Counts& counts, const Motion& motion, const std::string& formulation, double tolerance,
           const std::string& label) {
  SimulationOptions options;
  options.formulation = formulation;
  options.rtol = options.atol = tolerance;
  options.t_end = motion.t_end;
  options.events = motion.events;
  options.max_steps = motion.max_steps;
  options.record = Record::ends_only;
  ++counts.runs;
  const auto note = [&](const std::string& what) { counts.findings.push_back(label + ", " + what); };
  try {
    const Simulation run = simulate(motion.system, motion.start, options);
    const std::size_t last = run.trajectory.size() - 1;
    if (run.report.t_reached < motion.t_end) {
      ++counts.stopped;
      note("stopped at t = " + std::to_string(run.report.t_reached) + ": " + run.status.message);
      return;
    }
    const double error = motion.distance(run.trajectory.q(last), motion.end());
    const bool doubted = !run.status.has_no_doubts();
    double allowed = motion.branches ? branches_apart : tolerances_allowed * tolerance;
    if (!motion.branches && (doubted || !(error <= allowed))) allowed *= motion.amplification(tolerance, allowed);
    const bool right = error <= allowed;
    std::ostringstream figures;
    figures << "error " << error << ", allowed " << allowed << ", " << run.report.steps
            << " steps: " << run.status.message << doubts_of(run.status);
    for (const RankEvent& event : run.report.rank_events) {
      figures << " [" << event.t << " s, " << to_string(event.passage) << ", way " << to_string(event.way)
              << ", misfit " << event.misfit << ", gap " << event.gap << "]";
    }
    counts.right += right ? 1 : 0;
    if (!right && !doubted) {
      ++counts.wrong_without_doubt;
      note("WRONG without a doubt, " + figures.str());
    } else if (!right) {
      note("wrong and doubted, " + figures.str());
    } else if (doubted && (motion.branches ? error <= accurate_branch : allowed <= branches_apart)) {
      ++counts.right_but_doubted;
      note("right but doubted, " + figures.str());
    }
  } catch (const Error& error) {
    ++counts.refused;
    note(std::string("refused: ") + error.what());
  }
}

}  // namespace

Counts& Counts::operator+=(const Counts& other) {
  runs += other.runs;
  right += other.right;
  wrong_without_doubt += other.wrong_without_doubt;
  right_but_doubted += other.right_but_doubted;
  stopped += other.stopped;
  refused += other.refused;
  findings.insert(findings.end(), other.findings.begin(), other.findings.end());
  return *this;
}

Motion drawn_motion(const Kind& kind, std::uint64_t seed) {
  std::uint64_t sum = seed * 0x9E3779B97F4A7C15U;
  for (const char* c = kind.name; *c != '\0'; ++c) sum = sum * 1099511628211U + static_cast<unsigned char>(*c);
  Draw draw(sum);
  return kind.draw(draw);
}

Counts judged_runs(const Kind& kind, const std::vector<std::uint64_t>& seeds, const std::string& formulation,
                   double tolerance) {
  Counts counts;
  for (const std::uint64_t seed : seeds) {
    const Motion motion = drawn_motion(kind, seed);
    std::ostringstream label;
    label << kind.name << " " << seed << " (" << motion.text << ") " << formulation << " " << tolerance;
    judge(counts, motion, formulation, tolerance, label.str());
  }
  return counts;
}

std::vector<std::uint64_t> seeds(int count, std::uint64_t first) {
  std::vector<std::uint64_t> all;
  for (int k = 0; k < count; ++k) all.push_back(first + static_cast<std::uint64_t>(k));
  return all;
}

std::string summary(const std::string& kind, const std::string& formulation, double tolerance, const Counts& counts) {
  std::ostringstream line;
  line << kind << ", " << formulation << ", " << tolerance << ": " << counts.runs << " runs, " << counts.right
       << " right, " << counts.wrong_without_doubt << " wrong without a doubt, " << counts.right_but_doubted
       << " right but doubted, " << counts.stopped << " stopped, " << counts.refused << " refused";
  return line.str();
}

}  // namespace sunlagrange::test::kinds
