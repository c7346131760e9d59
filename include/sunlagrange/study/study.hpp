#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <sunlagrange/files/mechanism_file.hpp>

namespace sunlagrange {

/// One thing that a study varies, and its values as text.
struct Variation {
  /// A parameter (system_parameters(), "rod.L") or linked ones ("body.m,weight.m": the same value in all), a start
  /// value that is held ("q(bob.x)", "v(bob.x)"), an option as in model files ("formulation", "t_end", "gains.K_D"), or
  /// "tolerance": rtol and atol, the same number.
  std::string name;
  /// "1,2,3" (words for options that are words); "linear:FROM:TO:COUNT" and "log:FROM:TO:COUNT", both ends included;
  /// drawn at random: "uniform:FROM:TO", "loguniform:FROM:TO", "normal:MEAN:DEVIATION".
  std::string values;
};

/// Many runs of one mechanism: the grid of all listed values, the last variation fastest, once for each sample of those
/// that are drawn. A case is known by its number alone: numbers drawn depend on the seed, the sample and the name of
/// what is varied, so cases can be run in any order, anywhere, and samples can be added later. Cheap to copy; const
/// members may be called by several threads at once.
class Study {
 public:
  /// @param samples  of what is drawn; 0: a hundred, or one where nothing is drawn
  /// @throws Error naming the variation: an unknown name with the nearest known one, a name that stands there twice,
  ///         values that are none, listed ones that the mechanism refuses, samples where nothing is drawn
  Study(MechanismFile mechanism, const std::vector<Variation>& vary, std::uint64_t samples = 0, std::uint64_t seed = 1);

  std::uint64_t size() const;

  /// What belongs to all cases, as one line of JSON: {"study": 1, "name", "vary": [{"name", "values", "random"}],
  /// "seed", "coordinates", "options", "digest"}, the last of parameters and start of the mechanism. Not the number of
  /// samples.
  std::string heading() const;

  /// Case k, from 0 on. @throws Error if k is too large, or its values do not fit together
  MechanismFile mechanism(std::uint64_t k) const;

  /// Runs case k and gives what came out as one line of JSON: {"case": k, "values": {"rod.L": 1.02, ...}, "status",
  /// "message", "doubts": [kinds], "t_reached", "steps", "rhs_evaluations", "factorizations", "max_position_violation",
  /// "energy_drift", "q_end", "v_end"}; fields as in report_json(), numbers with the digits that give the same double,
  /// no times of the clock: equal wherever it is run. What cannot be run has the status "refused", with the reason, and
  /// no figures. @param keep_going  as in SimulationOptions
  std::string run(std::uint64_t k, const std::function<bool(double t)>& keep_going = {}) const;

  /// A line that run() gave, or a file kept. @throws Error unless it has all that is read of it
  void check(const std::string& line) const;

 private:
  struct Plan;
  std::shared_ptr<const Plan> plan_;
};

}  // namespace sunlagrange
