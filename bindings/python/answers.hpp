#pragma once

#include <pybind11/eigen.h>
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <sunlagrange/analysis.hpp>
#include <sunlagrange/stability/certificate.hpp>
#include <sunlagrange/sunlagrange.hpp>

/// What the library answers, as dicts of Python: the names are those of its structs and of the documents of --json,
/// None stands for a number that is not finite, "text" for the account in words.
namespace sunlagrange::python {

namespace py = pybind11;

/// With the linearisation that the page shows.
struct ModesAboutStart {
  Linearisation about;
  Modes modes;
};

py::dict answer(const Simulation& run);
py::dict answer(const ConsistentState& found);
py::dict answer(const RedundancyReport& report);
py::dict answer(const Reactions& reactions);
py::dict answer(const PowerBalance& balance);
py::dict answer(const EnergyBalance& balance);
py::dict answer(const GainAdvice& advice);
py::dict answer(const Certificate& certificate);
py::list answer(const std::vector<Doubt>& doubts);
py::list answer(const std::vector<SystemParameter>& parameters);
py::dict answer(const Linearisation& linearisation);
py::dict answer(const StateSpace& found);
py::dict answer(const Modes& modes);
py::dict answer(const ModesAboutStart& found);
py::dict answer(const Equilibrium& found);
py::dict answer(const Kinematics& found);
py::dict answer(const MechanismWorkspace& found);
py::dict answer(const InverseDynamics& found);
py::dict answer(const DriveForces& found);
py::dict answer(const Sensitivities& found);
py::dict answer(const Gradient& found);
py::dict answer(const Identification& found);

py::dict state_dict(const MotionState& state);

/// Of the catalogue, a dict for each entry.
py::list formulation_list();
py::list integrator_list();
py::list linear_solver_list();
py::list element_list();

}  // namespace sunlagrange::python
