// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/events/events.hpp>

#include <cmath>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>

namespace sunlagrange {

using namespace internal;
namespace {

/// Multipliers below this, relative to EventPoint::typical_multiplier, count as zero. Held by contacts_test.
constexpr double negligible_multiplier = 1e-9;

void require_restitution(const char* function, double e) {
  if (e >= 0.0 && e <= 1.0) return;
  throw Error(std::string(function) + ": restitution = " + text(e) + ": must be in [0, 1]");
}

Event contact_event(const std::string& constraint) {
  Event event;
  event.name = constraint;
  event.contact = constraint;
  event.crossing = Crossing::falling;
  event.root = [constraint](const EventPoint& p) { return p.gap(constraint); };
  return event;
}

}  // namespace

Event stop_at_contact(const std::string& constraint) {
  Event event = contact_event(constraint);
  event.action = [constraint](EventContext& c) { c.stop("\"" + constraint + "\" closed"); };
  return event;
}

Event impact_event(const std::string& constraint, double restitution) {
  require_restitution("impact_event", restitution);
  Event event = contact_event(constraint);
  event.action = [constraint, restitution](EventContext& c) { c.impact(constraint, restitution); };
  return event;
}

Event unilateral_contact(const std::string& constraint, double restitution) {
  require_restitution("unilateral_contact", restitution);
  Event event = contact_event(constraint);
  event.limit = true;
  event.root = [constraint](const EventPoint& p) {
    if (!p.active(constraint)) return p.gap(constraint);
    return negligible_multiplier * p.typical_multiplier(constraint) - p.multiplier(constraint);
  };
  event.action = [constraint, restitution](EventContext& c) {
    if (c.active(constraint))
      c.deactivate(constraint);
    else if (c.impact(constraint, restitution).comes_to_rest)
      c.activate(constraint);
  };
  return event;
}

Event release_when(const std::string& constraint, double limit) {
  if (!(limit > 0.0 && std::isfinite(limit))) {
    throw Error("release_when: limit = " + text(limit) + ": must be positive");
  }
  Event event;
  event.name = "release of " + constraint;
  event.crossing = Crossing::rising;
  event.limit = true;
  event.root = [constraint, limit](const EventPoint& p) { return p.multiplier_norm(constraint) - limit; };
  event.action = [constraint](EventContext& c) { c.deactivate(constraint); };
  return event;
}

}  // namespace sunlagrange
