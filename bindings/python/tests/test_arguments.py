# SPDX-License-Identifier: BSD-3-Clause
"""Wrong arguments: each is an Error that names the field, and the value or what would be right."""

import inspect
import re

import numpy
import pytest

import sunlagrange as sl


def pendulum(**said):
    model = sl.Assembly()
    bob = model.add_coordinates("bob", "planar_point")
    model.add("mass", sl.PointMass(m=2.0), bob)
    model.add("weight", sl.UniformGravity(m=2.0), bob)
    model.add("rod", sl.DistanceToGround(L=0.5), bob)
    return model.build(**{"positions": {"bob.x": 0.3, "bob.y": -0.4}, "t_end": 0.1, **said})


M = pendulum()
RUN = M.simulate()
NAN, INF = float("nan"), float("inf")
NO_LIST = [None, 1.0, "many", b"many", {"a": 1.0}, object()]
NO_REALS = [*NO_LIST, [None], ["a"], ["1.0"], [[1.0], [2.0]], [1.0, {"a": 1.0}], [NAN], [1.0, INF], [1j],
            numpy.ones((2, 2)), numpy.array(["a"]), numpy.array(1.0)]
NO_NAMES = [None, 1.0, [None], [1], [["bob.x"]], {"bob.x": 1.0}, ["bob.z"], "bob.z"]
NO_REAL = [None, "1.0", "a", [1.0], {"a": 1.0}, NAN, INF, 1j, object()]
NO_COUNT = [None, "3", 1.5, [1], -1, 10**12, NAN, True, {}]
NO_FLAG = [None, 1, "yes", []]
NO_TEXT = [None, 1, ["bob.x"], {}]
STATE = ([0.3, -0.4], [0.0, 0.0], [0.0, 0.0])


NAMES_OF_CPP = r"incompatible function arguments|_core|::|\bstd\b|\bC\+\+|\.hpp|Eigen|json\.exception|SimulationOptions"


def swapped(at, said):
    return [said if i == at else vector for i, vector in enumerate(STATE)]


def measured(*said):
    return M.identify([sl.Measurement(*said)], parameters=["rod.L"])


CALLS = {  # field: (call, wrong values)
    "kinematics coordinate": (lambda x: M.kinematics(x, [0.3, 0.2]), [*NO_TEXT, "bob.z"]),
    "kinematics grid": (lambda x: M.kinematics("bob.x", x), NO_REALS),
    "kinematics max_dead_points": (lambda x: M.kinematics("bob.x", [0.3], x), NO_COUNT),
    "workspace point": (lambda x: M.workspace(x, {"bob.x": (0.3, 0.2, 2)}), NO_NAMES),
    "workspace drives": (lambda x: M.workspace("bob", x), [None, 1.0, "bob.x", ["bob.x"], [("bob.x", 0.0, 1.0, 2)], {1: (0, 1, 2)}]),
    "workspace bob.x": (lambda x: M.workspace("bob", {"bob.x": x}),
                        [None, 1.0, "abc", (0.3, 0.2), (0.3, 0.2, 2, 2), {"from": 0.3}, (0.3, "a", 2), (0.3, 0.2, 2.5),
                         (0.3, 0.2, "2"), (NAN, 0.2, 2), (0.3, 0.2, None), (0.3, 0.2, -2), ([0.3], 0.2, 2)]),
    "workspace drives, bob.z": (lambda x: M.workspace("bob", {x: (0.3, 0.2, 2)}), ["bob.z"]),
    "workspace offset": (lambda x: M.workspace("bob", {"bob.x": (0.3, 0.2, 2)}, offset=x), [*NO_REALS, [0.0] * 4]),
    "workspace limits": (lambda x: M.workspace("bob", {"bob.x": (0.3, 0.2, 2)}, limits=x),
                         [1.0, "bob.x", ["bob.x"], {1: (0, 1)}, {"bob.y": None}, {"bob.y": (0.0,)}, {"bob.y": ("a", 1.0)},
                          {"bob.y": (NAN, 1.0)}, {"bob.z": (0.0, 1.0)}]),
    "evaluate t": (lambda x: M.evaluate(x, *STATE[:2]), NO_REAL),
    "evaluate q": (lambda x: M.evaluate(0.0, x), [*NO_REALS, [1.0]]),
    "evaluate v": (lambda x: M.evaluate(0.0, STATE[0], x), [*NO_REALS[1:], [1.0]]),
    "inverse_dynamics t": (lambda x: M.inverse_dynamics(x, *STATE, ["bob.x"]), NO_REAL),
    "inverse_dynamics q": (lambda x: M.inverse_dynamics(0.0, *swapped(0, x), ["bob.x"]), [*NO_REALS, [1.0]]),
    "inverse_dynamics v": (lambda x: M.inverse_dynamics(0.0, *swapped(1, x), ["bob.x"]), [*NO_REALS, [1.0]]),
    "inverse_dynamics a": (lambda x: M.inverse_dynamics(0.0, *swapped(2, x), ["bob.x"]), [*NO_REALS, [1.0]]),
    "inverse_dynamics drives": (lambda x: M.inverse_dynamics(0.0, *STATE, x), NO_NAMES),
    "drive_forces times": (lambda x: M.drive_forces(x, {"bob.x": [0.3, 0.29, 0.27, 0.24]}), [*NO_REALS, [0.1], [0.2, 0.1, 0.0, -0.1]]),
    "drive_forces motions": (lambda x: M.drive_forces([0.0, 0.1, 0.2, 0.3], x), [None, 1.0, "bob.x", ["bob.x"], {}, {1: [0.3, 0.29, 0.27, 0.24]}]),
    "drive_forces bob.x": (lambda x: M.drive_forces([0.0, 0.1, 0.2, 0.3], {"bob.x": x}), [*NO_REALS, [0.3]]),
    "drive_forces motions, bob.z": (lambda x: M.drive_forces([0.0, 0.1, 0.2, 0.3], {x: [0.3, 0.29, 0.27, 0.24]}), ["bob.z"]),
    "equilibria starts": (lambda x: M.equilibria(x), NO_COUNT),
    "equilibria spread": (lambda x: M.equilibria(1, x), NO_REAL),
    "equilibria seed": (lambda x: M.equilibria(1, 1.0, x), NO_COUNT),
    "certify eps": (lambda x: M.certify(x), NO_REAL),
    "certify sampled": (lambda x: M.certify(1e-4, x), NO_FLAG),
    "state_space inputs": (lambda x: M.state_space(inputs=x), NO_NAMES),
    "state_space outputs": (lambda x: M.state_space(outputs=x), NO_NAMES),
    "with_parameters values": (lambda x: M.with_parameters(x), [None, 1.0, "rod.L", ["rod.L"], {"rod.l": 1.0}, {1: 1.0}]),
    "with_parameters rod.L": (lambda x: M.with_parameters({"rod.L": x}), [*NO_REAL, -1.0]),
    "sensitivities parameters": (lambda x: M.sensitivities(x), NO_NAMES),
    "sensitivities start_positions": (lambda x: M.sensitivities(start_positions=x), NO_NAMES),
    "sensitivities start_velocities": (lambda x: M.sensitivities(start_velocities=x), NO_NAMES),
    "sensitivities times": (lambda x: M.sensitivities(["rod.L"], times=x), [*NO_REALS, [7.0]]),
    "sensitivities method": (lambda x: M.sensitivities(["rod.L"], method=x), [*NO_TEXT, "stagered"]),
    "sensitivities error_control": (lambda x: M.sensitivities(["rod.L"], error_control=x), NO_FLAG),
    "sensitivities events": (lambda x: M.sensitivities(["rod.L"], events=x), [None, 1, "a", ["a"], [None], {"a": 1}]),
    "sensitivities event_parameters": (lambda x: M.sensitivities(["rod.L"], event_parameters=x),
                                       [1, "e", ["e"], {"e": 1.0}, {"e": (1.0,)}, {"e": ("a", list)}, {"e": (1.0, None)}, {"e": (NAN, list)}]),
    "gradient functional": (lambda x: M.gradient(x, ["rod.L"]), [*NO_TEXT, "final bob.z", "last bob.x"]),
    "gradient parameters": (lambda x: M.gradient("final bob.x", x), NO_NAMES),
    "gradient checkpoint_interval": (lambda x: M.gradient("final bob.x", ["rod.L"], checkpoint_interval=x), NO_COUNT),
    "identify measurements": (lambda x: M.identify(x, ["rod.L"]),
                              [None, 1.0, "bob.x", ["bob.x"], [None], {"bob.x": 1.0}, [("bob.x", [0.1], [0.1])]]),
    "identify output": (lambda x: measured(x, [0.1], [0.3]), [*NO_TEXT, "bob.z"]),
    "identify t": (lambda x: measured("bob.x", x, [0.3]), NO_REALS),
    "identify values": (lambda x: measured("bob.x", [0.1], x), [*NO_REALS, [1.0, 2.0]]),
    "identify deviation": (lambda x: measured("bob.x", [0.1], [0.3], x), [*NO_REAL, -1.0]),
    "identify parameters": (lambda x: M.identify([sl.Measurement("bob.x", [0.1], [0.3])], x), NO_NAMES),
    "identify deviations_known": (lambda x: M.identify([sl.Measurement("bob.x", [0.1], [0.3])], ["rod.L"], deviations_known=x), NO_FLAG),
    "identify max_runs": (lambda x: M.identify([sl.Measurement("bob.x", [0.1], [0.3])], ["rod.L"], max_runs=x), NO_COUNT),
    "simulate record": (lambda x: M.simulate(record=x),
                        [None, "every step", 1.5, 0, -3, 10**12, True, ["a"], [NAN], [[0.1]], {"a": 1}, {0.1, "b"}, [7.0]]),
    "simulate events": (lambda x: M.simulate(events=x), [None, 1, "a", ["a"], [None], {"a": 1}]),
    "simulate progress": (lambda x: M.simulate(progress=x), [1, "a", []]),
    "simulate check": (lambda x: M.simulate(check=x), NO_FLAG),
    "simulate rtol": (lambda x: M.simulate(rtol=x), [None, "a", [1.0], {}, NAN, -1.0]),
    "simulate t_end": (lambda x: M.simulate(t_end=x), [None, "a", [1.0], {}, NAN, -1.0]),
    "simulate formulation": (lambda x: M.simulate(formulation=x), [None, 1, ["ggl"], {}, "gl", b"ggl"]),
    "simulate K_D": (lambda x: M.simulate(gains={"K_D": x}), ["a", [[1.0, 0.0], [0.0, 1.0]], numpy.ones((2, 2))]),
    "simulate positions": (lambda x: M.simulate(positions=x), [1, "bob.x", ["bob.x"], {"bob.z": 1.0}, {"bob.x": "a"}, {"bob.x": [1.0]}, {"bob.x": NAN}, {1: 1.0}]),
    "simulate held_positions": (lambda x: M.simulate(held_positions=x), [1, [1], {"bob.z": 1.0}, ["bob.z"], {"bob.x": None}]),
    "stepper record": (lambda x: sl.Stepper(M, record=x), [None, "every step", 1.5, ["a"], {}]),
    "stepper checkpoint": (lambda x: sl.Stepper(M, checkpoint=x), [1, [], "", " ", "{", "{}"]),
    "stepper t": (lambda x: sl.Stepper(M).advance_to(x), NO_REAL),
    "stepper observer": (lambda x: sl.Stepper(M).advance_to(0.05, x), [1, "a"]),
    "stepper name": (lambda x: sl.Stepper(M).set(x, 1.0), [*NO_TEXT, "push"]),
    "read name": (lambda x: sl.Stepper(M).read(x), [*NO_TEXT, "bob.z"]),
    "objection formulation": (lambda x: M.objection(x), [*NO_TEXT, "gl"]),
    "objection integrator": (lambda x: M.objection("ggl", x), NO_TEXT),
    "position_at t": (RUN.position_at, [*(x for x in NO_REAL if not isinstance(x, list)), ["a"], [[0.1]], [NAN]]),
    "reactions t": (RUN.reactions, NO_REAL),
    "power_balance t": (RUN.power_balance, NO_REAL),
    "multipliers_of constraint": (RUN.multipliers_of, [*NO_TEXT, "rodd"]),
    "forces constraint": (RUN.forces, [*NO_TEXT, "rodd"]),
    "joint_forces joint": (RUN.joint_forces, [1, ["rod"], "rodd"]),
    "write_csv file": (RUN.write_csv, [None, 1, []]),
    "read file": (sl.read, [None, 1, []]),
    "mechanism name": (sl.mechanism, [None, 1, "pendulun"]),
    "study vary": (lambda x: sl.study(M, x), [None, 1, "rod.L", ["rod.L"], {1: [1.0]}]),
    "study rod.L": (lambda x: sl.study(M, {"rod.L": x}), [None, {"a": 1}, [None], [[0.5], [0.6]], [NAN], ["a"], [], object()]),
    "study samples": (lambda x: sl.study(M, {"rod.L": "normal:0.5:0.01"}, samples=x), [x for x in NO_COUNT if x != 10**12]),
    "study seed": (lambda x: sl.study(M, {"rod.L": [0.5]}, seed=x), [x for x in NO_COUNT if x != 10**12]),
    "study chunk": (lambda x: sl.study(M, {"rod.L": [0.5]}, chunk=x), ["3", 1.5, [1], -1, 0]),
    "study executor": (lambda x: sl.study(M, {"rod.L": [0.5]}, executor=x), [1, "threads", []]),
    "function coordinates": (lambda x: sl.FunctionModel(x, len, len), [None, 1, [1], {"x": 1}]),
    "function mass_matrix": (lambda x: sl.FunctionModel(["x"], x, len), [None, 1, [[1.0]]]),
    "function num_constraints": (lambda x: sl.FunctionModel(["x"], len, len, len, x), NO_COUNT[1:]),
    "function applied_force": (lambda x: sl.FunctionModel(["x"], lambda t, q: [[1.0]], x), [None, 1, lambda t, q: [1.0]]),
    "function constraint": (lambda x: sl.FunctionModel(["x"], lambda t, q: [[1.0]], lambda t, q, v: [1.0], x),
                            [1, lambda q: q, lambda t, q: None]),
    "event function": (lambda x: sl.Event("turn", x), [1, lambda t: t]),
    "event action": (lambda x: sl.Event("turn", times=[1.0], action=x), [1, lambda: None]),
    "simulate model": (sl.simulate, [None, 5, "file.json"]),
    "study model": (lambda x: sl.study(x, {"rod.L": [0.5]}), [None, 5, "file.json"]),
    "stepper model": (sl.Stepper, [None, 5]),
    "write_html title": (RUN.html, [None, 5, ["a"]]),
    "impact restitution": (lambda x: sl.Event.impact("rod", x), NO_REAL),
    "release_when limit": (lambda x: sl.Event.release_when("rod", x), NO_REAL),
    "contact constraint": (sl.Event.contact, NO_TEXT),
}


@pytest.mark.parametrize("field", CALLS)
def test_what_does_not_fit_is_an_error_that_names_the_field(field):
    call, values = CALLS[field]
    for value in values:
        try:
            call(value)
        except sl.Error as error:
            message = str(error)
            assert not re.search(NAMES_OF_CPP, message), f"{value!r}: {message}"
            word = field.split(" ", 1)[1]
            values_named = [value] if isinstance(value, str) else [*value] if isinstance(value, dict) else []
            said = any(isinstance(name, str) and name in message for name in [*values_named, "bob.z"])
            assert word in message or said or word.rpartition(".")[2] + " = " in message, f"{value!r}: {message}"
        except Exception as error:
            pytest.fail(f"{field} = {value!r}: {type(error).__name__}: {error}")
        else:
            pytest.fail(f"{field} = {value!r} is accepted")


def test_every_method_of_a_mechanism_that_is_asked_something_is_among_them():
    asked = {name for name, method in inspect.getmembers(sl.Mechanism, inspect.isfunction)
             if not name.startswith("_") and len(inspect.signature(method).parameters) > 1}
    tried = {field.split(" ")[0] for field in CALLS}
    assert asked - tried <= {"replace", "write"}  # replace() is what simulate() does with its options


def test_what_fits_is_taken_in_all_its_forms():
    grid = numpy.linspace(0.3, 0.2, 3)
    expected = M.kinematics("bob.x", list(grid)).branches[0].q
    for same in (grid, tuple(grid), (x for x in grid), grid.astype(numpy.float64)):
        assert (M.kinematics("bob.x", same, numpy.int64(0)).branches[0].q == expected).all()
    places = M.workspace("bob", {"bob.x": [0.3, 0.2, numpy.int32(3)]}, limits={"bob.y": (-INF, INF)}).places
    assert numpy.allclose(places, M.workspace("bob", {"bob.x": (0.3, 0.2, 3)}).places)
    for record in ("every_step", numpy.int64(2), (0.05, 0.1), numpy.array([0.05, 0.1])):
        assert M.simulate(record=record).finished
    for times in (([50, 100], "ms"), [0.05, (100, "ms")]):
        assert (M.simulate(record=times).t == M.simulate(record=[0.05, 0.1]).t).all()
        assert (M.sensitivities(["rod.L"], times=times).t == [0.05, 0.1]).all()
    assert M.simulate(events=[sl.Event("turn", times=[(50, "ms")])]).events[0].t == 0.05
    assert M.with_parameters({"rod.L": (50, "cm")}).parameters == M.parameters
    assert sl.moving((1.0, 0.0), (90, "deg/s")).angular_velocity[2] == pytest.approx(numpy.pi / 2)
    assert sl.moving(((100.0, 0.0), "cm/s"), ((0, 0, 90), "deg/s")).velocity[0] == 1.0
    held = pendulum(held_positions="bob.x")
    measured_ = [held.identify(sl.Measurement("bob.x", *said), ["rod.L"]).estimates[0] for said in (
        ([0.05, 0.1], [0.29, 0.28], 0.001), (([50, 100], "ms"), ([29, 28], "cm"), (1, "mm")))]
    assert measured_[0] == pytest.approx(measured_[1], rel=1e-12)


def test_one_start_value_is_given_once():
    for guessed, kept in ((0.3, 0.2), ((30, "cm"), 0.2)):
        with pytest.raises(sl.Error, match=r"positions, bob.x=.* and held_positions, bob.x=0.2: are two values"):
            M.replace(positions={"bob.x": guessed}, held_positions={"bob.x": kept})
    with pytest.raises(sl.Error, match="held_velocities, bob.x=2.0: are two values"):
        M.replace(velocities={"bob.x": 1.0}, held_velocities={"bob.x": 2.0})
    assert M.replace(positions={"bob.x": 0.3}, held_positions={"bob.x": 0.3}).simulate().q[0, 0] == 0.3
