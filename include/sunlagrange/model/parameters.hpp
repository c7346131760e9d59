// SPDX-License-Identifier: BSD-3-Clause
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

/// The values that a parameter may have.
enum class Range {
  finite,        ///< any finite number
  positive,      ///< > 0 and finite
  not_negative,  ///< >= 0 and finite
};
constexpr auto names_of(Range) {
  return enum_names("finite", "positive and finite", "finite and not negative");
}

/// A value of a parameter that is no quantity, but stands for a choice.
struct SpecialValue {
  double value = 0.0;                ///< value of the parameter that selects the choice
  const char* stands_for = nullptr;  ///< null: the parameter has no such value
};

/// The description of one parameter of an element, a joint, an end or a law.
struct Parameter {
  const char* name = "";            ///< key of the parameter in model files
  std::string unit;                 ///< "1": a pure number; empty: the unit of the value of the law
  std::string meaning;              ///< half a line
  Range range = Range::finite;      ///< checked by Assembly::add
  const char* otherwise = nullptr;  ///< advice for a value out of range; ends the message
  SpecialValue special = {};        ///< `meaning` names it, too

  /// Returns what the value stands for; null: it is a quantity.
  const char* words_for(double v) const { return v == special.value ? special.stands_for : nullptr; }
};

/// Quantity that a law prescribes, whose unit the law has.
enum class Prescribed {
  nothing,
  coordinate,  ///< the first coordinate of the element
  rate,        ///< its rate
};

/// The description of a part of an element that is no number: an end, a law, a curve.
struct ParameterPart {
  const char* name = "";                        ///< key of the part in model files
  const char* type = "";                        ///< its type_name; empty: none, or a choice among several
  const char* meaning = "";                     ///< half a line
  const char* unit = "";                        ///< unit of the value of a law; empty: see `prescribed`, or unknown
  Prescribed prescribed = Prescribed::nothing;  ///< what a law prescribes
};

/// Visitor of the parameters of an element. An element describes its parameters once, in its member
/// `describe_parameters(Parameters& p)`; the checks of Assembly::add, lists, the schema of model files, reading and
/// writing them follow from it. The default of a parameter is the value in a default-constructed element.
///
///     void describe_parameters(Parameters& p) {
///       p.not_negative("m", m, "kg", "mass");
///       p.positive("L", L, "m", "length", "let the two parts share one point instead");
///       p.part("law", law, "force as a function of time", "N");
///     }
///
/// The member is not `const`, because a visitor may change values. An end, a law or a curve that is part of an element
/// also has `static constexpr const char* type_name`, by which files choose it.
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

  /// @param values  a double, a std::array of them, or a std::vector of any length
  template <class Values>
  void finite(const char* name, Values& values, std::string unit, std::string meaning) {
    visit({name, std::move(unit), std::move(meaning), Range::finite, nullptr, {}}, values);
  }
  /// The same for a number of which one value stands for a choice.
  void finite(const char* name, double& value, std::string unit, std::string meaning, const SpecialValue& special);
  /// The same for values > 0. @param otherwise  advice that ends the message, see Parameter
  template <class Values>
  void positive(const char* name, Values& values, std::string unit, std::string meaning,
                const char* otherwise = nullptr) {
    visit({name, std::move(unit), std::move(meaning), Range::positive, otherwise, {}}, values);
  }
  /// The same for values >= 0.
  template <class Values>
  void not_negative(const char* name, Values& values, std::string unit, std::string meaning,
                    const char* otherwise = nullptr) {
    visit({name, std::move(unit), std::move(meaning), Range::not_negative, otherwise, {}}, values);
  }

  /// Visits a member that is no number: an end, a law, a curve. Messages begin with its name: "end.sx = nan". A member
  /// without a description, such as a lambda, is a function: it is neither checked nor written to files.
  /// @param unit  of the value of a law, see ParameterPart
  template <class Part>
  void part(const char* name, Part& field, const char* meaning, const char* unit = "") {
    visit_part({name, type_name<Part>(), meaning, unit, Prescribed::nothing}, field);
  }
  /// The same for a law that prescribes something.
  template <class Part>
  void part(const char* name, Part& field, const char* meaning, Prescribed prescribed) {
    visit_part({name, type_name<Part>(), meaning, "", prescribed}, field);
  }

  /// True if a type has a member describe_parameters.
  template <class Part>
  static constexpr bool describes = Described<Part>::value;

  /// Visits a relation between parameters, and the message if it does not hold.
  virtual void require(bool /*good*/, const std::string& /*complaint*/) {}

  /// States a time at which the value of a law, or of a model, is not smooth: steps end there (not_smooth.hpp).
  virtual void not_smooth_at(double /*time*/) {}

  /// Visits a choice among several laws (OneOf). @return  number of the law to be chosen
  virtual std::size_t choose(const std::vector<const char*>& /*types*/, std::size_t current) { return current; }

  /// Visits an Input (laws.hpp). Its last argument is the place that it reads its value from; null: `start`.
  virtual void input(double /*start*/, std::shared_ptr<const double>& /*now*/) {}

 protected:
  /// Visits one number, in the unit that `about` states.
  virtual void number(const Parameter& about, double& value) = 0;
  /// Visits a list of fixed length. Default: visits its numbers, called name[0], ...
  virtual void numbers(const Parameter& about, double* values, std::size_t count);
  /// Visits a list of any length.
  virtual void table(const Parameter& about, std::vector<double>& values) {
    numbers(about, values.data(), values.size());
  }
  /// Before the parameters of a part. If it is a choice among types (OneOf), choose() follows.
  virtual void enter(const ParameterPart& /*about*/) {}
  /// After the parameters of a part.
  virtual void leave() {}
  /// Visits a part without a description, such as a lambda.
  virtual void function(const ParameterPart& /*about*/) {}

 private:
  void visit(const Parameter& about, double& value) { number(about, value); }
  template <std::size_t K>
  void visit(const Parameter& about, std::array<double, K>& values) {
    numbers(about, values.data(), K);
  }
  void visit(const Parameter& about, std::vector<double>& values) { table(about, values); }

  template <class Part>
  void visit_part(const ParameterPart& about, Part& field) {
    if constexpr (Chosen<Part>::value || Named<Part>::value || Described<Part>::value) {
      enter(about);
      if constexpr (Chosen<Part>::value)
        field.choose(*this);
      else if constexpr (Described<Part>::value)
        field.describe_parameters(*this);
      leave();
    } else {
      function(about);
    }
  }

  template <class Part>
  static constexpr const char* type_name() {
    if constexpr (Named<Part>::value && !Chosen<Part>::value)
      return Part::type_name;
    else
      return "";
  }
};

namespace internal {

/// Visitor that checks the parameters of an element; Assembly::add and make_system throw its messages.
class ParameterCheck final : public Parameters {
 public:
  /// Returns all messages, one a line; empty if there are none.
  const std::string& complaints() const { return complaints_; }
  void require(bool good, const std::string& complaint) override;

  /// Gives inputs an ordinary value until release(), so that entries which vanish only at their start values are found.
  void input(double start, std::shared_ptr<const double>& now) override;
  void release();

 protected:
  void number(const Parameter& about, double& value) override;
  void enter(const ParameterPart& about) override;
  void leave() override;

 private:
  std::string complaints_, prefix_;
  std::vector<std::shared_ptr<const double>*> inputs_;
};

/// Visitor that gives every input of the elements a place for its value.
class InputBinder final : public Parameters {
 public:
  /// Announces the element that describes itself next.
  void begin(const std::string& element) { path_.assign(1, element); }

  void input(double start, std::shared_ptr<const double>& now) override;

  /// Returns the names: "motor", and "motor.x" for parts of its law.
  const std::vector<std::string>& names() const { return names_; }
  /// Returns the places, in the order of the names.
  const std::shared_ptr<std::deque<double>>& values() const { return values_; }

 protected:
  void number(const Parameter&, double&) override {}
  void numbers(const Parameter&, double*, std::size_t) override {}
  void enter(const ParameterPart& about) override { path_.emplace_back(about.name); }
  void leave() override { path_.pop_back(); }

 private:
  std::vector<std::string> path_{""}, names_;
  std::shared_ptr<std::deque<double>> values_ = std::make_shared<std::deque<double>>();
};

}  // namespace internal

}  // namespace sunlagrange
