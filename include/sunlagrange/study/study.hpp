// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <sunlagrange/files/mechanism_file.hpp>

namespace sunlagrange {

/// A quantity that a study varies, and its values as text.
struct Variation {
  /// Name of a parameter (system_parameters(), "rod.L"), of linked parameters that have the same value
  /// ("body.m,weight.m"), of a start value that is held ("q(bob.x)", "v(bob.x)"), of an option as in model files
  /// ("formulation", "t_end", "gains.K_D"), or "tolerance": the same number for rtol and atol.
  std::string name;
  /// A list "1,2,3" (words for options that are words); "linear:FROM:TO:COUNT" and "log:FROM:TO:COUNT", which include
  /// both ends; random values "uniform:FROM:TO", "loguniform:FROM:TO", "normal:MEAN:DEVIATION". Numbers may have a unit
  /// that fits, as in model files: "30deg,60deg", "linear:10cm:20cm:5".
  std::string values;
};

/// Many runs of one mechanism: the grid of all listed values, of which the last variation changes fastest, once for
/// each sample of the random values. The number of a case determines it: a random value depends on the seed, the sample
/// and the name of its variation alone. Cases can therefore be run in any order on any machine, and samples can be
/// added later. A study is cheap to copy; several threads may call const members at once.
class Study {
 public:
  /// @param samples  number of samples of the random values; 0: a hundred, or one if there are no random values
  /// @param observe  numbers of the motion of each case besides the end values: "final", "least", "largest",
  ///         "integral" or "mean", with "square" for the square, and a coordinate, its rate or acceleration, or a
  ///         multiplier by the names that Stepper::read() knows: "mean square bob.x", "largest lambda:rod"; or the
  ///         force of a joint [N] or the power of an element into the mechanism [W]: "largest force:D", "least
  ///         power:motor". Extremes are those of the accepted steps; integrals and means are those of coordinates and
  ///         rates.
  /// @throws Error naming the variation if a name is unknown (with the nearest known one) or repeated, if its values
  ///         cannot be read, if the mechanism refuses a listed value, or if there are samples without random values;
  ///         naming what is observed if it is unknown
  Study(MechanismFile mechanism, const std::vector<Variation>& vary, std::uint64_t samples = 0, std::uint64_t seed = 1,
        const std::vector<std::string>& observe = {});

  /// Returns the number of cases: values of the lists multiplied, times the number of samples.
  std::uint64_t size() const;

  /// Returns the description of the study as one line of JSON: {"study": 1, "name", "vary": [{"name", "values",
  /// "random"}], "seed", "coordinates", "options", "digest"}, and "observe" if something is observed. The digest is
  /// that of the parameters and the start of the mechanism. The number of samples is not part of it.
  std::string heading() const;

  /// Returns the unit of a quantity that is varied; empty if it has none, or if it is unknown.
  std::string unit(const std::string& name) const;

  /// Returns the mechanism of case k, counted from 0. @throws Error if k is too large or its values do not fit together
  MechanismFile mechanism(std::uint64_t k) const;

  /// Runs case k and returns its results as one line of JSON: {"case": k, "values": {"rod.L": 1.02, ...}, "status",
  /// "message", "doubts": [kinds], "t_reached", "steps", "rhs_evaluations", "factorizations", "max_position_violation",
  /// "energy_drift", "q_end", "v_end"}, and "observed": {"largest force:D": 52.3, ...} if something is observed, null
  /// for runs that did not reach their end. The fields are those of report_json() without wall times, so that the line
  /// is the same on every machine. A case that cannot be run has the status "refused" with the reason, and no figures.
  /// @param keep_going  as in SimulationOptions
  std::string run(std::uint64_t k, const std::function<bool(double t)>& keep_going = {}) const;

  /// Checks a line that run() returned or that stands in a file. @throws Error unless it has every field that is read
  void check(const std::string& line) const;

 private:
  struct Plan;
  std::shared_ptr<const Plan> plan_;
};

}  // namespace sunlagrange
