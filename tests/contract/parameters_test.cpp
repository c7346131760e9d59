// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <sunlagrange/model/parameter_list.hpp>
#include <sunlagrange/simulation/catalogue.hpp>
#include <sunlagrange/sunlagrange.hpp>

#include "registered_elements.hpp"

/// One description of the elements: every element of the catalogue says its parameters, and what it says is checked.
using namespace sunlagrange;

namespace {

/// Sets the k-th number that is described to a value.
class SetNumber : public Parameters {
 public:
  SetNumber(int which, double value) : which_(which), value_(value) {}
  int count() const { return count_; }
  const std::string& name() const { return name_; }
  Range range() const { return range_; }

 protected:
  void number(const Parameter& about, double& value) override {
    if (count_++ != which_) return;
    value = value_;
    name_ = about.name;
    range_ = about.range;
  }

 private:
  int which_;
  double value_;
  int count_ = 0;
  std::string name_;
  Range range_ = Range::finite;
};

template <class E>
std::string complaints_of(E element) {
  internal::ParameterCheck check;
  element.describe_parameters(check);
  return check.complaints();
}

/// Joint frames refuse directions that are none as soon as they are set.
template <class E>
std::string complaints_with(E element, SetNumber& set) {
  try {
    element.describe_parameters(set);
  } catch (const Error& error) {
    return error.what();
  }
  return complaints_of(element);
}

void check_texts(const std::string& element, const std::vector<ParameterInfo>& parameters, bool of_a_law) {
  for (const ParameterInfo& p : parameters) {
    BOOST_TEST_CONTEXT(element << "." << p.name) {
      BOOST_TEST(!p.meaning.empty());
      if (!p.part) BOOST_TEST((of_a_law || !p.unit.empty()));
      if (p.part) BOOST_TEST((!p.type.empty() || !p.choices.empty()));
      check_texts(element + "." + p.name, p.parts, true);
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_element_describes_parameters_whose_defaults_are_in_range) {
  test::for_each_registered([](auto registered) {
    using E = typename decltype(registered)::type;
    BOOST_TEST_CONTEXT(registered.name) {
      BOOST_TEST(Parameters::describes<E>);
      BOOST_TEST(complaints_of(E{}) == "");
      BOOST_TEST(!internal::parameters_of(E{}).empty());
    }
  });
}

BOOST_AUTO_TEST_CASE(every_number_out_of_its_range_is_refused_by_name) {
  test::for_each_registered([](auto registered) {
    using E = typename decltype(registered)::type;
    SetNumber none(-1, 0.0);
    E{}.describe_parameters(none);
    for (int k = 0; k < none.count(); ++k) {
      for (const double wrong : {std::numeric_limits<double>::quiet_NaN(), -2.0}) {
        SetNumber set(k, wrong);
        const std::string complaints = complaints_with(E{}, set);
        if (wrong == -2.0 && set.range() == Range::finite) continue;
        BOOST_TEST_CONTEXT(registered.name << ", " << set.name() << " = " << wrong << ": " << complaints) {
          BOOST_TEST(complaints.find(set.name().substr(0, set.name().find('['))) != std::string::npos);
        }
      }
    }
  });
}

BOOST_AUTO_TEST_CASE(the_catalogue_says_name_unit_and_meaning_of_every_parameter) {
  for (const ElementInfo& element : elements()) check_texts(std::string(element.name), element.parameters, false);
  const ElementInfo spring = element("LinearSpring<>");
  BOOST_TEST(text(spring.parameters.front()) == "k = 1 N/m: stiffness");
  BOOST_TEST(text(element("Distance").parameters.front()) == "L = 1 m: length, positive");
}

BOOST_AUTO_TEST_CASE(a_law_has_the_unit_that_its_element_states_or_that_of_what_it_prescribes) {
  Assembly assembly;
  const Block angle = assembly.add_coordinates("angle", BlockKind::rotation);
  const Block travel = assembly.add_coordinates("travel", BlockKind::translation);
  assembly.add("wheel", Flywheel{1.0}, {angle});
  assembly.add("slider", SlidingMass{1.0}, {travel});
  assembly.add("turn", PrescribedCoordinate{Polynomial{{0.0, 0.0, 0.5}}}, {angle});
  assembly.add("slide", PrescribedRate{Uniform{0.0, 1.0}}, {travel});
  assembly.add("motor", AppliedTorque{OneOf<Constant, Uniform>{Uniform{}}}, {angle});
  std::map<std::string, std::string> units;
  for (const SystemParameter& p : system_parameters(*assembly.build())) units[p.name] = p.unit;
  BOOST_TEST(units.at("turn.law.c[0]") == "rad");
  BOOST_TEST(units.at("turn.law.c[1]") == "rad/s");
  BOOST_TEST(units.at("turn.law.c[2]") == "rad/s^2");
  BOOST_TEST(units.at("slide.law.start") == "m/s");
  BOOST_TEST(units.at("slide.law.rate") == "m/s^2");
  BOOST_TEST(units.at("motor.law.start") == "N m");
  BOOST_TEST(units.at("motor.law.rate") == "N m/s");
}

BOOST_AUTO_TEST_CASE(a_complaint_names_element_part_field_and_value) {
  Assembly assembly;
  const Block arm = assembly.add_coordinates("arm", BlockKind::planar_body);
  const auto add = [&] {
    assembly.add("spring", LinearSpring{1.0, -1.0, OnBody{std::nan(""), 0.0}, OnGround{}}, {arm});
  };
  BOOST_CHECK_EXCEPTION(add(), Error, [](const Error& error) {
    const std::string text = error.what();
    return text.find("spring") != std::string::npos && text.find("a.sx = nan: must be finite") != std::string::npos &&
           text.find("l0 = -1: must be finite and not negative") != std::string::npos;
  });
}

namespace {

/// What an end describes, set in a fresh one.
template <class End>
class Copy : public Parameters {
 public:
  explicit Copy(const std::vector<std::vector<double>>& values) : values_(values) {}

 protected:
  void number(const Parameter&, double&) override {}
  void numbers(const Parameter&, double* values, std::size_t count) override {
    for (std::size_t k = 0; k < count; ++k) values[k] = values_[next_][k];
    ++next_;
  }

 private:
  const std::vector<std::vector<double>>& values_;
  std::size_t next_ = 0;
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_joint_frame_is_bit_for_bit_what_it_describes) {
  for (int k = 0; k < 200; ++k) {
    const Eigen::Vector3d point = Eigen::Vector3d::Random(), axis = Eigen::Vector3d::Random(),
                          x = Eigen::Vector3d::Random();
    SpatialPose pose;
    pose.e = Eigen::Vector4d::Random().normalized();
    const BodyEnd end = k % 2 == 0 ? BodyEnd::at(pose, point, axis) : BodyEnd(point, axis, x);
    std::vector<std::vector<double>> values;
    for (const ParameterInfo& p : internal::parameters_of(end)) values.push_back(p.value);
    BodyEnd same;
    Copy<BodyEnd> copy(values);
    same.describe_parameters(copy);
    BOOST_TEST((same.fixed_point() == end.fixed_point()));
    for (int i = 0; i < 3; ++i) BOOST_TEST((same.fixed_axis(i) == end.fixed_axis(i)));
  }
}

BOOST_AUTO_TEST_CASE(a_frame_without_x_has_one_chosen) {
  const std::vector<std::vector<double>> values = {{0.0, 0.0, 0.0}, {2.0, 0.0, 0.0}, {1.0, 0.0, 0.0}};
  BodyEnd end;
  Copy<BodyEnd> copy(values);
  end.describe_parameters(copy);
  BOOST_TEST(end.fixed_axis(2)[0] == 1.0);
  BOOST_TEST(std::abs(end.fixed_axis(0)[0]) < 1e-15);
}
