// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/checks/check.hpp"

#include <stdexcept>

namespace sunlagrange::internal {
namespace {

/// Copies the state of a check into a map of vectors, or back. A value that the map does not have, or that has another
/// length there, is left as it is.
class StateFigures final : public Figures {
 public:
  enum class Direction { save, restore };

  StateFigures(CheckState& state, Direction direction) : state_(state), direction_(direction) {}

 private:
  bool sets_values() const override { return direction_ == Direction::restore; }

  void numbers(const Figure& figure, Eigen::VectorXd& values) override {
    if (!sets_values()) {
      if (values.size() > 0) state_[figure.name] = values;
      return;
    }
    const auto known = state_.find(figure.name);
    if (known == state_.end() || (values.size() > 0 && known->second.size() != values.size())) return;
    values = known->second;
  }
  void number(const Figure& figure, double& value) override {
    Eigen::VectorXd one = Eigen::VectorXd::Constant(1, value);
    numbers(figure, one);
    value = one[0];
  }
  void flag(const Figure& figure, bool& value) override {
    double as_number = value ? 1.0 : 0.0;
    number(figure, as_number);
    value = as_number != 0.0;
  }

  [[noreturn]] static void refuse(const Figure& figure) {
    throw std::logic_error(std::string("state of a check: \"") + figure.name +
                           "\" must be a number, a flag or a vector");
  }
  void integer(const Figure& figure, long&) override { refuse(figure); }
  void text(const Figure& figure, std::string&) override { refuse(figure); }
  void word(const Figure& figure, const char* const*, std::size_t, std::size_t&) override { refuse(figure); }
  void complex_number(const Figure& figure, std::complex<double>&) override { refuse(figure); }
  void complex_numbers(const Figure& figure, Eigen::VectorXcd&) override { refuse(figure); }
  void matrix(const Figure& figure, Eigen::MatrixXd&) override { refuse(figure); }
  bool begin(const Figure& figure) override { refuse(figure); }
  void end(const Figure&) override {}
  std::size_t begin_list(const Figure& figure, std::size_t) override { refuse(figure); }
  void end_list(const Figure&) override {}
  bool optional(const Figure& figure, bool) override { refuse(figure); }

  CheckState& state_;
  Direction direction_;
};

}  // namespace

std::map<std::string, CheckState> CheckList::save() const {
  std::map<std::string, CheckState> states;
  for (const Entry& entry : checks_) {
    CheckState state;
    StateFigures visitor(state, StateFigures::Direction::save);
    entry.check->describe(visitor);
    if (!state.empty()) states.emplace(entry.name, std::move(state));
  }
  return states;
}

void CheckList::restore(std::map<std::string, CheckState> states) const {
  for (const Entry& entry : checks_) {
    StateFigures visitor(states[entry.name], StateFigures::Direction::restore);
    entry.check->describe(visitor);
  }
}

CheckList make_checks(ObservedRun& run) {
  CheckList list;
#define CHECK(name, summary)                                                          \
  extern std::unique_ptr<Check> make_##name(ObservedRun& run, const CheckList& list); \
  list.add(#name, make_##name(run, list));
#include "simulation/checks/checks.inc"
#undef CHECK
  return list;
}

}  // namespace sunlagrange::internal
