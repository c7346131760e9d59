// SPDX-License-Identifier: BSD-3-Clause
#include "import/rigid_bodies.hpp"

#include <algorithm>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/elements/spatial/rigid_body.hpp>

namespace sunlagrange {

using namespace internal;
namespace {

/// Bodies or links that are one have the same lowest number; ground is lower than all.
class Merger {
 public:
  explicit Merger(std::size_t links) : of_(links) {
    for (std::size_t k = 0; k < links; ++k) of_[k] = static_cast<int>(k);
  }
  int of(int link) const { return link == ground ? ground : of_[static_cast<std::size_t>(link)]; }
  void merge(int a, int b) {
    const int keep = std::min(of(a), of(b)), give = std::max(of(a), of(b));
    std::replace(of_.begin(), of_.end(), give, keep);
  }

 private:
  std::vector<int> of_;
};

const std::string& name_of(const RobotDescription& robot, int link) {
  static const std::string of_ground = "the ground";
  return link == ground ? of_ground : robot.links[static_cast<std::size_t>(link)].name;
}

std::string quoted(const std::string& name) {
  return name == "the ground" ? name : "\"" + name + "\"";
}

void weld(RobotDescription& robot, Merger& merger) {
  for (const RobotJoint& joint : robot.joints) {
    if (joint.kind != RobotJointKind::fixed) continue;
    merger.merge(joint.parent, joint.child);
    robot.notes.add("merged: links of fixed joints", "they move as one body",
                    quoted(name_of(robot, joint.child)) + " with " + quoted(name_of(robot, joint.parent)));
  }
}

bool without_inertia(const RobotDescription& robot, const Merger& merger, int body) {
  for (std::size_t k = 0; k < robot.links.size(); ++k) {
    const RobotLink& link = robot.links[k];
    if (merger.of(static_cast<int>(k)) == body && (link.mass != 0.0 || !link.inertia.isZero(0.0))) return false;
  }
  return true;
}

/// A link without inertia at the end of a chain exerts no force on the others.
void drop_idle_ends(RobotDescription& robot, Merger& merger) {
  for (bool found = true; found;) {
    found = false;
    for (std::size_t k = 0; k < robot.links.size() && !found; ++k) {
      const int body = merger.of(static_cast<int>(k));
      if (body != static_cast<int>(k) || !without_inertia(robot, merger, body)) continue;
      std::vector<const RobotJoint*> held_by;
      for (const RobotJoint& joint : robot.joints) {
        const int a = merger.of(joint.parent), b = merger.of(joint.child);
        if (a != b && (a == body || b == body)) held_by.push_back(&joint);
      }
      if (held_by.size() != 1 || held_by[0]->stiffness != 0.0 || held_by[0]->kind == RobotJointKind::free) continue;
      const RobotJoint& joint = *held_by[0];
      const int other = merger.of(joint.parent) == body ? joint.child : joint.parent;
      robot.notes.add("merged: links without inertia at the end of a chain",
                      "they exert no force on the rest, however they move",
                      quoted(name_of(robot, body)) + " with " + quoted(name_of(robot, other)) + ", without joint \"" +
                          joint.name + "\"");
      merger.merge(body, other);
      found = true;
    }
  }
}

RigidBody body_of_links(const std::vector<const RobotLink*>& links) {
  const auto heavy = std::find_if(links.begin(), links.end(), [](const RobotLink* link) { return link->mass > 0.0; });
  const RobotLink& chief = heavy != links.end() ? **heavy : *links.front();
  RigidBody body;
  body.name = chief.name;
  body.place = chief.place;
  body.axes = chief.pose.linear();
  body.weight = chief.weight;
  for (const RobotLink* link : links) {
    if (link->mass > 0.0 && link->weight != body.weight)
      throw Error(link->place + ": gravity = " + (link->weight ? "true" : "false") + ", but link \"" + chief.name +
                  "\", which fixed joints hold to it, says the opposite; say the same for both");
    body.mass += link->mass;
    body.centre += link->mass * (link->pose * link->centre);
  }
  body.centre = body.mass > 0.0 ? Eigen::Vector3d(body.centre / body.mass) : chief.pose * chief.centre;
  for (const RobotLink* link : links) {
    const Eigen::Matrix3d turn = body.axes.transpose() * link->pose.linear();
    const Eigen::Vector3d d = body.axes.transpose() * (link->pose * link->centre - body.centre);
    body.inertia += turn * link->inertia * turn.transpose() +
                    link->mass * (d.squaredNorm() * Eigen::Matrix3d::Identity() - d * d.transpose());
    for (const RobotVisual& visual : link->visuals) {
      const Eigen::Isometry3d at = link->pose * visual.pose;
      Eigen::Isometry3d on_body = Eigen::Isometry3d::Identity();
      on_body.linear() = body.axes.transpose() * at.linear();
      on_body.translation() = body.axes.transpose() * (at.translation() - body.centre);
      body.visuals.push_back({visual.shape, on_body});
    }
  }
  return body;
}

/// Notes the shapes of links that the ground holds: a picture shows what moves.
void note_held_shapes(RobotDescription& robot, const Merger& merger) {
  for (std::size_t k = 0; k < robot.links.size(); ++k) {
    if (merger.of(static_cast<int>(k)) == ground && !robot.links[k].visuals.empty())
      robot.notes.add("not drawn: shapes of links that the ground holds", "the picture has shapes of bodies that move",
                      "link \"" + robot.links[k].name + "\"");
  }
}

/// Returns the errors of its inertia, as SpatialRigidBody reports them; empty if there are none.
std::string complaint(const RigidBody& body) {
  const Eigen::Matrix3d& J = body.inertia;
  if (!(body.mass > 0.0)) return "mass = " + text(body.mass) + ": a body that moves must have mass";
  SpatialRigidBody element{body.mass, J(0, 0), J(1, 1), J(2, 2), J(0, 1), J(0, 2), J(1, 2)};
  ParameterCheck check;
  element.describe_parameters(check);
  return check.complaints();
}

void put_ball(RigidBody& body, const ImportOptions& options, ImportNotes& notes) {
  const double moment = 0.4 * options.ball_mass * options.ball_radius * options.ball_radius;
  body.mass += options.ball_mass;
  body.inertia += moment * Eigen::Matrix3d::Identity();
  notes.add("added: a ball of " + text(options.ball_mass) + " kg, radius " + text(options.ball_radius) + " m",
            "the inertia described is none that a rigid body can have", "link \"" + body.name + "\"");
}

}  // namespace

RigidBodies internal::rigid_bodies(RobotDescription& robot, const ImportOptions& options) {
  Merger merger(robot.links.size());
  weld(robot, merger);
  drop_idle_ends(robot, merger);
  note_held_shapes(robot, merger);

  RigidBodies result;
  result.body_of.assign(robot.links.size(), ground);
  std::string wrong;
  for (std::size_t k = 0; k < robot.links.size(); ++k) {
    if (merger.of(static_cast<int>(k)) != static_cast<int>(k)) continue;
    std::vector<const RobotLink*> links;
    for (std::size_t l = k; l < robot.links.size(); ++l) {
      if (merger.of(static_cast<int>(l)) != static_cast<int>(k)) continue;
      links.push_back(&robot.links[l]);
      result.body_of[l] = static_cast<int>(result.bodies.size());
    }
    RigidBody body = body_of_links(links);
    const bool singular = !(body.inertia.determinant() > 1e-12 * std::pow(body.inertia.trace(), 3));
    if ((singular || !complaint(body).empty()) && options.ball_mass > 0.0) put_ball(body, options, robot.notes);
    const std::string still = complaint(body);
    if (!still.empty()) wrong += (wrong.empty() ? "" : "\n") + body.place + ": " + still;
    result.bodies.push_back(body);
  }
  if (!wrong.empty())
    throw Error(wrong +
                "\ncorrect the <inertial> of these links, or have a ball put there: ball_mass and ball_radius (in " +
                "the program --ball-mass, --ball-radius)");

  for (RobotJoint joint : robot.joints) {
    if (joint.kind == RobotJointKind::fixed) continue;
    const auto number = [&](int link) {
      return link == ground ? ground : result.body_of[static_cast<std::size_t>(link)];
    };
    joint.parent = number(joint.parent);
    joint.child = number(joint.child);
    if (joint.parent == joint.child) {
      if (joint.kind != RobotJointKind::free)
        robot.notes.add("left out: joints inside of one body", "what they join does not move against each other",
                        "joint \"" + joint.name + "\"");
      continue;
    }
    result.joints.push_back(joint);
  }
  return result;
}

}  // namespace sunlagrange
