// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "shared/record.hpp"

/// The ranking of formulations at equal error over a set of mechanisms.
///
/// For every mechanism and formulation it takes the integrator with the least work at an error of q (costs_at(); runs
/// that finished without doubts and hold the constraints), divides by the least work of all formulations on this
/// mechanism, and takes the median over the mechanisms. It ranks by work and not by time: counts do not change when the
/// runs are repeated, so the same formulations win every time. CPU times stand beside it.
namespace sunlagrange::program {

/// A mechanism of the set and its runs: of each formulation and integrator together, from loose to tight tolerances.
struct RankedMechanism {
  std::string name;  ///< also with its size or its end, "chain of 10"
  std::string kind;  ///< mechanisms of one kind have a ranking of their own
  std::vector<RunRecord> records;
};

/// One formulation at one error of q, over some mechanisms.
struct Standing {
  static constexpr double missed = std::numeric_limits<double>::infinity();

  double work = missed;    ///< median of (least work) / (least of all formulations); infinite where the error is missed
  double cpu = missed;     ///< the same in CPU time, for which every formulation takes its fastest integrator
  std::string integrator;  ///< the one with the least work on most of the mechanisms
  int reached = 0;         ///< mechanisms on which it has the error
  double violation = Report::none;  ///< largest violation of the constraints over these mechanisms
  bool best = false;                ///< its work is equal to the least one: above it by no more than the noise
};

struct RankedFormulation {
  std::string formulation;
  std::vector<Standing> at;  ///< one for each error
};

/// Ranking of the formulations on the mechanisms of one kind, or on all.
struct RankedKind {
  std::string kind;  ///< empty: all
  std::vector<std::string> mechanisms;
  std::vector<RankedFormulation> order;  ///< by the product of work over the errors; only those that have one of them
};

/// A formulation all of whose runs are those of another one.
struct SameRuns {
  std::string formulation, is;
};

/// Returns the formulations all of whose runs are those of an earlier one, on all mechanisms.
std::vector<SameRuns> same_formulations(const std::vector<RankedMechanism>& mechanisms);

struct Ranking {
  std::vector<double> errors;
  RankedKind all;
  std::vector<RankedKind> kinds;              ///< in the order of the mechanisms
  std::vector<SameRuns> same;                 ///< not in the order of any kind
  std::vector<RankedFormulation> not_ranked;  ///< have the errors on fewer than half of the mechanisms
  /// Equal are works that differ by this factor less 1: the median deviation of a run's work from the one that its
  /// neighbours give by interpolation.
  double noise = 0.0;
  long runs = 0, certain = 0;  ///< all runs; those that finished without doubts
  long bound = 0;              ///< runs most of whose steps were as long as allowed, see longest_step_binds()
};

Ranking ranking(const std::vector<RankedMechanism>& mechanisms, const std::vector<double>& errors);

/// Returns true if an adaptive run took fewer than 1.5 times the least number of steps that its longest step allows.
bool longest_step_binds(const RunRecord& record);

}  // namespace sunlagrange::program
