#include "sundials/binding.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

/// Returns the kind of a vector whose entries are not one array of this process; null for all other kinds.
const char* foreign_kind(N_Vector v) {
  if (v->ops->nvgetvectorid == nullptr) return nullptr;
  switch (v->ops->nvgetvectorid(v)) {
    case SUNDIALS_NVEC_SERIAL:
    case SUNDIALS_NVEC_OPENMP:
    case SUNDIALS_NVEC_PTHREADS:
    case SUNDIALS_NVEC_CUSTOM:
      return nullptr;
    case SUNDIALS_NVEC_PARALLEL:
      return "parallel (MPI)";
    case SUNDIALS_NVEC_PARHYP:
      return "ParHyp";
    case SUNDIALS_NVEC_PETSC:
      return "PETSc";
    case SUNDIALS_NVEC_CUDA:
      return "CUDA";
    case SUNDIALS_NVEC_HIP:
      return "HIP";
    case SUNDIALS_NVEC_SYCL:
      return "SYCL";
    case SUNDIALS_NVEC_RAJA:
      return "RAJA";
    case SUNDIALS_NVEC_OPENMPDEV:
      return "OpenMPDEV";
    case SUNDIALS_NVEC_TRILINOS:
      return "Trilinos";
    case SUNDIALS_NVEC_MANYVECTOR:
      return "ManyVector";
    case SUNDIALS_NVEC_MPIMANYVECTOR:
      return "MPIManyVector";
    case SUNDIALS_NVEC_MPIPLUSX:
      return "MPIPlusX";
    default:
      return "not known to this library";  // e.g. Kokkos
  }
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
