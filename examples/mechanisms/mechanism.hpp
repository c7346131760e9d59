#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sunlagrange/base/registry.hpp>
#include <sunlagrange/sunlagrange.hpp>

/// Benchmark mechanisms: one file each, one line in mechanisms.inc. Shared by tests, examples and benchmarks.
namespace sunlagrange::mechanisms {

/// The exact motion at one time. v and lambda have length 0 if the source does not give them.
struct ReferenceState {
  Eigen::VectorXd q;       ///< length n [m or rad]
  Eigen::VectorXd v;       ///< q', length n or 0 [m/s or rad/s]
  Eigen::VectorXd lambda;  ///< length m or 0, rows (g, psi); sign of the library: the constraint force is -G^T lambda
};

/// A quantity with published values, such as a point or a reaction, if not all coordinates are published.
struct Observable {
  std::string name;  ///< e.g. "P3.x"
  std::string unit;  ///< e.g. "m"
  std::function<double(const MotionState& state)> value;
  /// Returns its reference at time t, empty if it is not known then; null if there is no reference.
  std::function<std::optional<double>(double t)> reference;
};

/// A mechanism ready to run.
struct Mechanism {
  std::shared_ptr<const MechanicalSystem> system;
  InitialState start;
  double t_end = 1.0;   ///< default length of a run [s]
  Gains gains;          ///< gains that belong to the problem statement (automatic if none)
  ExcessEnergy excess;  ///< stated by the problem; extended_lagrangian uses it instead of the gains
  /// The motion from the start as given, off the constraints, with formulation extended_lagrangian and `excess`. Where
  /// it is set, `run` and `compare` start formulations with gains there.
  std::function<std::optional<ReferenceState>(double t)> excess_reference;

  Start start_mode = Start::consistent;
  RankPolicy rank_policy = RankPolicy::minimum_norm;

  /// Reference at time t, empty if not known then: closed form for any t, or published values at some times. It is the
  /// motion from the consistent start. The function itself is null if there is no reference at all.
  std::function<std::optional<ReferenceState>(double t)> reference;
  std::string reference_source;

  std::vector<Observable>
      observables;  ///< compared in addition to q, v, lambda; their source is reference_source as well

  /// Times at which references are tabulated, ascending; empty if they are closed forms or there is none.
  std::vector<double> reference_times;
};

struct MechanismEntry {
  Mechanism (*make)(int size) = nullptr;
  int default_size = 0;        ///< default of --size N; 0: the mechanism has no size
  std::string_view name{};     ///< filled by the registry
  std::string_view summary{};  ///< filled by the registry

  bool sized() const { return default_size > 0; }
};

const Registry<MechanismEntry>& mechanism_registry();
const MechanismEntry& find_mechanism(std::string_view name);

}  // namespace sunlagrange::mechanisms
