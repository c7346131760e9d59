# SPDX-License-Identifier: BSD-3-Clause
"""Constrained mechanisms for SUNDIALS: describe them by elements, simulate them in any formulation.

    import sunlagrange as sl

    model = sl.Assembly()
    model.gravity(0.0, -9.81)
    bob = model.body("bob", sl.PlanarParticle(1.0))
    model.add("rod", sl.DistanceToGround(L=1.0), bob)
    run = sl.simulate(model, t_end=10, positions={"bob.x": 1.0}, formulation="ggl")
    print(run)
    run.t, run["bob.x"], run["bob.x'"], run.joint_forces("rod")["bob"].force

Elements, ends and laws are classes made from the description that the C++ library has of them; their parameters are
arguments with defaults, see help(sunlagrange.LinearSpring). Options of runs are arguments as well, see
help(sunlagrange.simulate). Lists: elements(), formulations(), integrators(), mechanisms(). Classes of results: results.
"""

from ._attachment import Attachment, attach_arkode, attach_cvode, attach_ida, callbacks, initial_values, layout
from ._description import Part
from ._description import classes as _classes
from ._errors import Error, UnknownAttribute as _UnknownAttribute, did_you_mean as _did_you_mean
from ._functions import Function
from ._model import (Assembly, Block, DoubtWarning, Event, EventContext, FunctionModel, Interrupted,
                     JointForce, Measurement, Mechanism,
                     RunFailed, Simulation, Stepper, elements, figures, formulations, integrators, linear_solvers,
                     mechanism, mechanisms, read, schema, simulate, version as __version__)
from ._poses import Motion, Pose, at, moving
from ._results import Analysis, Answer, Record
from ._study import Study, read_study, study
from .results import __all__ as _names_of_results  # makes the module sunlagrange.results

globals().update(_classes)
__all__ = ["Analysis", "Answer", "Assembly", "Attachment", "Block", "DoubtWarning", "Error", "Event", "EventContext", "Function",
           "FunctionModel", "Interrupted", "JointForce", "Measurement", "Mechanism", "Motion", "Part", "Pose", "Record", "RunFailed",
           "Simulation", "Stepper", "Study", "at", "attach_arkode", "attach_cvode", "attach_ida", "callbacks", "elements", "figures",
           "formulations", "initial_values", "integrators", "layout", "linear_solvers", "mechanism", "mechanisms", "moving",
           "read", "read_study", "results", "schema", "simulate", "study", *_classes]


def __getattr__(name):
    raise _UnknownAttribute(f"sunlagrange has no {name!r}{_did_you_mean(name, __all__)}")
