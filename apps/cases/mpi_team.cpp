// SPDX-License-Identifier: BSD-3-Clause
#include "cases/mpi_team.hpp"

#ifdef SUNLAGRANGE_PROGRAM_WITH_MPI

#include <chrono>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <mpi.h>

#include "shared/interruption.hpp"
#include "shared/parallel.hpp"

namespace sunlagrange::program {
namespace {

constexpr int leader = 0;
constexpr int tag_result = 1, tag_end = 2;  // the message is a line, or the reason of a failure
constexpr auto pause = std::chrono::milliseconds(1);

/// One counter in the memory of the leader counts the cases (MPI_Fetch_and_op). Threads call MPI one at a time
/// (MPI_THREAD_SERIALIZED); the first thread of the leader runs no case, it receives the results.
class MpiTeam final : public Team {
 public:
  MpiTeam() {
    int level = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    if (level < MPI_THREAD_SERIALIZED) {
      MPI_Finalize();
      throw std::runtime_error(
          "this MPI supports one thread only (MPI_THREAD_SERIALIZED is needed); run without mpirun");
    }
  }
  MpiTeam(const MpiTeam&) = delete;
  MpiTeam& operator=(const MpiTeam&) = delete;
  ~MpiTeam() override { MPI_Finalize(); }

  bool leads() const override { return rank_ == leader; }
  int processes() const override { return size_; }

  void share(std::vector<std::uint64_t>& keys) override {
    std::int64_t count = static_cast<std::int64_t>(keys.size());
    broadcast(count);
    over_ = count < 0;  // negative: the leader has failed
    if (over_) return;
    keys.resize(static_cast<std::size_t>(count));
    MPI_Bcast(keys.data(), static_cast<int>(count), MPI_UINT64_T, leader, MPI_COMM_WORLD);
  }

  void run(std::size_t count, unsigned threads, const Job& job, const Receive& receive_result,
           const std::function<bool()>& go_on) override {
    if (over_) return;
    make_counter();
    std::exception_ptr failure;
    std::mutex receiving;
    const auto work = [&] {
      try {
        for (std::size_t k = next(); k < count && !interrupted() && go_on(); k = next()) {
          const std::string result = job(k);
          if (result.empty()) return;
          if (leads()) {
            const std::lock_guard<std::mutex> lock(receiving);
            receive_result(result);
          } else {
            send(result, tag_result);
          }
        }
      } catch (...) {
        const std::lock_guard<std::mutex> lock(receiving);
        failure = std::current_exception();
        end_counting();
      }
    };
    if (leads()) {
      std::thread others([&] { on_threads(threads, work); });
      try {
        receive(receiving, receive_result);
      } catch (...) {
        const std::lock_guard<std::mutex> lock(receiving);
        failure = std::current_exception();
      }
      others.join();
    } else {
      on_threads(threads, work);
      send(text_of(failure), tag_end);
    }
    free_counter();
    if (failure != nullptr) std::rethrow_exception(failure);
  }

  void leave(const std::string& why) override {
    if (over_ || counted_) return;  // the others are informed
    std::vector<std::uint64_t> none;
    if (!shared_ && leads()) {
      std::int64_t count = -1;
      broadcast(count);
      return;
    }
    if (!shared_) share(none);
    if (over_) return;
    make_counter();
    end_counting();
    send(why, tag_end);
    free_counter();
  }

 private:
  void broadcast(std::int64_t& count) {
    shared_ = true;
    MPI_Bcast(&count, 1, MPI_INT64_T, leader, MPI_COMM_WORLD);
  }

  void make_counter() {
    counted_ = true;
    const MPI_Aint bytes = leads() ? static_cast<MPI_Aint>(sizeof(std::int64_t)) : 0;
    MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory_, &counter_);
    MPI_Win_lock_all(0, counter_);
    if (leads()) *memory_ = 0;
    MPI_Win_sync(counter_);
    MPI_Barrier(MPI_COMM_WORLD);
  }

  void free_counter() {
    wait_for_all();
    MPI_Win_unlock_all(counter_);
    MPI_Win_free(&counter_);
  }

  std::int64_t count_on(std::int64_t by) {
    const std::lock_guard<std::mutex> lock(turn_);
    std::int64_t before = 0;
    MPI_Fetch_and_op(&by, &before, MPI_INT64_T, leader, 0, MPI_SUM, counter_);
    MPI_Win_flush(leader, counter_);
    return before;
  }
  std::size_t next() { return static_cast<std::size_t>(count_on(1)); }
  void end_counting() { count_on(std::int64_t{1} << 40U); }

  void send(const std::string& text, int tag) {
    const std::lock_guard<std::mutex> lock(turn_);
    MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, leader, tag, MPI_COMM_WORLD);
  }

  /// Receives the results of the others until all of them have ended. @throws std::runtime_error if one of them failed
  void receive(std::mutex& receiving, const Receive& receive_result) {
    std::string trouble;
    bool forwarded = false;
    for (int ended = 1; ended < size_;) {
      if (interrupted() && !forwarded) {
        end_counting();
        forwarded = true;
      }
      MPI_Status status;
      std::string text;
      if (!received(text, status)) {
        std::this_thread::sleep_for(pause);
        continue;
      }
      if (status.MPI_TAG == tag_end) {
        ++ended;
        if (!text.empty() && trouble.empty()) trouble = "process " + std::to_string(status.MPI_SOURCE) + ": " + text;
      } else if (trouble.empty()) {
        try {
          const std::lock_guard<std::mutex> lock(receiving);
          receive_result(text);
        } catch (const std::exception& error) {
          trouble = error.what();
          end_counting();
        }
      }
    }
    if (!trouble.empty()) throw std::runtime_error(trouble);
  }

  bool received(std::string& text, MPI_Status& status) {
    const std::lock_guard<std::mutex> lock(turn_);
    int there = 0, length = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
    if (there == 0) return false;
    MPI_Get_count(&status, MPI_CHAR, &length);
    text.resize(static_cast<std::size_t>(length));
    MPI_Recv(text.data(), length, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
    return true;
  }

  /// Waits without using a processor; the waiting calls of MPI poll all the time.
  void wait_for_all() {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (int done = 0;;) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done != 0) return;
      std::this_thread::sleep_for(pause);
    }
  }

  static std::string text_of(const std::exception_ptr& failure) {
    if (failure == nullptr) return "";
    try {
      std::rethrow_exception(failure);
    } catch (const std::exception& error) {
      return error.what();
    }
  }

  int rank_ = 0, size_ = 1;
  bool shared_ = false, counted_ = false, over_ = false;
  std::int64_t* memory_ = nullptr;
  MPI_Win counter_ = MPI_WIN_NULL;
  std::mutex turn_;
};

}  // namespace

std::unique_ptr<Team> mpi_team() {
  return std::make_unique<MpiTeam>();
}

}  // namespace sunlagrange::program

#else

namespace sunlagrange::program {

std::unique_ptr<Team> mpi_team() {
  return nullptr;
}

}  // namespace sunlagrange::program

#endif
