"""Many runs of one mechanism, in this process or through an executor."""

from __future__ import annotations

import functools
import json
import os
import pickle
import queue
from typing import Any, Iterable, Iterator, Mapping

import numpy

from . import _core
from ._errors import Error, finite, flag, listed, mapping, path, unknown, whole, wrong
from ._model import Answer, Assembly, Interrupted, Mechanism


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
          chunk: int | None = None, file: str | os.PathLike | None = None, resume: bool = False, **said: Any) -> Study:
    """Runs a mechanism for all combinations of values; the cases of `sunlagrange study`, with the same results.

    vary: {name: values}. A name is a parameter ("rod.L"), several linked ones that get the same value
    ("rod body.m,rod weight.m": a mass stands in the model as inertia and as weight), a start value that is held ("q(bob.x)", "v(bob.x)"), an option
    of a run ("formulation", "t_end", "gains.K_D"), or "tolerance", both rtol and atol. Values are a list, or a text:
    "linear:FROM:TO:COUNT", "log:FROM:TO:COUNT"; "uniform:FROM:TO", "loguniform:FROM:TO", "normal:MEAN:DEVIATION" are
    drawn `samples` times (default 100), each time for the whole grid of the others.
    executor: None: here, one after the other; else anything with submit() (concurrent.futures, a distributed.Client) or
    map() (multiprocessing.Pool), which gets `chunk` cases at a time. Only picklable objects travel.
    file: where each case is written as it comes, as `sunlagrange study --out` does; either goes on with the other's file.
    resume: go on with the file, which must be of the same elements, parameters, start, options and vary (functions of
    Python are not compared); samples may be more. Without it an existing file is refused. One process writes a file.
    said: as for Mechanism.replace.
    Raises Error for names and listed values that do not fit; a case that fails costs only itself: its status says why.
    Ctrl-C raises Interrupted, whose `partial` is the Study of the cases that are done.
    """
    if isinstance(model, Assembly):
        model = model.build(**said)
    elif said:
        model = model.replace(**said)
    if not (executor is None or hasattr(executor, "submit") or hasattr(executor, "map")):
        raise wrong("executor", executor, "something with submit() or map(), e.g. concurrent.futures.ProcessPoolExecutor()")
    size = None if chunk is None else whole("chunk", chunk, 1)
    plan = (model, [(name, _text(name, values)) for name, values in mapping("vary", vary, "{name: values}").items()],
            whole("samples", samples, most=2**63 - 1), whole("seed", seed, most=2**64 - 1))
    cases = _study_of(plan)
    kept = None
    if file is not None:
        kept = _core.CaseFile(cases, path("file", file), model.name or "the mechanism", flag("resume", resume))
    elif flag("resume", resume):
        raise Error("resume=True: which file? Name it with file")
    lines = {k: line for k, line in kept.lines.items() if k < cases.size} if kept else {}
    left = [k for k in range(cases.size) if k not in lines]
    if executor is None:
        done: Iterator[list[str]] = ([cases.run(k)] for k in left)
    else:
        size = size or max(1, min(100, cases.size // 64))
        chunks = [left[first:first + size] for first in range(0, len(left), size)]
        done = _done(executor, pickle.dumps(plan), chunks)
    try:
        for new in done:
            for line in new:
                lines[json.loads(line)["case"]] = line
                if kept:
                    kept.append(line)
    except KeyboardInterrupt:
        partial = Study(json.loads(cases.heading), map(json.loads, lines.values()))
        raise Interrupted(partial, f"the study was interrupted after {len(lines)} of {cases.size} cases") from None
    if kept:
        kept.sort()
    return Study(json.loads(cases.heading), map(json.loads, lines.values()))


def read_study(file: str | os.PathLike) -> Study:
    """What `sunlagrange study --out FILE` has written, also of one that is still running."""
    with open(path("file", file), encoding="utf-8") as lines:
        try:
            plan, *records = [json.loads(line) for line in lines if line.endswith("\n")]
            if "study" in plan:
                return Study(plan, records)
        except (ValueError, RecursionError):
            pass
    raise Error(f"{os.fspath(file)} is not the file of a study; write one with study(..., file=...) or sunlagrange "
                "study --out")


def _text(name: str, values: Any) -> str:
    if isinstance(values, str):
        return values
    several = listed(values)
    said = [values] if several is None else several
    if not said:
        raise Error(f"vary, {name}=[]: give at least one value")
    return ",".join(_word(f"vary, {name}" + ("" if several is None else f"[{i}]"), x) for i, x in enumerate(said))


def _word(what: str, value: Any) -> str:
    if isinstance(value, (bool, numpy.bool_)):
        return str(bool(value)).lower()
    if isinstance(value, str):
        return value
    if isinstance(value, (int, numpy.integer)):
        return repr(int(value))
    try:
        return repr(finite(what, value))
    except TypeError:
        raise wrong(what, value, "a number, a word, or a list of them") from None


def _study_of(plan: tuple) -> Any:
    model, vary, samples, seed = plan
    return _core.Study(model._core, vary, samples, seed)


@functools.lru_cache(maxsize=2)
def _study_from(pickled: bytes) -> Any:
    return _study_of(pickle.loads(pickled))


def _run_cases(plan: bytes, cases: list[int]) -> list[str]:
    study_ = _study_from(plan)
    return [study_.run(k) for k in cases]


def _done(executor: Any, plan: bytes, chunks: list[list[int]]) -> Iterator[list[str]]:
    """Lines of each chunk, as they come where the executor tells, else in the order of the chunks."""
    work = functools.partial(_run_cases, plan)
    if not hasattr(executor, "submit"):
        yield from getattr(executor, "imap_unordered", executor.map)(work, chunks)
        return
    futures = [executor.submit(work, chunk) for chunk in chunks]
    try:
        yield from _as_they_come(futures)
    finally:
        for future in futures:
            future.cancel()


def _as_they_come(futures: list[Any]) -> Iterator[list[str]]:
    if not all(hasattr(future, "add_done_callback") for future in futures):
        yield from (future.result() for future in futures)
        return
    ended: queue.SimpleQueue = queue.SimpleQueue()
    for future in futures:
        future.add_done_callback(ended.put)
    for _ in futures:
        yield ended.get().result()
