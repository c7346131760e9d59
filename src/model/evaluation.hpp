// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include <sunlagrange/internal/element_terms.hpp>
#include <sunlagrange/internal/quantities.hpp>
#include <sunlagrange/model/drawing.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/not_smooth.hpp>
#include <sunlagrange/model/parameters.hpp>

/// Evaluation of a system inside the library: only the requested quantities, into existing memory, in the storage of
/// the linear solver. The public class is SystemEvaluator.
namespace sunlagrange::internal {

struct SystemAnalysis;
SystemAnalysis& analysis_of(const MechanicalSystem& system);

/// Returns the system with the rows that are switched off in `system`.
const MechanicalSystem& with_all_rows(const MechanicalSystem& system);

/// Returns the groups of elements of a system with all rows, in the order of Workspace::slots.
const std::vector<std::shared_ptr<const ElementGroup>>& element_groups(const MechanicalSystem& system);

/// Returns the patterns of M, the tangent blocks and G.
std::shared_ptr<const SystemPatterns> sparse_patterns(const MechanicalSystem& system);

/// Returns a workspace with all arrays in their sizes. Allocates; evaluations do not (elements of run-time size: after
/// the first).
/// @throws Error if the matrices are too large to be dense
std::unique_ptr<Workspace> make_workspace(const MechanicalSystem& system, Storage storage);

/// Computes the quantities `what` (namespace request) at `point`.
/// @return false if the model declines the point; then the results are not valid
/// @throws the exceptions of the model
bool evaluate_system(const MechanicalSystem& system, unsigned what, const Point& point, Workspace& w);

/// Returns the same system with inputs (laws.hpp) that are read from the places of the binder; the system itself if it
/// has no inputs.
std::shared_ptr<const MechanicalSystem> with_inputs(const std::shared_ptr<const MechanicalSystem>& system,
                                                    InputBinder& binder);

/// Returns names and values of system_parameters() without the start values of inputs.
std::vector<std::pair<std::string, double>> constant_parameters(const MechanicalSystem& system);

/// Computes the contributions of one element at (t, q, v). Allocates: for reports and balances, not for callbacks.
/// @return false if the element declines the point
bool element_terms(const MechanicalSystem& system, int element, double t, const double* q, const double* v,
                   ElementTerms& out, ElementShare share = ElementShare::all);

/// Draws all elements at (t, q), in the order of addition.
void draw_elements(const MechanicalSystem& system, double t, const double* q, Drawing& drawing);

/// Visits where the forces of all elements are not smooth at (t, q, v), in the order of addition.
void visit_elements_not_smooth(const MechanicalSystem& system, double t, const double* q, const double* v,
                               NotSmooth& visitor);

}  // namespace sunlagrange::internal
