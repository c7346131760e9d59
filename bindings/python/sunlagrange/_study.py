"""Many runs of one mechanism, in this process or through an executor."""

from __future__ import annotations

import functools
import json
import os
import pickle
from typing import Any, Iterable, Mapping

import numpy

from . import _core
from ._errors import unknown
from ._model import Answer, Assembly, Mechanism


class Study:
    """What came out of study(): a record for each case, in their order. Can be pickled.

    records: as the program writes them, case, values, status, message, doubts, q_end, ... as Answers; plan: what was
    asked. result["bob.x"] is an end value, or what was varied, of all cases; figure("steps") another number.
    """

    def __init__(self, plan: Mapping[str, Any], records: Iterable[Mapping[str, Any]]):
        self.plan = Answer(plan)
        self.records = [Answer(record) for record in sorted(records, key=lambda record: record["case"])]

    def __len__(self) -> int:
        return len(self.records)

    def __repr__(self) -> str:
        counts = [f"{(self.status == status).sum()} {status}" for status in sorted(set(self.status))]
        return f"<Study of {', '.join(self.values) or 'one case'}: {', '.join(counts) or 'no case yet'}>"

    @property
    def status(self) -> numpy.ndarray:
        """How each case ended: finished, refused (its values do not fit), or another outcome of a run."""
        return numpy.array([record.status for record in self.records], dtype=str)

    @property
    def finished(self) -> numpy.ndarray:
        """Which cases did."""
        return self.status == "finished"

    @property
    def values(self) -> dict[str, numpy.ndarray]:
        """What was varied, by name: a value for each case."""
        return {said["name"]: numpy.array([record["values"][said["name"]] for record in self.records])
                for said in self.plan.vary}

    @property
    def q(self) -> numpy.ndarray:
        """Positions at the end, (cases, coordinates); not-a-number where the run did not get there."""
        return self._ends("q_end")

    @property
    def v(self) -> numpy.ndarray:
        """The same for velocities."""
        return self._ends("v_end")

    @property
    def position_names(self) -> list[str]:
        """Of the columns of q and v."""
        return self.plan.coordinates

    def figure(self, name: str) -> numpy.ndarray:
        """steps, rhs_evaluations, factorizations, t_reached, max_position_violation, energy_drift; else not-a-number."""
        if self.records and name not in self.records[0]:
            raise unknown("figure", name, self.records[0])
        return numpy.array([record[name] for record in self.records], dtype=float)

    def velocity(self, name: str) -> numpy.ndarray:
        """Of one coordinate at the end."""
        return self.v[:, self._column(name)]

    def __getitem__(self, name: str) -> numpy.ndarray:
        return self.values[name] if name in self.values else self.q[:, self._column(name)]

    def _column(self, name: str) -> int:
        if name not in self.position_names:
            raise unknown("", name, [*self.values, *self.position_names])
        return self.position_names.index(name)

    def _ends(self, field: str) -> numpy.ndarray:
        missing = [None] * len(self.position_names)
        return numpy.array([record[field] if record.status in ("finished", "uncertain_branch") else missing
                            for record in self.records], dtype=float).reshape(len(self), len(self.position_names))


def study(model: Mechanism | Assembly, vary: Mapping[str, Any], samples: int = 0, seed: int = 1, executor: Any = None,
          chunk: int | None = None, **said: Any) -> Study:
    """Runs a mechanism for all combinations of values; the cases of `sunlagrange-bench study`, with the same results.

    vary: {name: values}. A name is a parameter ("rod.L"), several linked ones that get the same value
    ("rod body.m,rod weight.m": a mass stands in the model as inertia and as weight), a start value that is held ("q(bob.x)", "v(bob.x)"), an option
    of a run ("formulation", "t_end", "gains.K_D"), or "tolerance", both rtol and atol. Values are a list, or a text:
    "linear:FROM:TO:COUNT", "log:FROM:TO:COUNT"; "uniform:FROM:TO", "loguniform:FROM:TO", "normal:MEAN:DEVIATION" are
    drawn `samples` times (default 100), each time for the whole grid of the others.
    executor: None: here, one after the other; else anything with submit() (concurrent.futures, a distributed.Client) or
    map() (multiprocessing.Pool), which gets `chunk` cases at a time. Only picklable objects travel.
    said: as for Mechanism.replace.
    Raises Error for names and listed values that do not fit; a case that fails costs only itself: its status says why.
    """
    if isinstance(model, Assembly):
        model = model.build(**said)
    elif said:
        model = model.replace(**said)
    plan = (model, [(name, _text(values)) for name, values in vary.items()], samples, seed)
    cases = _study_of(plan)
    if executor is None:
        lines = [cases.run(k) for k in range(cases.size)]
    else:
        size = chunk or max(1, min(100, cases.size // 64))
        chunks = [range(first, min(first + size, cases.size)) for first in range(0, cases.size, size)]
        lines = [line for done in _done(executor, pickle.dumps(plan), chunks) for line in done]
    return Study(json.loads(cases.heading), map(json.loads, lines))


def read_study(file: str | os.PathLike) -> Study:
    """What `sunlagrange-bench study --out FILE` has written, also of one that is still running."""
    with open(file, encoding="utf-8") as lines:
        try:
            plan, *records = [json.loads(line) for line in lines if line.endswith("\n")]
            if "study" in plan:
                return Study(plan, records)
        except ValueError:
            pass
    raise _core.Error(f"{os.fspath(file)} is not the file of a study; write one with sunlagrange-bench study --out")


def _text(values: Any) -> str:
    if isinstance(values, str):
        return values
    return ",".join(str(x).lower() if isinstance(x, (bool, numpy.bool_)) else x if isinstance(x, str) else repr(x)
                    for x in numpy.atleast_1d(numpy.asarray(values)).tolist())


def _study_of(plan: tuple) -> Any:
    model, vary, samples, seed = plan
    return _core.Study(model._core, vary, samples, seed)


@functools.lru_cache(maxsize=2)
def _study_from(pickled: bytes) -> Any:
    return _study_of(pickle.loads(pickled))


def _run_cases(plan: bytes, cases: range) -> list[str]:
    study_ = _study_from(plan)
    return [study_.run(k) for k in cases]


def _done(executor: Any, plan: bytes, chunks: list[range]) -> list[list[str]]:
    work = functools.partial(_run_cases, plan)
    if not hasattr(executor, "submit"):
        return list(executor.map(work, chunks))
    futures = [executor.submit(work, chunk) for chunk in chunks]
    try:
        return [future.result() for future in futures]
    except BaseException:
        for future in futures:
            future.cancel()
        raise
