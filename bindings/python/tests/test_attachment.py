# SPDX-License-Identifier: BSD-3-Clause
"""Integrators that another package owns: memory and vectors that ctypes makes with the SUNDIALS of the library."""

import ctypes
import math
import os
import re

import numpy
import pytest

import sunlagrange as sl

address = ctypes.c_void_p
number = ctypes.c_double


def loaded(library):
    """Returns the shared library of this process whose name begins so, or None."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        found = re.search(rf"/\S*/{library}[.]so\S*", maps.read())
    return ctypes.CDLL(found[0]) if found else None


if not os.path.exists("/proc/self/maps") or not loaded("libsundials_cvodes"):
    pytest.skip("the package contains its SUNDIALS, and ctypes finds none of this release", allow_module_level=True)


class Sundials:
    """Functions of SUNDIALS and what they have made."""

    def __init__(self):
        self.libraries = [loaded(f"libsundials_{name}") for name in ("cvodes", "idas", "arkode", "nvecserial", "core")]
        mpi, self.context = loaded("libmpi"), address()
        no_communicator = address()
        if mpi is not None and hasattr(mpi, "ompi_mpi_comm_null"):
            no_communicator = address(ctypes.addressof(ctypes.c_char.in_dll(mpi, "ompi_mpi_comm_null")))
        self.call("SUNContext_Create", no_communicator, ctypes.byref(self.context))

    def function(self, name, result=ctypes.c_int):
        for library in self.libraries:
            if library is not None and hasattr(library, name):
                found = getattr(library, name)
                found.restype = result
                return found
        raise LookupError(name)

    def call(self, name, *arguments):
        assert self.function(name)(*arguments) == 0, name

    def make(self, name, *arguments):
        made = address(self.function(name, address)(*arguments))
        assert made.value, name
        return made

    def vector(self, size):
        return self.make("N_VNew_Serial", index(size), self.context)

    def values(self, vector, size):
        pointer = self.function("N_VGetArrayPointer_Serial", ctypes.POINTER(number))(vector)
        return numpy.ctypeslib.as_array(pointer, (size,))


def index(value):
    return ctypes.c_int64(value)  # a register holds indices of 32 bits as well


@pytest.fixture
def sundials():
    return Sundials()


def pendulum(**said):
    model = sl.Assembly()
    bob = model.add_coordinates("bob", "planar_point")
    model.add("mass", sl.PointMass(m=2.0), bob)
    model.add("weight", sl.UniformGravity(m=2.0), bob)
    model.add("rod", sl.DistanceToGround(L=0.5), bob)
    return model.build(**{"positions": {"bob.x": 0.5}, "t_end": 1.0, "rtol": 1e-9, "atol": 1e-11, **said})


def cvode(sundials, model, first=None):
    """Returns memory of CVODE with BDF and the vector of the unknowns, before the model is attached. first: another q[0]."""
    size = sl.layout(model).size
    y = sundials.vector(size)
    sl.initial_values(model, y)
    if first is not None:
        sundials.values(y, size)[0] = first
    memory = sundials.make("CVodeCreate", 2, sundials.context)
    sundials.call("CVodeInit", memory, address(sl.callbacks()["cvode_rhs"]), number(0.0), y)
    sundials.call("CVodeSStolerances", memory, number(1e-9), number(1e-11))
    return memory, y


def drop(angle):
    """Returns the time in which a pendulum of 0.5 m that starts at the level of its pin reaches this angle below it."""
    s = numpy.linspace(0.0, math.sqrt(angle), 20001)  # angle = s^2 takes the singularity away
    rate = numpy.sqrt(2.0 * 9.81 / 0.5 * numpy.sinc(s**2 / math.pi))  # sqrt(2 g/L sin(s^2)) / s
    return numpy.trapz(2.0 / rate, s) if hasattr(numpy, "trapz") else numpy.trapezoid(2.0 / rate, s)


@pytest.mark.parametrize("formulation", ["baumgarte", "projected", "coordinate_partitioning"])
def test_cvode_of_another_owner_swings_the_pendulum(sundials, formulation):
    model = pendulum(formulation=formulation)
    memory, y = cvode(sundials, model)
    attachment = sl.attach_cvode(memory, sundials.context, y, model)
    at_end = drop(1.2)
    t = number()
    sundials.call("CVodeSetStopTime", memory, number(at_end))
    assert sundials.function("CVode")(memory, number(at_end), y, ctypes.byref(t), 1) >= 0
    state = attachment.motion(t.value, y)
    assert math.isclose(t.value, at_end) and numpy.allclose(state.q, [0.5 * math.cos(1.2), -0.5 * math.sin(1.2)], atol=1e-6)
    assert abs(0.5 * state.v @ state.v + 9.81 * state.q[1]) < 1e-5 and abs(state.q @ state.v) < 1e-6
    pull = 2.0 * (state.v @ state.v / 0.5 + 9.81 * math.sin(1.2))  # towards the pin
    assert math.isclose(numpy.linalg.norm(2.0 * state.a + [0.0, 2.0 * 9.81]), pull, rel_tol=1e-5)
    assert attachment.counts["rhs_evaluations"] > 10
    assert all(line.name and line.used for line in attachment.settings)


def test_ida_of_another_owner_swings_the_pendulum(sundials):
    model = pendulum(formulation="ggl")
    layout = sl.layout(model)
    assert (layout.positions, layout.velocities, layout.multipliers, layout.second_multipliers) == (2, 2, 1, 1)
    y, yp = sundials.vector(layout.size), sundials.vector(layout.size)
    sl.initial_values(model, y.value, yp)
    assert numpy.allclose(sundials.values(yp, layout.size), [0.0, 0.0, 0.0, -9.81, 0.0, 0.0])  # q', v', and no rate of lambda, mu
    memory = sundials.make("IDACreate", sundials.context)
    sundials.call("IDAInit", memory, address(sl.callbacks()["ida_residual"]), number(0.0), y, yp)
    sundials.call("IDASStolerances", memory, number(1e-9), number(1e-11))
    attachment = sl.attach_ida(memory, sundials.context, y, model)
    at_end = drop(1.2)
    t = number()
    sundials.call("IDASetStopTime", memory, number(at_end))
    assert sundials.function("IDASolve")(memory, number(at_end), ctypes.byref(t), y, yp, 1) >= 0
    values = sundials.values(y, layout.size)
    assert numpy.allclose(values[:2], [0.5 * math.cos(1.2), -0.5 * math.sin(1.2)], atol=1e-6)
    assert numpy.array_equal(attachment.motion(t.value, y).q, values[:2])


def test_what_a_function_of_the_model_raises_comes_back(sundials):
    class Broken(Exception):
        pass

    def force(t, q, v):
        if t > 0.1:
            raise Broken("at last")
        return [0.0, -9.81]

    model = sl.FunctionModel(["x", "y"], mass_matrix=lambda t, q: numpy.eye(2), applied_force=force,
                             constraint=lambda t, q: [q @ q - 1.0], num_constraints=1, positions={"x": 1.0}, t_end=1.0, formulation="baumgarte")
    memory, y = cvode(sundials, model)
    attachment = sl.attach_cvode(memory, sundials.context, y, model)
    attachment.raise_failure()  # nothing has failed
    t = number()
    failed = sundials.function("CVode")(memory, number(1.0), y, ctypes.byref(t), 1)
    assert failed < 0 and "at last" in attachment.explain(failed, t.value)
    with pytest.raises(Broken, match="at last"):
        attachment.raise_failure()


def test_arkode_of_another_owner_and_its_start(sundials):
    model = pendulum(formulation="projected")
    size = sl.layout(model).size
    y = sundials.vector(size)
    sl.initial_values(model, y)
    assert numpy.array_equal(sundials.values(y, size), [0.5, 0.0, 0.0, 0.0])
    memory = sundials.make("ARKStepCreate", address(sl.callbacks()["arkode_rhs"]), None, number(0.0), y, sundials.context)
    sundials.call("ARKStepSStolerances", memory, number(1e-9), number(1e-11))
    attachment = sl.attach_arkode(memory, model)
    t = number()
    assert sundials.function("ARKStepEvolve")(memory, number(0.3), y, ctypes.byref(t), 1) >= 0
    state = attachment.motion(t.value, y)
    assert abs(state.q @ state.q - 0.25) < 1e-12 and abs(0.5 * state.v @ state.v + 9.81 * state.q[1]) < 1e-5


def test_what_does_not_fit_is_named(sundials):
    model = pendulum(formulation="baumgarte")
    memory, y = cvode(sundials, model)
    with pytest.raises(sl.Error, match="cvode_memory is null"):
        sl.attach_cvode(0, sundials.context, y, model)
    with pytest.raises(sl.Error, match="y is null"):
        sl.attach_cvode(memory, sundials.context, None, model)
    with pytest.raises(sl.Error, match="ggl"):
        sl.attach_cvode(memory, sundials.context, y, model.replace(formulation="ggl"))
    with pytest.raises(TypeError, match="y='here': must be an address"):
        sl.attach_cvode(memory, sundials.context, "here", model)
    with pytest.raises(TypeError, match="must be a Mechanism"):
        sl.attach_cvode(memory, sundials.context, y, "pendulum")
    memory, y = cvode(sundials, model, first=0.7)
    with pytest.raises(sl.Error, match="rod"):
        sl.attach_cvode(memory, sundials.context, y, model)


def test_vectors_of_another_sundials_are_refused(sundials):
    cosine = ctypes.cast(ctypes.CDLL("libm.so.6").cos, address).value  # of a library without SUNDIALS
    operations = (address * 100)(*[cosine] * 100)
    vector = (address * 3)(None, ctypes.addressof(operations), sundials.context)
    model = pendulum(formulation="baumgarte")
    memory, _ = cvode(sundials, model)
    for attach in (lambda y: sl.attach_cvode(memory, sundials.context, y, model), lambda y: sl.initial_values(model, y)):
        with pytest.raises(sl.Error, match=r"y belongs to \S*libm\S*, which has no SUNDIALS"):
            attach(ctypes.addressof(vector))
