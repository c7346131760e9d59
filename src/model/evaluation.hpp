#pragma once

#include <memory>

#include <sunlagrange/internal/element_terms.hpp>
#include <sunlagrange/internal/quantities.hpp>
#include <sunlagrange/model/drawing.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/parameters.hpp>

/// How the library evaluates a system: what is asked for and nothing else, into memory that is there, in the storage of
/// the linear solver. What users see of it is SystemEvaluator.
namespace sunlagrange::internal {

struct SystemAnalysis;
SystemAnalysis& analysis_of(const MechanicalSystem& system);

/// Where M, the tangent blocks and G may differ from zero.
std::shared_ptr<const SystemPatterns> sparse_patterns(const MechanicalSystem& system);

/// Storage with all arrays sized. Allocates; evaluations do not (elements of run-time size: after the first).
/// @throws Error if the matrices are too large to be dense
std::unique_ptr<Workspace> make_workspace(const MechanicalSystem& system, Storage storage);

/// Computes what `what` asks for (namespace request) at `point`.
/// @return false if the model declines the point; then the results are meaningless
/// @throws whatever the model throws
bool evaluate_system(const MechanicalSystem& system, unsigned what, const Point& point, Workspace& w);

/// The same system with inputs (laws.hpp) that are read from where the binder says; the system itself if it has none.
std::shared_ptr<const MechanicalSystem> with_inputs(const std::shared_ptr<const MechanicalSystem>& system,
                                                    InputBinder& binder);

/// Names and values of system_parameters() but for what inputs start with.
std::vector<std::pair<std::string, double>> constant_parameters(const MechanicalSystem& system);

/// The share of one element at (t, q, v). Allocates: for reports and balances, not for callbacks.
/// @return false if the element declines the point
bool element_terms(const MechanicalSystem& system, int element, double t, const double* q, const double* v,
                   ElementTerms& out, ElementShare share = ElementShare::all);

/// What all elements look like at (t, q), in the order of addition.
void draw_elements(const MechanicalSystem& system, double t, const double* q, Drawing& drawing);

}  // namespace sunlagrange::internal
