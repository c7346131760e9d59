// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/study/write_html.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>

#include <nlohmann/json.hpp>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/simulation/simulate.hpp>

#include "base/json.hpp"
#include "base/words.hpp"
#include "model/coordinate_unit.hpp"
#include "page/analysis_page.hpp"
#include "page/forces.hpp"
#include "study/observed.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

using Line = nlohmann::ordered_json;

constexpr std::size_t most_curves_of_cases = 24, most_coordinates = 8, most_joints = 6, points_of_curve = 300;
constexpr double visible = 0.002;  ///< of the height of a chart, about one pixel

/// The force of a joint along the motion of a case.
struct ForceOfJoint {
  std::string joint;
  Peak largest = {};
  std::vector<double> size = {};  ///< sizes at the times of the case [N]
};

/// One case with its motion.
struct Case {
  Line line;
  std::string label;  ///< values of what is varied
  std::shared_ptr<const MechanicalSystem> system = {};
  Trajectory path = {};
  Peak force = {}, power = {};
  std::string joint = {}, drive = {};
  std::vector<double> times = {};  ///< times of the forces
  std::vector<ForceOfJoint> forces = {};
  std::vector<double> least = {}, largest = {};  ///< extremes of each coordinate
};

std::string word(const Line& value) {
  return value.is_string() ? value.get<std::string>() : value.is_number() ? text(value.get<double>()) : value.dump();
}

void run(Case& one, const Study& study, const std::function<bool(double t)>& keep_going) {
  MechanismFile mechanism = study.mechanism(one.line.at("case").get<std::uint64_t>());
  mechanism.options.record = Record::every_step;
  mechanism.options.keep_going = keep_going;
  const Simulation run = simulate(mechanism.system, mechanism.start, mechanism.options);
  if (run.status.outcome == Outcome::interrupted || run.trajectory.empty()) return;
  one.system = mechanism.system;
  for (const JointCurves& joint : joint_curves(run, one.system, one.times)) {
    if (joint.force.value > one.force.value) {
      one.force = joint.force;
      one.joint = joint.joint;
    }
    if (!one.forces.empty() && one.forces.back().joint == joint.joint) continue;  // the reaction on its other body
    ForceOfJoint force{joint.joint, joint.force};
    for (std::size_t k = 0; k < one.times.size(); ++k)
      force.size.push_back(std::hypot(joint.numbers[0][k], joint.numbers[1][k], joint.numbers[2][k]));
    one.forces.push_back(std::move(force));
  }
  std::vector<double> times;
  for (const Drive& drive : drives_of(run, one.system, times)) {
    if (!(drive.largest_power.value > one.power.value)) continue;
    one.power = drive.largest_power;
    one.drive = drive.name;
  }
  for (int i = 0; i < one.system->num_positions(); ++i) {
    double least = HUGE_VAL, largest = -HUGE_VAL;
    for (std::size_t k = 0; k < run.trajectory.size(); ++k) {
      least = std::min(least, run.trajectory.q(k)[i]);
      largest = std::max(largest, run.trajectory.q(k)[i]);
    }
    one.least.push_back(least);
    one.largest.push_back(largest);
  }
  one.path = run.trajectory;
}

/// Returns the coordinates that move most in natural scales, in their order; Euler parameters are left out.
std::vector<int> moving(const std::vector<Case>& cases, const MechanicalSystem& system) {
  std::vector<std::pair<double, int>> moves;
  for (int i = 0; i < system.num_positions(); ++i) {
    if (coordinate_unit(system, i) == "1") continue;
    double most = 0.0;
    for (const Case& one : cases) {
      const auto k = static_cast<std::size_t>(i);
      if (one.system) most = std::max(most, (one.largest[k] - one.least[k]) / system.natural_scales()[i]);
    }
    if (most > 0.0) moves.emplace_back(most, i);
  }
  std::stable_sort(moves.begin(), moves.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<int> chosen;
  for (std::size_t k = 0; k < std::min(moves.size(), most_coordinates); ++k) chosen.push_back(moves[k].second);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

/// Returns true if the curves of all cases are one line in a chart.
bool coincide(const std::vector<Series>& curves) {
  double low = HUGE_VAL, high = -HUGE_VAL, apart = 0.0;
  for (const Series& curve : curves) {
    for (std::size_t k = 0; k < curve.y.size(); ++k) {
      const double a = curve.y[k], b = curves.front().y[k];
      if (std::isnan(a) != std::isnan(b)) return false;
      low = std::fmin(low, a);
      high = std::fmax(high, a);
      apart = std::fmax(apart, std::abs(a - b));
    }
  }
  return apart <= visible * (high - low);
}

/// Returns a chart with a curve for each case, or with one for all of them if they coincide.
std::string chart_of_cases(const std::string& title, const std::vector<double>& t, std::vector<Series> curves) {
  if (curves.size() > 1 && coincide(curves)) {
    curves.resize(1);
    curves.front().name = "all cases";
  }
  return chart_json(title, "t [s]", t, curves, curves.size());
}

/// Returns one coordinate of each case.
std::vector<Series> curves_of(const std::vector<Case>& cases, int i, const std::vector<double>& t) {
  std::vector<Series> curves;
  for (const Case& one : cases) {
    if (!one.system) continue;
    Series curve{one.label, "", {}};
    for (const double time : t) {
      const bool inside = time >= one.path.t(0) && time <= one.path.t(one.path.size() - 1);
      curve.y.push_back(inside ? one.path.position_at(time)[i] : unknown_value);
    }
    curves.push_back(std::move(curve));
  }
  return curves;
}

const ForceOfJoint* force_of(const Case& one, const std::string& joint) {
  for (const ForceOfJoint& force : one.forces) {
    if (force.joint == joint) return &force;
  }
  return nullptr;
}

/// Returns the joints with the largest forces, in the order of the model.
std::vector<std::string> loaded_joints(const std::vector<Case>& cases) {
  std::vector<std::string> names;
  std::map<std::string, double> largest;
  for (const Case& one : cases) {
    for (const ForceOfJoint& force : one.forces) {
      if (largest.count(force.joint) == 0) names.push_back(force.joint);
      largest[force.joint] = std::max(largest[force.joint], force.largest.value);
    }
  }
  std::vector<double> sizes;
  for (const std::string& name : names) sizes.push_back(largest[name]);
  std::sort(sizes.rbegin(), sizes.rend());
  const double least = sizes.size() > most_joints ? sizes[most_joints - 1] : 0.0;
  names.erase(std::remove_if(names.begin(), names.end(),
                             [&](const std::string& name) {
                               // rows that hold a coordinate along its own direction exert a torque only
                               return !(largest[name] > few_roundings * sizes.front()) || largest[name] < least;
                             }),
              names.end());
  return names;
}

/// Returns the size of the force of one joint in each case.
std::vector<Series> forces_of(const std::vector<Case>& cases, const std::string& joint, const std::vector<double>& t) {
  std::vector<Series> curves;
  for (const Case& one : cases) {
    const ForceOfJoint* force = force_of(one, joint);
    if (force == nullptr || one.times.empty()) continue;
    Series curve{one.label, "", {}};
    for (const double time : t) {
      const auto above = std::lower_bound(one.times.begin(), one.times.end(), time);
      double value = unknown_value;
      if (above != one.times.end() && (*above == time || above != one.times.begin())) {
        const auto k = static_cast<std::size_t>(above - one.times.begin());
        const double part = *above == time ? 1.0 : (time - one.times[k - 1]) / (*above - one.times[k - 1]);
        value = part * force->size[k] + (part < 1.0 ? (1.0 - part) * force->size[k - 1] : 0.0);
      }
      curve.y.push_back(value);
    }
    curves.push_back(std::move(curve));
  }
  return curves;
}

std::string cases_json(const std::vector<Case>& cases, const Line& vary, const std::vector<Observed>& observed,
                       const std::vector<int>& coordinates, const MechanicalSystem& system) {
  std::vector<std::pair<std::string, bool>> columns = {{"case", false}};
  for (const Line& varied : vary) columns.emplace_back(varied.at("name").get<std::string>(), false);
  columns.insert(columns.end(), {{"outcome", true},
                                 {"largest joint force [N]", false},
                                 {"joint", true},
                                 {"at t [s]", false},
                                 {"largest power [W]", false},
                                 {"drive", true}});
  for (const Observed& number : observed) columns.emplace_back(with_unit(number.words(), number.unit()), false);
  for (const int i : coordinates) {
    columns.emplace_back(with_unit(system.position_name(i) + ", least", coordinate_unit(system, i)), false);
    columns.emplace_back(with_unit("largest", coordinate_unit(system, i)), false);
  }
  std::vector<Row> rows;
  for (const Case& one : cases) {
    Row row = {std::to_string(one.line.at("case").get<std::uint64_t>())};
    for (const Line& varied : vary)
      row.push_back(one.line.at("values").at(varied.at("name").get<std::string>()).dump());
    row.push_back(
        json::text(one.line.at("status").get<std::string>() + (one.line.at("doubts").empty() ? "" : ", doubted")));
    const auto peak = [&row](const Peak& p, bool with_time, const std::string& of) {
      const bool known = !of.empty();
      row.push_back(known ? json::number(p.value) : "null");
      row.push_back(json::text(of));
      if (with_time) row.push_back(known ? json::number(p.t) : "null");
    };
    peak(one.force, true, one.joint);
    peak(one.power, false, one.drive);
    for (const Observed& number : observed) row.push_back(one.line.at("observed").at(number.words()).dump());
    for (const int i : coordinates) {
      const auto k = static_cast<std::size_t>(i);
      row.push_back(one.system ? json::number(one.least[k]) : "null");
      row.push_back(one.system ? json::number(one.largest[k]) : "null");
    }
    rows.push_back(std::move(row));
  }
  return table_json("cases", columns, rows);
}

/// Returns charts of the figures of the cases over the one number that is varied; none if there are several.
std::vector<std::string> charts_over_value(const Study& study, const std::vector<Case>& cases, const Line& vary,
                                           const std::vector<Observed>& observed, const std::vector<int>& coordinates,
                                           const MechanicalSystem& system) {
  if (vary.size() != 1) return {};
  const auto name = vary.front().at("name").get<std::string>();
  std::vector<const Case*> known;
  for (const Case& one : cases) {
    if (one.system && one.line.at("values").at(name).is_number()) known.push_back(&one);
  }
  const auto value = [&name](const Case* one) { return one->line.at("values").at(name).get<double>(); };
  std::stable_sort(known.begin(), known.end(), [&](const Case* a, const Case* b) { return value(a) < value(b); });
  if (known.size() < 2) return {};
  std::vector<double> x;
  for (const Case* one : known) x.push_back(value(one));
  const std::string axis = with_unit(name, study.unit(name));
  std::vector<std::string> charts;
  const auto add = [&](const std::string& title,
                       const std::vector<std::pair<std::string, std::function<double(const Case&)>>>& list) {
    std::vector<Series> curves;
    for (const auto& [label, figure] : list) {
      Series curve{label, "", {}};
      for (const Case* one : known) curve.y.push_back(figure(*one));
      curves.push_back(std::move(curve));
    }
    charts.push_back(chart_json(title, axis, x, curves));
  };
  const auto any = [&known](const std::string Case::*of) {
    return std::any_of(known.begin(), known.end(), [of](const Case* one) { return !(one->*of).empty(); });
  };
  std::vector<std::pair<std::string, std::function<double(const Case&)>>> joints;
  for (const std::string& joint : loaded_joints(cases)) {
    joints.emplace_back(joint, [joint](const Case& c) {
      const ForceOfJoint* force = force_of(c, joint);
      return force == nullptr ? unknown_value : force->largest.value;
    });
  }
  if (!joints.empty()) add("Largest force of each joint [N]", joints);
  if (any(&Case::drive))
    add("Largest power of a drive [W]", {{"largest power", [](const Case& c) { return c.power.value; }}});
  for (const Observed& number : observed) {
    const auto seen = [&number](const Case& c) {
      const Line& found = c.line.at("observed").at(number.words());
      return found.is_number() ? found.get<double>() : unknown_value;
    };
    add(with_unit(number.words(), number.unit()), {{number.words(), seen}});
  }
  for (const int i : coordinates) {
    const auto k = static_cast<std::size_t>(i);
    add(with_unit("Range of " + system.position_name(i), coordinate_unit(system, i)),
        {{"least", [k](const Case& c) { return c.least[k]; }},
         {"largest", [k](const Case& c) { return c.largest[k]; }}});
  }
  return charts;
}

}  // namespace

void write_html(const Study& study, const std::vector<std::string>& lines, std::ostream& out, const std::string& title,
                const std::function<bool(double t)>& keep_going) {
  const Line heading = Line::parse(study.heading());
  const Line& vary = heading.at("vary");
  std::map<std::uint64_t, Case> found;
  std::map<std::string, long> outcomes;
  long doubted = 0;
  for (const std::string& words : lines) {
    study.check(words);
    Case one{Line::parse(words), ""};
    ++outcomes[one.line.at("status").get<std::string>()];
    doubted += one.line.at("status") == "finished" && !one.line.at("doubts").empty();
    for (const Line& varied : vary) {
      const auto name = varied.at("name").get<std::string>();
      one.label += (one.label.empty() ? "" : ", ") + name + " = " + word(one.line.at("values").at(name));
    }
    const auto number = one.line.at("case").get<std::uint64_t>();
    found.insert_or_assign(number, std::move(one));
  }
  if (found.empty()) throw Error("write_html: the study has no case to show");
  std::vector<Case> cases;
  for (auto& [number, one] : found) {
    if (cases.size() == most_curves_of_cases) break;
    cases.push_back(std::move(one));
  }
  bool goes_on = true;
  const auto keep = [&](double t) { return goes_on = goes_on && (!keep_going || keep_going(t)); };
  for (Case& one : cases) {
    if (goes_on && one.line.at("status") != "refused") run(one, study, keep);
  }
  const MechanismFile first = study.mechanism(0);
  const std::shared_ptr<const MechanicalSystem>& system = first.system;
  const std::vector<int> coordinates = moving(cases, *system);
  std::vector<Observed> observed;
  for (const Line& words : heading.value("observe", Line::array()))
    observed.emplace_back(system, first.options.t_end, words.get<std::string>());

  AnalysisPage page;
  std::string names;
  for (const Line& varied : vary) names += (names.empty() ? "" : ", ") + varied.at("name").get<std::string>();
  const auto given = heading.at("name").get<std::string>();  // of the mechanism, or of its file
  const std::filesystem::path file(given);
  const std::string name = file.extension() == ".json" ? file.stem().string() : given;
  page.title = !title.empty() ? title : (name.empty() ? title_of(*system) : name) + ", study of " + names;
  const long finished = outcomes["finished"];
  page.verdict = std::to_string(finished) + " of " + std::to_string(found.size()) + " cases finished" +
                 (doubted > 0 ? ", " + std::to_string(doubted) + " of them with doubts" : "");
  page.tone = finished < static_cast<long>(found.size()) ? "failed" : doubted > 0 ? "doubts" : "";
  for (const auto& [outcome, count] : outcomes) {
    if (outcome != "finished" && count > 0) page.add_note(std::to_string(count) + " " + outcome);
  }
  if (found.size() > cases.size())
    page.add_note("Curves and forces are those of the first " + std::to_string(cases.size()) + " cases.");
  const auto greatest = std::max_element(cases.begin(), cases.end(),
                                         [](const Case& a, const Case& b) { return a.force.value < b.force.value; });
  page.facts = {{"cases", std::to_string(found.size())}};
  for (const Line& varied : vary)
    page.facts.emplace_back(varied.at("name").get<std::string>(), varied.at("values").get<std::string>());
  if (!greatest->joint.empty())
    page.facts.emplace_back("largest joint force",
                            text(greatest->force.value) + " N, " + greatest->joint + ", " + greatest->label);
  double begin = HUGE_VAL, end = -HUGE_VAL;
  for (const Case& one : cases) {
    if (!one.system) continue;
    begin = std::min(begin, one.path.t(0));
    end = std::max(end, one.path.t(one.path.size() - 1));
  }
  Part curves;
  curves.title = "Motion of each case";
  std::vector<double> t;
  for (std::size_t k = 0; k <= points_of_curve && end > begin; ++k)
    t.push_back(begin + (end - begin) * static_cast<double>(k) / points_of_curve);
  std::vector<int> changed;
  std::string same;
  for (const int i : t.empty() ? std::vector<int>{} : coordinates) {
    const std::vector<Series> of_cases = curves_of(cases, i, t);
    if (of_cases.size() > 1 && coincide(of_cases))
      same += (same.empty() ? "" : ", ") + system->position_name(i);
    else
      changed.push_back(i);
    curves.charts.push_back(
        chart_of_cases(with_unit(system->position_name(i), coordinate_unit(*system, i)), t, of_cases));
  }
  if (!same.empty()) curves.text = "In all cases the same: " + same + "; no difference of their curves can be seen.";
  Part forces;
  forces.title = "Joint forces of each case";
  for (const std::string& joint : t.empty() ? std::vector<std::string>{} : loaded_joints(cases))
    forces.charts.push_back(chart_of_cases("Force of " + joint + " [N]", t, forces_of(cases, joint, t)));
  Part table, figures;
  table.title = "Cases";
  table.tables = {cases_json(cases, vary, observed, coordinates, *system)};
  page.parts.push_back(std::move(table));
  figures.title = "Over " + names;
  figures.charts = charts_over_value(study, cases, vary, observed, changed, *system);
  if (!figures.charts.empty()) page.parts.push_back(std::move(figures));
  if (!forces.charts.empty()) page.parts.push_back(std::move(forces));
  if (!curves.charts.empty()) page.parts.push_back(std::move(curves));
  page.write(out);
}

}  // namespace sunlagrange
