// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/internal/index_check.hpp>

#include <cstring>
#include <functional>
#include <random>

namespace sunlagrange::internal {
namespace {

struct OutOfRange {
  const Checked* data;
  int i, j;
};

// An index out of range is recorded, not thrown, for the member may be noexcept.
thread_local std::vector<OutOfRange> recorded;

/// Number of guard entries before and behind an argument of a member that is written for double only.
constexpr std::size_t guards = 16;

/// Arguments with guard entries before and after.
template <class T>
class Arguments {
 public:
  Arguments(const std::vector<IndexCheck::Argument>& arguments, double guard) {
    std::minstd_rand random(12345U);
    std::uniform_real_distribution<double> uniform(0.1, 1.0);
    for (const IndexCheck::Argument& a : arguments) {
      const auto count = static_cast<std::size_t>(a.rows) * static_cast<std::size_t>(a.columns > 0 ? a.columns : 1);
      std::vector<T>& x = arrays_.emplace_back(count + 2 * guards, T(guard));
      for (std::size_t k = 0; k < count; ++k) x[guards + k] = a.output ? T(0.0) : T(uniform(random));
    }
    for (std::vector<T>& x : arrays_) first_.push_back(x.data() + guards);
  }

  T* const* first() const { return first_.data(); }
  std::vector<T>& array(std::size_t k) { return arrays_[k]; }
  const std::vector<T>& array(std::size_t k) const { return arrays_[k]; }

 private:
  std::vector<std::vector<T>> arrays_;
  std::vector<T*> first_;
};

template <class T>
void call(IndexCheck::Call<T> member, const void* element, const Arguments<T>& arguments, const IndexCheck& sizes) {
  try {
    member(element, arguments.first(), sizes);
  } catch (...) {  // outside its domain
  }
}

/// Compares bit by bit, without the guards.
bool same(const std::vector<double>& x, const std::vector<double>& y) {
  return std::memcmp(x.data() + guards, y.data() + guards, (x.size() - 2 * guards) * sizeof(double)) == 0;
}

}  // namespace

Checked& no_entry(const Checked* data, int i, int j, int, int) {
  recorded.push_back({data, i, j});
  thread_local Checked nowhere;
  nowhere = Checked(0.5);
  return nowhere;
}

void IndexCheck::complain(const char* member, const Argument& a, int i, int j) {
  const auto number = [](int x) { return std::to_string(x); };
  const std::string entry = j < 0 ? std::string(a.name) + "[" + number(i) + "]"
                                  : std::string(a.name) + "(" + number(i) + ", " + number(j) + ")";
  const std::string size = a.columns > 0 ? "is " + number(a.rows) + " x " + number(a.columns)
                                         : "has " + number(a.rows) + (a.rows == 1 ? " entry" : " entries");
  const std::string line = std::string(member) + (a.output ? " writes " : " reads ") + entry + ", but " + a.name + " " +
                           size + ", counted from 0";
  if (messages_.find(line) == std::string::npos) messages_ += (messages_.empty() ? "" : "\n") + line;
}

void IndexCheck::run(const char* member, const std::vector<Argument>& arguments, Call<Checked> member_call) {
  Arguments<Checked> x(arguments, 0.5);
  recorded.clear();
  call(member_call, element_, x, *this);
  for (const OutOfRange& index : recorded) {
    for (std::size_t k = 0; k < arguments.size(); ++k) {  // the view may be shorter than the argument
      const std::vector<Checked>& own = x.array(k);
      const std::less<> before;
      if (before(index.data, own.data()) || before(own.data() + own.size(), index.data)) continue;
      const int offset = index.j < 0 ? static_cast<int>(index.data - x.first()[k]) : 0;
      complain(member, arguments[k], index.i + offset, index.j);
      break;
    }
  }
  recorded.clear();
}

void IndexCheck::run(const char* member, const std::vector<Argument>& arguments, Call<double> member_call) {
  constexpr double guard = 0.5, other = 0.25;
  Arguments<double> x(arguments, guard);
  call(member_call, element_, x, *this);
  const auto entry = [](std::size_t place) { return static_cast<int>(place) - static_cast<int>(guards); };
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const std::vector<double>& after = x.array(k);
    for (std::size_t place = 0; place < after.size(); ++place) {
      const bool inside = place >= guards && place < after.size() - guards;
      if (!inside && after[place] != guard) return complain(member, arguments[k], entry(place), -1);
    }
  }
  const auto results_differ = [&](const Arguments<double>& y) {
    call(member_call, element_, y, *this);
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      if (arguments[k].output && !same(x.array(k), y.array(k))) return true;
    }
    return false;
  };
  // A result that depends on guard entries has read out of range, unless it differs from call to call anyway.
  if (!results_differ(Arguments<double>(arguments, other)) || results_differ(Arguments<double>(arguments, guard)))
    return;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (arguments[k].output) continue;
    for (std::size_t place = 0; place < x.array(k).size(); ++place) {
      if (place >= guards && place < x.array(k).size() - guards) continue;
      Arguments<double> y(arguments, guard);
      y.array(k)[place] = other;
      if (results_differ(y)) return complain(member, arguments[k], entry(place), -1);
    }
  }
}

}  // namespace sunlagrange::internal
