// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <klu.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace sunlagrange::hand_written {

/// KLU as a hand-written program uses it: pattern once, then refactor and solve without looking back.
class KluProgram {
 public:
  KluProgram() = default;
  KluProgram(const KluProgram&) = delete;
  KluProgram& operator=(const KluProgram&) = delete;
  ~KluProgram() {
    klu_free_numeric(&numeric_, &common_);
    klu_free_symbolic(&symbolic_, &common_);
  }

  /// Entries are (row, column), each once.
  void set_pattern(int size, std::vector<std::pair<int, int>> entries) {
    size_ = size;
    std::sort(entries.begin(), entries.end(), by_column);
    start_.assign(static_cast<std::size_t>(size) + 1, 0);
    for (const auto& [i, j] : entries) {
      ++start_[static_cast<std::size_t>(j) + 1];
      row_.push_back(i);
    }
    for (std::size_t j = 0; j < static_cast<std::size_t>(size); ++j) start_[j + 1] += start_[j];
    value.assign(row_.size(), 0.0);
    klu_defaults(&common_);
    common_.scale = -1;
    common_.btf = 0;
    symbolic_ = klu_analyze(size, start_.data(), row_.data(), &common_);
  }

  std::size_t slot(int row, int column) const {
    const auto first = row_.begin() + start_[static_cast<std::size_t>(column)];
    const auto last = row_.begin() + start_[static_cast<std::size_t>(column) + 1];
    return static_cast<std::size_t>(std::lower_bound(first, last, row) - row_.begin());
  }

  void solve(double* x) {
    if (numeric_ == nullptr)
      numeric_ = klu_factor(start_.data(), row_.data(), value.data(), symbolic_, &common_);
    else
      klu_refactor(start_.data(), row_.data(), value.data(), symbolic_, numeric_, &common_);
    if (numeric_ == nullptr || klu_solve(symbolic_, numeric_, size_, 1, x, &common_) == 0) {
      std::fprintf(stderr, "hand-written program: KLU failed, status %d\n", common_.status);
      std::abort();
    }
  }

  std::vector<double> value;

 private:
  static bool by_column(const std::pair<int, int>& a, const std::pair<int, int>& b) {
    return a.second != b.second ? a.second < b.second : a.first < b.first;
  }

  int size_ = 0;
  std::vector<int> start_, row_;
  klu_common common_{};
  klu_symbolic* symbolic_ = nullptr;
  klu_numeric* numeric_ = nullptr;
};

}  // namespace sunlagrange::hand_written
