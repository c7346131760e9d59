#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// Who works on one list of cases: the threads of this process, or of all processes that mpirun has started.
namespace sunlagrange::program {

/// Members call share() and run() together, in this order. Only the leader knows files, and prints.
class Team {
 public:
  Team() = default;
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  virtual ~Team() = default;

  virtual bool leads() const { return true; }
  virtual int processes() const { return 1; }

  /// The leader's list reaches all.
  virtual void share(std::vector<std::uint64_t>&) {}

  using Job = std::function<std::string(std::size_t k)>;  ///< empty: it was interrupted
  using Take = std::function<void(const std::string& result)>;

  /// Hands out 0 ... count - 1 by one counter, each once, to `threads` threads of every process, and calls take at the
  /// leader for each result, in the order in which they come, one at a time. No more of them are handed out once go_on
  /// says no, or the program is interrupted. What a job or take throws, in any process, ends it all and is thrown at
  /// the leader.
  virtual void run(std::size_t count, unsigned threads, const Job& job, const Take& take,
                   const std::function<bool()>& go_on);

  /// Instead of share() and run(), or what is left of them: this member has failed.
  virtual void leave(const std::string& /*why*/) {}
};

/// Does the work with all processes of mpirun, else with this one. @return the exit code. What work throws, other
/// members learn of; it is thrown at the leader.
int as_team(const std::function<int(Team& team)>& work);

}  // namespace sunlagrange::program
