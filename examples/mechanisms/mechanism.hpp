#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sunlagrange/sunlagrange.hpp>

/// Benchmark mechanisms: one file each, one line in mechanisms.inc. Shared by tests, examples and benchmarks.
namespace sunlagrange::mechanisms {

/// A mechanism ready to run.
struct Mechanism {
  std::shared_ptr<const MechanicalSystem> system;
  InitialState start;
  double t_end = 1.0;  ///< default length of a run [s]
  Gains gains;         ///< gains that belong to the problem statement (automatic if none)
  Start start_mode = Start::consistent;
  RankPolicy rank_policy = RankPolicy::minimum_norm;

  /// Reference positions at time t, if known: closed form for any t, or published values at some times.
  std::function<std::optional<Eigen::VectorXd>(double t)> reference;
  std::string reference_source;
};

struct MechanismEntry {
  std::string_view name;
  std::string_view summary;
  bool sized;        ///< accepts --size N
  int default_size;  ///< 0 if not sized
  Mechanism (*make)(int size);
};

const std::vector<MechanismEntry>& mechanism_registry();

/// Throws Error listing the known names.
const MechanismEntry& find_mechanism(const std::string& name);

}  // namespace sunlagrange::mechanisms
