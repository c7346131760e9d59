// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>

#include <array>

#include <nvector/nvector_serial.h>
#include <sundials/sundials_version.h>

#include <sunlagrange/sundials/attach_arkode.hpp>
#include <sunlagrange/sundials/attach_cvode.hpp>
#include <sunlagrange/sundials/attach_ida.hpp>

#include "arguments.hpp"

/// Integrator memory that another package of Python owns. It comes as an address, as do context and vector.
namespace sunlagrange::python {
namespace {

using namespace py::literals;
using Address = std::uintptr_t;

/// The library that contains a function: its file, and its release of SUNDIALS.
struct Origin {
  std::string file = "an unknown place";
  std::string release;  ///< empty: the file has no SUNDIALS
};

Origin origin_of(const void* function) {
  Origin found;
  Dl_info info{};
  if (dladdr(function, &info) == 0 || info.dli_fname == nullptr) return found;
  found.file = info.dli_fname;
  void* library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return found;
  using Release = int (*)(char*, int);
  if (const auto release = reinterpret_cast<Release>(dlsym(library, "SUNDIALSGetVersion")); release != nullptr) {
    std::array<char, 32> text{};
    if (release(text.data(), static_cast<int>(text.size())) == 0) found.release = text.data();
  }
  dlclose(library);
  return found;
}

/// Returns the vector at an address. @throws Error if another release of SUNDIALS made it: its structs are others
N_Vector vector_at(Address address) {
  auto* const y = reinterpret_cast<N_Vector>(address);
  if (y == nullptr) throw Error("y is null; give the address of an N_Vector");
  const auto* const given = reinterpret_cast<const void*>(y->ops->nvgetarraypointer);
  if (given == reinterpret_cast<const void*>(&N_VGetArrayPointer_Serial)) return y;
  const Origin theirs = origin_of(given);
  if (theirs.release != SUNDIALS_VERSION)
    throw Error("y belongs to " + theirs.file + ", which has " +
                (theirs.release.empty() ? std::string("no SUNDIALS that can be asked for its release")
                                        : "SUNDIALS " + theirs.release) +
                "; this package has SUNDIALS " + SUNDIALS_VERSION +
                ": build one of them with the SUNDIALS of the other");
  return y;
}

/// Settings that an attach function leaves to the owner of the memory.
struct Kept {
  bool linear_solver = false;
  bool error_weights = false;
};

/// The mechanism as the arguments that the C++ functions take.
struct Attaching {
  Attaching(const MechanismFile& mechanism, Kept kept) : system(mechanism.system) {
    const ConsistentState found = consistent_state(system, mechanism.start, consistency(mechanism));
    if (!found.report.status.finished()) throw Error(found.report.status.message);
    start = found.state;
    static_cast<FormulationChoice&>(options) = mechanism.options;
    options.t_span = mechanism.options.t_end - start.t;
    options.install_linear_solver = !kept.linear_solver;
    options.install_error_weights = !kept.error_weights;
  }

  const std::shared_ptr<const MechanicalSystem>& system;
  MotionState start;
  AttachOptions options;
};

/// Returns use(attaching), without the lock: the model is evaluated.
template <class Use>
auto attaching(const MechanismFile& mechanism, Kept kept, const Use& use) {
  return without_lock([&] { return use(Attaching(mechanism, kept)); });
}

std::unique_ptr<Attachment> to_cvode(const MechanismFile& mechanism, Address memory, Address context, Address y,
                                     bool own_linear_solver) {
  return attaching(mechanism, {own_linear_solver, false}, [&](const Attaching& a) {
    return std::make_unique<Attachment>(attach_cvode(reinterpret_cast<void*>(memory),
                                                     reinterpret_cast<SUNContext>(context), vector_at(y), a.system,
                                                     a.start, a.options));
  });
}

std::unique_ptr<Attachment> to_ida(const MechanismFile& mechanism, Address memory, Address context, Address y,
                                   bool own_linear_solver, bool own_tolerances) {
  return attaching(mechanism, {own_linear_solver, own_tolerances}, [&](const Attaching& a) {
    return std::make_unique<Attachment>(attach_ida(reinterpret_cast<void*>(memory),
                                                   reinterpret_cast<SUNContext>(context), vector_at(y), a.system,
                                                   a.start, a.options));
  });
}

std::unique_ptr<Attachment> to_arkode(const MechanismFile& mechanism, Address memory) {
  return attaching(mechanism, {}, [&](const Attaching& a) {
    return std::make_unique<Attachment>(attach_arkode(reinterpret_cast<void*>(memory), a.system, a.start, a.options));
  });
}

void fill_initial_values(const MechanismFile& mechanism, Address y, Address yp) {
  attaching(mechanism, {}, [&](const Attaching& a) {
    initial_values(a.system, a.start, a.options, vector_at(y), yp == 0 ? nullptr : vector_at(yp));
    return 0;
  });
}

py::dict layout_dict(const MechanismFile& mechanism) {
  const UnknownsLayout found =
      attaching(mechanism, {}, [](const Attaching& a) { return layout(a.system, a.start, a.options); });
  return py::dict("size"_a = found.size, "positions"_a = found.positions, "velocities"_a = found.velocities,
                  "multipliers"_a = found.multipliers, "second_multipliers"_a = found.second_multipliers,
                  "integrated_multipliers"_a = found.integrated_multipliers, "own_variables"_a = found.own_variables);
}

py::dict counts_dict(const AttachmentCounts& found) {
  return py::dict("rhs_evaluations"_a = found.rhs_evaluations, "jacobian_evaluations"_a = found.jacobian_evaluations,
                  "factorizations"_a = found.factorizations, "linear_solutions"_a = found.linear_solutions,
                  "pivot_refreshes"_a = found.pivot_refreshes, "rank_actions"_a = found.rank_actions,
                  "unconverged"_a = found.unconverged);
}

/// Raises what a function of the model raised, or why a callback failed.
void raise_failure(Attachment& attachment) {
  const auto raised = take_raised();
  try {
    attachment.rethrow();
  } catch (const Error&) {
    if (raised) throw py::error_already_set(*raised);
    throw;
  }
}

template <class Callback>
py::int_ address_of(Callback* callback) {
  return reinterpret_cast<Address>(callback);
}

/// Returns the addresses of the functions that an application hands to SUNDIALS.
py::dict callback_addresses() {
  py::dict found;
#define CALLBACK(name) found[#name] = address_of(&name)
  CALLBACK(cvode_rhs);
  CALLBACK(cvode_preconditioner_setup);
  CALLBACK(cvode_preconditioner_solve);
  CALLBACK(cvode_jacobian_times);
  CALLBACK(cvode_dense_jacobian);
  CALLBACK(cvode_sparse_jacobian);
  CALLBACK(ida_residual);
  CALLBACK(ida_preconditioner_setup);
  CALLBACK(ida_preconditioner_solve);
  CALLBACK(ida_jacobian_times);
  CALLBACK(ida_dense_jacobian);
  CALLBACK(ida_sparse_jacobian);
  CALLBACK(arkode_rhs);
  CALLBACK(error_weights);
#undef CALLBACK
  return found;
}

}  // namespace

void define_attachments(py::module_& module) {
  py::class_<Attachment>(module, "Attachment")
      .def_property_readonly("settings", [](const Attachment& a) { return to_list(a.facts().lines()); })
      .def_property_readonly("counts", [](const Attachment& a) { return counts_dict(a.counts()); })
      .def("motion",
           [](Attachment& a, double t, Address y) {
             MotionState found;
             if (!without_lock([&] { return a.motion(t, vector_at(y), found); })) return py::dict();
             return figures_dict(found);
           })
      .def("change_variables",
           [](Attachment& a, double t, Address y) {
             return without_lock([&] { return a.change_variables(t, vector_at(y)); });
           })
      .def("explain",
           [](const Attachment& a, int flag, double t) {
             const Status status = a.explain(flag, t);
             return std::string(to_string(status.outcome)) + ": " + in_python(status.message);
           })
      .def("raise_failure", raise_failure);
  module.def("attach_cvode", to_cvode);
  module.def("attach_ida", to_ida);
  module.def("attach_arkode", to_arkode);
  module.def("initial_values", fill_initial_values);
  module.def("layout", layout_dict);
  module.def("callbacks", callback_addresses);
}

}  // namespace sunlagrange::python
