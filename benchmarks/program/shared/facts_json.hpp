#pragma once

#include <sunlagrange/results/report.hpp>

#include "shared/json.hpp"

/// What a report knows of the choices of a run, as values: from the fields that its text is printed from.
namespace sunlagrange::bench {

/// K_D, K_P, K_N, Lambda: null where the formulation does not read it, else whether it is the library's own choice, and
/// kind (scalar, diagonal, matrix, varying, none) with value (number, list, list of rows, null, null).
Json gains_json(const FormulationFacts& facts);

/// Figures and warnings of the gain advisor; empty where there was nothing to advise.
Json advice_json(const std::optional<GainAdvice>& advice);

/// Names of the unknowns that IDA's error test does not see.
Json masked_json(const std::optional<DaeFacts>& dae);

/// null for formulations that are no DAE.
Json dae_json(const std::optional<DaeFacts>& dae);

/// Name, values, sentence and whether the user asked for it.
Json facts_json(const std::vector<Fact>& facts);

/// K_D, K_P, K_N, Lambda as they were asked for, also where the formulation does not read them: null (automatic), a
/// number, or the list of values (a matrix row by row).
Json asked_gains_json(const Gains& gains);

/// Who gives which derivative.
Json sources_json(const RunFacts& used);

/// Names of the events that were looked for, and which crossing.
Json watched_events_json(const RunFacts& used);

/// Settings that the integrator does not read.
Json unread_settings_json(const RunFacts& used);

Json rank_events_json(const std::vector<RankEvent>& events);

}  // namespace sunlagrange::bench
