#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <sunlagrange/base/enum_names.hpp>

namespace sunlagrange {

/// What a parameter may be.
enum class Range {
  finite,        ///< any finite number
  positive,      ///< > 0 and finite
  not_negative,  ///< >= 0 and finite
};
constexpr auto names_of(Range) {
  return enum_names("finite", "positive and finite", "finite and not negative");
}

/// One parameter of an element, a joint, an end or a law, as its description says it.
struct Parameter {
  const char* name = "";
  std::string unit;     ///< "1": a pure number; empty: that of what the law gives
  std::string meaning;  ///< half a line
  Range range = Range::finite;
  const char* otherwise = nullptr;  ///< what to do instead of a value out of range, ends the complaint
};

/// Visits the parameters of an element in the one place where they are described, its member
/// `describe_parameters(Parameters& p)`. What is known of them comes from there: the checks of Assembly::add, lists,
/// the schema of model files, reading and writing them (the default is what a fresh element holds):
///
///     void describe_parameters(Parameters& p) {
///       p.not_negative("m", m, "kg", "mass");
///       p.positive("L", L, "m", "length", "let the two parts share one point instead");
///       p.part("law", law, "force as a function of time [N]");
///     }
///
/// A visitor may change values, hence no `const`. An end, a law or a curve that is a part of elements has besides
/// `static constexpr const char* type_name`, by which files choose it.
class Parameters {
  template <class Part, class = void>
  struct Described : std::false_type {};
  template <class Part>
  struct Described<Part, std::void_t<decltype(std::declval<Part&>().describe_parameters(std::declval<Parameters&>()))>>
      : std::true_type {};
  template <class Part, class = void>
  struct Named : std::false_type {};
  template <class Part>
  struct Named<Part, std::void_t<decltype(Part::type_name)>> : std::true_type {};
  template <class Part, class = void>
  struct Chosen : std::false_type {};
  template <class Part>
  struct Chosen<Part, std::void_t<decltype(std::declval<Part&>().choose(std::declval<Parameters&>()))>>
      : std::true_type {};

 public:
  virtual ~Parameters() = default;

  /// `values`: a double, a std::array of them, or a std::vector, which may be of any length.
  template <class Values>
  void finite(const char* name, Values& values, std::string unit, std::string meaning) {
    visit({name, std::move(unit), std::move(meaning), Range::finite, nullptr}, values);
  }
  template <class Values>
  void positive(const char* name, Values& values, std::string unit, std::string meaning,
                const char* otherwise = nullptr) {
    visit({name, std::move(unit), std::move(meaning), Range::positive, otherwise}, values);
  }
  template <class Values>
  void not_negative(const char* name, Values& values, std::string unit, std::string meaning,
                    const char* otherwise = nullptr) {
    visit({name, std::move(unit), std::move(meaning), Range::not_negative, otherwise}, values);
  }

  /// What a field describes that is no number: an end, a law, a curve. Complaints begin with its name: "end.sx = nan".
  /// One that describes nothing, such as a lambda, is a function: nobody checks it, no file holds it.
  template <class Part>
  void part(const char* name, Part& field, const char* meaning) {
    if constexpr (Chosen<Part>::value) {
      enter_choice(name, meaning);
      field.choose(*this);
    } else if constexpr (Named<Part>::value || Described<Part>::value) {
      enter(name, type_name<Part>(), meaning);
      if constexpr (Described<Part>::value) field.describe_parameters(*this);
    } else {
      function(name, meaning);
      return;
    }
    leave();
  }

  /// Does a type describe its parameters?
  template <class Part>
  static constexpr bool describes = Described<Part>::value;

  /// A relation between parameters, and the complaint if it does not hold.
  virtual void require(bool /*good*/, const std::string& /*complaint*/) {}

  /// Which of several laws a field holds (OneOf). @return the one it shall hold
  virtual std::size_t choose(const std::vector<const char*>& /*types*/, std::size_t current) { return current; }

  /// A value that is set from outside while a run goes on (Input, laws.hpp): what it starts with, and where it is read
  /// from; null: nobody sets it.
  virtual void input(double /*start*/, std::shared_ptr<const double>& /*now*/) {}

 protected:
  virtual void number(const Parameter& about, double& value) = 0;
  /// A list of fixed length; unless overridden its numbers, called name[0], ...
  virtual void numbers(const Parameter& about, double* values, std::size_t count);
  /// A list of any length.
  virtual void table(const Parameter& about, std::vector<double>& values) {
    numbers(about, values.data(), values.size());
  }
  virtual void enter(const char* /*name*/, const char* /*type*/, const char* /*meaning*/) {}
  virtual void enter_choice(const char* name, const char* meaning) { enter(name, "", meaning); }
  virtual void leave() {}
  virtual void function(const char* /*name*/, const char* /*meaning*/) {}

 private:
  void visit(const Parameter& about, double& value) { number(about, value); }
  template <std::size_t K>
  void visit(const Parameter& about, std::array<double, K>& values) {
    numbers(about, values.data(), K);
  }
  void visit(const Parameter& about, std::vector<double>& values) { table(about, values); }

  template <class Part>
  static constexpr const char* type_name() {
    if constexpr (Named<Part>::value)
      return Part::type_name;
    else
      return "";
  }
};

namespace internal {

/// What is wrong with the parameters of an element: Assembly::add and make_system throw it.
class ParameterCheck final : public Parameters {
 public:
  /// All complaints, one a line; empty if there are none.
  const std::string& complaints() const { return complaints_; }
  void require(bool good, const std::string& complaint) override;

  /// Inputs have a value like any other until release(): entries that vanish only at their start values are seen.
  void input(double start, std::shared_ptr<const double>& now) override;
  void release();

 protected:
  void number(const Parameter& about, double& value) override;
  void enter(const char* name, const char* type, const char* meaning) override;
  void leave() override;

 private:
  std::string complaints_, prefix_;
  std::vector<std::shared_ptr<const double>*> inputs_;
};

/// Gives every input of the elements that describe themselves to it a place of its own.
class InputBinder final : public Parameters {
 public:
  /// What describes itself next.
  void begin(const std::string& element) { path_.assign(1, element); }

  void input(double start, std::shared_ptr<const double>& now) override;

  /// "motor", and of parts inside its law "motor.x".
  const std::vector<std::string>& names() const { return names_; }
  /// In the same order.
  const std::shared_ptr<std::deque<double>>& values() const { return values_; }

 protected:
  void number(const Parameter&, double&) override {}
  void numbers(const Parameter&, double*, std::size_t) override {}
  void enter(const char* name, const char*, const char*) override { path_.emplace_back(name); }
  void leave() override { path_.pop_back(); }

 private:
  std::vector<std::string> path_{""}, names_;
  std::shared_ptr<std::deque<double>> values_ = std::make_shared<std::deque<double>>();
};

}  // namespace internal

}  // namespace sunlagrange
