// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/checks/pose_passages.hpp"

#include <algorithm>
#include <cmath>

#include "base/interpolation.hpp"
#include "formulation/formulation.hpp"
#include "linear_algebra/decompositions.hpp"
#include "linear_solver/rank/rank_threshold.hpp"
#include "model/natural_scales.hpp"

namespace sunlagrange::internal {
namespace {

/// Lengths are relative to the radius of curvature of the branches at the pose. Held by four_bar_branches_test.
struct PosePassageThresholds {
  double nearest = 1e-3;     ///< least radius at which a motion is judged
  double farthest = 0.3;     ///< largest radius at which a motion is judged: the branches are lines up to a third of it
  double beyond = 3.0;       ///< radius of the judgement, in closest distances: it lies outside the bend of the path
  double not_reached = 10;   ///< closest distance, in half-widths of the gap, above which a motion has turned before
  double unclear = 0.5;      ///< smaller coordinate along the lines, in the larger one: the state is on neither line
  double spacing = 0.05;     ///< of the points that are evaluated, in radii
  double proven = 0.1;       ///< of the violation that the law of keeps_branch() allows
  int directions = 3;        ///< number of directions in which second derivatives are measured
  double difference = 1e-6;  ///< step of their differences, in the largest position
  double near = 0.5;         ///< PathSample::smallest up to which states are kept
  std::size_t states = 4096;  ///< kept; every second one is dropped then
};
constexpr PosePassageThresholds pose_passage;

/// The half-line that a place lies on. line: 0 or 1; -1: near neither.
struct HalfLine {
  int line;
  bool positive;

  explicit HalfLine(const Eigen::Vector2d& place) {
    const int larger = std::abs(place[0]) > std::abs(place[1]) ? 0 : 1;
    line = std::abs(place[1 - larger]) < pose_passage.unclear * std::abs(place[larger]) ? larger : -1;
    positive = place[larger] > 0.0;
  }
};

/// Returns the distance between the pose, at zero, and the chord between two places: a path may pass the pose between
/// the points that are evaluated.
double distance_of_chord(const Eigen::Vector2d& from, const Eigen::Vector2d& to) {
  const Eigen::Vector2d chord = to - from;
  const double squared = chord.squaredNorm();
  const double part = squared > 0.0 ? std::clamp(-from.dot(chord) / squared, 0.0, 1.0) : 0.0;
  return (from + part * chord).norm();
}

/// Half the width of the gap between the branches, or of the tube that a violation leaves around them.
double half_width(const CriticalPose& pose, double violation) {
  return std::sqrt(std::max(std::abs(pose.misfit()), violation) * pose.curvature());
}

}  // namespace

PosePassages::PosePassages(ObservedRun& run) : run_(run), searches_(CriticalPose::can_be_found(*run.path.system())) {}

void PosePassages::restart() {
  searches_ = CriticalPose::can_be_found(*run_.path.system());
  evaluator_.reset();
  states_.clear();
  open_.clear();
}

PointEvaluator& PosePassages::evaluator() {
  if (evaluator_ == nullptr)
    evaluator_ = std::make_unique<PointEvaluator>(evaluator_for(run_.path.system(), run_.path.linear_solver()));
  return *evaluator_;
}

bool PosePassages::keeps_branch(const PathSample& at, const PathSample& regular) {
  const MechanicalSystem& system = *run_.path.system();
  const Eigen::Index n = system.num_positions(), m_g = system.num_position_constraints();
  if (m_g == 0) return false;
  Eigen::VectorXd columns, lengths;  // M_jj^-1/2; of the rows, squared
  Eigen::MatrixXd rows;
  const auto evaluate = [&](const PathSample& s) {
    const Workspace* w = evaluator().at(s.t, s.q.data(), s.v.data(), request::mass | request::jacobian);
    if (w == nullptr) return false;
    Eigen::VectorXd masses(n);
    for (int j = 0; j < n; ++j) masses[j] = w->M.values[w->patterns->mass.slot(j, j)];
    assign_missing_masses(system, masses);
    if (!(masses.minCoeff() > 0.0)) return false;
    columns = masses.cwiseSqrt().cwiseInverse();
    rows = Eigen::MatrixXd::Zero(m_g, n);
    w->G.for_each_entry([&](int i, int j, double entry) {
      if (i < m_g) rows(i, j) = entry * columns[j];
    });
    lengths = rows.rowwise().squaredNorm();
    rows = lengths.cwiseSqrt().cwiseInverse().asDiagonal() * rows;
    return rows.allFinite();
  };
  Eigen::Index rank = std::min(m_g, n);
  if (run_.path.permanently_lost() != 0) {
    if (!regular.regular || !evaluate(regular)) return false;
    rank = rank_of(singular_values(rows).values, run_.path.rank_threshold());
  }
  if (rank == 0 || !evaluate(at)) return false;
  const double smallest = singular_values(rows).values[rank - 1];
  const Workspace& w = evaluator().quantities();
  const Eigen::VectorXd entries = w.G.values;
  const auto violation = [&](const Workspace& point) { return point.g.cwiseQuotient(lengths.cwiseSqrt()).norm(); };
  double largest = violation(w);
  const std::deque<PathSample>& samples = run_.path.samples();
  Eigen::VectorXd q, v;
  for (std::size_t k = 1; k < samples.size(); ++k) {
    const double middle = 0.5 * (samples[k - 1].t + samples[k].t);
    run_.path.interpolate(middle, q, v);
    if (evaluator().at(middle, q.data(), v.data(), request::constraint) == nullptr) return false;
    largest = std::max(largest, violation(evaluator().quantities()));
  }
  const double size = run_.position_size > 0.0 ? run_.position_size : 1.0;
  const double length = pose_passage.difference * size / columns.maxCoeff();
  double curvature = 0.0;  // squared
  for (int k = 1; k <= pose_passage.directions; ++k) {
    for (Eigen::Index j = 0; j < n; ++j)  // entries without a pattern, of mean square 1
      q[j] = at.q[j] + length * columns[j] * std::sqrt(2.0) * std::sin(static_cast<double>(k * (1 + j * (j + 2))));
    if (evaluator().at(at.t, q.data(), at.v.data(), request::jacobian) == nullptr) return false;
    const PatternMatrix& G = evaluator().quantities().G;
    G.pattern().for_each_entry([&](int i, int j, int e) {
      if (i < m_g) curvature += std::pow((G.values[e] - entries[e]) * columns[j] / length, 2) / lengths[i];
    });
  }
  curvature = std::sqrt(curvature / pose_passage.directions);
  return 2.0 * curvature * largest < pose_passage.proven * smallest * smallest;
}

void PosePassages::find_near(const RankEvent& dip, const PathSample& at, const PathSample& regular) {
  if (!regular.regular) return;
  for (const Open& known : open_) {
    if (known.pose.along_lines(at.t, at.q).norm() < known.radius) return;
  }
  std::optional<CriticalPose> pose = CriticalPose::find(*run_.path.system(), at, regular);
  if (!pose) return;
  const double radius = std::clamp(std::sqrt(half_width(*pose, 0.0)), pose_passage.nearest, pose_passage.farthest);
  open_.push_back({std::move(*pose), dip, radius});
}

void PosePassages::observe(const PathSample& newest, std::size_t& judged) {
  if (!searches_) return;
  follow(newest);
  if (open_.empty()) return;
  open_.erase(std::remove_if(open_.begin(), open_.end(), [&](Open& passage) { return judge(passage, judged); }),
              open_.end());
}

void PosePassages::States::add(const PathSample& sample) {
  n_ = sample.q.size();
  numbers_.push_back(sample.t);
  for (const Eigen::VectorXd* x : {&sample.q, &sample.v, &sample.a})
    numbers_.insert(numbers_.end(), x->data(), x->data() + n_);
}

void PosePassages::States::keep_every_second() {
  const auto step = static_cast<std::ptrdiff_t>(length());
  const auto kept = static_cast<std::ptrdiff_t>((size() + 1) / 2);
  for (std::ptrdiff_t k = 1; k < kept; ++k)
    std::copy_n(numbers_.begin() + 2 * k * step, step, numbers_.begin() + k * step);
  numbers_.resize(static_cast<std::size_t>(kept * step));
}

PosePassages::State PosePassages::States::operator[](std::size_t i) const {
  const double* at = numbers_.data() + i * length();
  return {at[0], {at + 1, n_}, {at + 1 + n_, n_}, {at + 1 + 2 * n_, n_}};
}

/// Keeps the states where singular values are small, and the one before.
void PosePassages::follow(const PathSample& newest) {
  if (newest.smallest > pose_passage.near && open_.empty()) return states_.clear();
  if (!states_.empty() && states_.back().t == newest.t) return;  // ranked later
  if (states_.size() == pose_passage.states) states_.keep_every_second();
  const auto& samples = run_.path.samples();
  if (states_.empty() && samples.size() > 1) states_.add(samples[samples.size() - 2]);
  states_.add(newest);
}

/// Returns the points of the path from where it came nearer than the farthest radius to where it left it, or to its
/// end; the first and the last one lie outside, if the path reaches so far.
std::vector<PosePassages::Point> PosePassages::points_beside(const Open& passage) {
  const auto place = [&](const State& s) { return passage.pose.along_lines(s.t, s.q); };
  std::size_t middle = 0;
  while (middle + 1 < states_.size() && states_[middle + 1].t < passage.dip.t) ++middle;
  std::size_t first = middle, last = std::min(middle + 1, states_.size() - 1);
  while (first > 0 && place(states_[first]).norm() < pose_passage.farthest) --first;
  while (last + 1 < states_.size() && place(states_[last]).norm() < pose_passage.farthest) ++last;
  std::vector<Point> points;
  Eigen::VectorXd q, v;
  const auto add = [&](double t) {
    const Workspace* at = evaluator().at(t, q.data(), v.data(), request::constraint);
    if (at != nullptr) points.push_back({t, passage.pose.along_lines(t, q), passage.pose.violation(at->g)});
  };
  for (std::size_t i = first; i < last; ++i) {
    const State from = states_[i], to = states_[i + 1];
    const double length = (place(to) - place(from)).norm();
    const int parts = 1 + static_cast<int>(std::min(100.0, length / (pose_passage.spacing * passage.radius)));
    const QuinticHermite path({from.t, from.q, from.v, from.a}, {to.t, to.q, to.v, to.a});
    for (int k = i == first ? 0 : 1; k <= parts; ++k) {
      const double t = path.time(static_cast<double>(k) / parts);
      path.position(t, q);
      path.velocity(t, v);
      add(t);
    }
  }
  return points;
}

/// Returns true if the passage has been judged, or need not be.
bool PosePassages::judge(Open& passage, std::size_t& judged) {
  if (states_.empty()) return true;
  const State newest = states_.back();
  if (passage.pose.along_lines(newest.t, newest.q).norm() < passage.radius) return false;
  const std::vector<Point> points = points_beside(passage);
  if (points.size() < 2) return true;
  const auto nearest = std::min_element(points.begin(), points.end(),
                                        [](const Point& a, const Point& b) { return a.place.norm() < b.place.norm(); });
  double closest = nearest->place.norm();
  for (std::size_t k = 1; k < points.size(); ++k)
    closest = std::min(closest, distance_of_chord(points[k - 1].place, points[k].place));
  std::vector<Point>::const_iterator in = nearest, out = nearest;
  double violation = 0.0;
  double width = half_width(passage.pose, std::abs(nearest->violation));
  for (int k = 0; k < 2; ++k) {
    passage.radius =
        std::clamp(std::max(std::sqrt(width), pose_passage.beyond * closest), passage.radius, pose_passage.farthest);
    in = out = nearest;
    while (in != points.begin() && in->place.norm() < passage.radius) --in;
    while (out + 1 != points.end() && out->place.norm() < passage.radius) ++out;
    violation = 0.0;
    for (auto p = in; p <= out; ++p) violation = std::max(violation, std::abs(p->violation));
    width = half_width(passage.pose, violation);
  }
  if (out->place.norm() < passage.radius) return false;
  const bool cut_off = in->place.norm() < passage.radius;
  if (cut_off || closest > pose_passage.not_reached * width) return true;

  const HalfLine came(in->place), went(out->place);
  const bool exact = passage.pose.exact();
  Judgement judgement{passage.dip, in->t, out->t};
  // Beside the pose accelerations may be so wrong that the polynomials through the states are not the path of the run.
  if (!judgement.holds(passage.dip.t)) return true;
  RankEvent& found = judgement.found;
  found.misfit = exact ? 0.0 : passage.pose.largest_misfit();
  found.gap = exact ? 0.0 : passage.pose.gap();
  if (!exact) found.violation_over_misfit = violation / std::abs(passage.pose.misfit());
  if (came.line < 0 || went.line < 0) {
    found.way = PassageWay::unclear;
    found.passage = Passage::unverified;
  } else if (came.line == went.line) {
    found.way = came.positive == went.positive ? PassageWay::back : PassageWay::straight;
    found.passage = found.way == PassageWay::back ? Passage::unverified : exact ? Passage::smooth : Passage::jumped;
  } else {
    found.way = PassageWay::turned;
    const bool own_side = (came.positive == went.positive) == (passage.pose.product() > 0.0);
    found.passage = exact || !own_side                  ? Passage::jumped
                    : found.violation_over_misfit < 1.0 ? Passage::smooth
                                                        : Passage::unverified;
  }
  write(judgement, judged);
  return true;
}

void PosePassages::write(const Judgement& judgement, std::size_t& judged) {
  judgements_.push_back(judgement);
  std::vector<RankEvent>& events = run_.report.rank_events;
  bool known = false;
  for (RankEvent& e : events) {
    if (!judgement.holds(e.t)) continue;
    complete(e);
    e.passage = judgement.found.passage;
    known = true;
  }
  if (known || judgement.found.passage == Passage::smooth) return;
  events.insert(events.begin() + static_cast<std::ptrdiff_t>(judged), judgement.found);
  ++judged;
}

bool PosePassages::complete(RankEvent& event) const {
  const auto judgement =
      std::find_if(judgements_.begin(), judgements_.end(), [&](const Judgement& j) { return j.holds(event.t); });
  if (judgement == judgements_.end()) return false;
  const RankEvent& found = judgement->found;
  event.way = found.way;
  event.misfit = found.misfit;
  event.gap = found.gap;
  event.violation_over_misfit = found.violation_over_misfit;
  return true;
}

std::string PosePassages::branches_of(const RankEvent& event) {
  if (event.misfit == 0.0) return "two branches cross";
  return "two branches are " + text(event.gap) + " apart, because the lengths miss a crossing by " + text(event.misfit);
}

std::string PosePassages::text_at(const RankEvent& event) {
  const bool crossing = event.misfit == 0.0;
  const std::string pose = branches_of(event);
  if (event.passage == Passage::unverified && event.way == PassageWay::turned) {
    return pose + ", and the motion turned as it must, but it violated the constraints by " +
           text(event.violation_over_misfit) + " of that misfit: it may not be accurate";
  }
  switch (event.way) {
    case PassageWay::unknown:
      return "";
    case PassageWay::straight:
      return pose + ", and the motion went straight on" + (crossing ? "" : ", where it has to turn");
    case PassageWay::turned:
      return pose + ", and the motion turned" + (crossing ? ", where it has to go straight on" : " to the wrong side");
    case PassageWay::back:
      return pose + ", and the motion went back as it came";
    case PassageWay::unclear:
      break;
  }
  return pose + ", and it is not clear on which of them the motion went on";
}

}  // namespace sunlagrange::internal
