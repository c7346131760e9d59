// SPDX-License-Identifier: BSD-3-Clause
#include "sundials/binding.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

/// Returns the kind of a vector whose entries are not one array of this process; null for all other kinds.
const char* foreign_kind(N_Vector v) {
  if (v->ops->nvgetvectorid == nullptr) return nullptr;
  static constexpr struct {
    N_Vector_ID id;
    const char* name;  // null: the entries are one array
  } kinds[] = {
      {SUNDIALS_NVEC_SERIAL, nullptr},
      {SUNDIALS_NVEC_OPENMP, nullptr},
      {SUNDIALS_NVEC_PTHREADS, nullptr},
      {SUNDIALS_NVEC_CUSTOM, nullptr},
      {SUNDIALS_NVEC_PARALLEL, "parallel (MPI)"},
      {SUNDIALS_NVEC_PARHYP, "ParHyp"},
      {SUNDIALS_NVEC_PETSC, "PETSc"},
      {SUNDIALS_NVEC_CUDA, "CUDA"},
      {SUNDIALS_NVEC_HIP, "HIP"},
      {SUNDIALS_NVEC_SYCL, "SYCL"},
      {SUNDIALS_NVEC_RAJA, "RAJA"},
      {SUNDIALS_NVEC_OPENMPDEV, "OpenMPDEV"},
      {SUNDIALS_NVEC_TRILINOS, "Trilinos"},
      {SUNDIALS_NVEC_MANYVECTOR, "ManyVector"},
      {SUNDIALS_NVEC_MPIMANYVECTOR, "MPIManyVector"},
      {SUNDIALS_NVEC_MPIPLUSX, "MPIPlusX"},
  };
  const N_Vector_ID id = v->ops->nvgetvectorid(v);
  for (const auto& kind : kinds) {
    if (kind.id == id) return kind.name;
  }
  return "not known to this library";  // e.g. Kokkos
}

}  // namespace

bool internal::fits(N_Vector v, long size) {
  return v != nullptr && foreign_kind(v) == nullptr && v->ops->nvgetarraypointer != nullptr &&
         v->ops->nvgetarraypointer(v) != nullptr && v->ops->nvgetlength != nullptr && v->ops->nvgetlength(v) == size;
}

std::string internal::objection_to(N_Vector v, const char* name, const Binding& binding) {
  const int size = binding.formulation().size();
  if (fits(v, size)) return "";
  if (v == nullptr) return std::string(name) + " is null; make it with new_vector(num_unknowns(...), context)";
  if (const char* kind = foreign_kind(v)) {
    return std::string(name) + " is a vector of kind " + kind +
           ", whose entries are not one array of this process; use a serial, OpenMP or Pthreads vector";
  }
  if (v->ops->nvgetlength == nullptr || N_VGetLength(v) == size) {
    return std::string(name) +
           " has no array of its entries (N_VGetArrayPointer); use serial-like vectors: serial, OpenMP, Pthreads";
  }
  return std::string(name) + " has " + std::to_string(N_VGetLength(v)) + " entries, formulation " +
         binding.formulation_name + " has " + std::to_string(size) +
         " unknowns: make it of that length, num_unknowns()";
}

void internal::check_vector(N_Vector y, const char* name, const Binding& binding) {
  const std::string objection = objection_to(y, name, binding);
  if (!objection.empty()) throw Error(objection);
}

void internal::check_initialised(N_Vector own, const char* init, const Binding& binding) {
  if (own == nullptr) throw Error(std::string("the integrator memory is not initialised: call ") + init + " first");
  check_vector(own, (std::string("the vector that ") + init + " was given").c_str(), binding);
}

}  // namespace sunlagrange
