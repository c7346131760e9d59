// SPDX-License-Identifier: BSD-3-Clause
#include "integrators/stepper.hpp"

#include "sundials/binding.hpp"

namespace sunlagrange::internal {

Formulation& IntegratorStepper::formulation() {
  return AttachmentAccess::binding(attachment()).formulation();
}

double IntegratorStepper::last_velocity_correction() {
  const Projection* projection = formulation().provides().projection;
  return projection != nullptr ? projection->last_velocity_correction() : 0.0;
}

bool IntegratorStepper::error_matrix(const double* q, const double* v, Eigen::MatrixXd& A) {
  ErrorLaw* law = formulation().provides().error_law;
  return law != nullptr && law->error_matrix(time(), q, v, A);
}

}  // namespace sunlagrange::internal
