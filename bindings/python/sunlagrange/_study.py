# SPDX-License-Identifier: BSD-3-Clause
"""Many runs of one mechanism, in this process or through an executor."""

from __future__ import annotations

import functools
import json
import os
import pickle
import queue
from typing import Any, Callable, Iterable, Iterator, Mapping

import numpy

from . import _core, _tables
from ._errors import Error, finite, flag, listed, mapping, path, unknown, whole, wrong
from ._model import Assembly, Interrupted, Mechanism, _mechanism
from ._options import with_changes
from ._results import Record, _Page, answer


class Study(_Page):
    """The results of study(): a record for each case in the order of the cases. It can be pickled, without its page.

    records: case, values, status, message, doubts, q_end, ... of each case, as the program writes them; plan: the
    description of the study. result["bob.x"] has the end values, the varied values, or a number that was observed, of all
    cases; figure("steps") another figure. write_html() writes a page with forces, maxima and curves of each case; it runs the first 24 again.
    """

    plan: Record
    records: list[Record]

    def __init__(self, plan: Mapping[str, Any], records: Iterable[Mapping[str, Any]], page: Callable[[str], str] | None = None):
        self.plan = answer(dict(plan))
        self.records = [answer(record) for record in sorted(records, key=lambda record: record["case"])]
        self._page = page

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_page": None}

    def __len__(self) -> int:
        return len(self.records)

    def __repr__(self) -> str:
        counts = [f"{(self.status == status).sum()} {status}" for status in sorted(set(self.status))]
        return f"<Study of {', '.join(self.values) or 'one case'}: {', '.join(counts) or 'no case yet'}>"

    @property
    def status(self) -> numpy.ndarray:
        """Status of each case: finished, refused (its values do not fit), or another outcome of a run."""
        return numpy.array([record.status for record in self.records], dtype=str)

    @property
    def finished(self) -> numpy.ndarray:
        """True for each case that finished."""
        return self.status == "finished"

    @property
    def values(self) -> dict[str, numpy.ndarray]:
        """The varied quantities by name: a value for each case."""
        return {given["name"]: numpy.array([record["values"][given["name"]] for record in self.records])
                for given in self.plan.vary}

    @property
    def q(self) -> numpy.ndarray:
        """Positions at the end, (cases, coordinates); not-a-number if the run did not reach it."""
        return self._ends("q_end")

    @property
    def v(self) -> numpy.ndarray:
        """Velocities at the end, (cases, coordinates)."""
        return self._ends("v_end")

    @property
    def position_names(self) -> list[str]:
        """Names of the columns of q and v."""
        return self.plan.coordinates

    def figure(self, name: str) -> numpy.ndarray:
        """Returns one figure of all cases: steps, rhs_evaluations, factorizations, t_reached, max_position_violation or
        energy_drift, a number that was observed, or a column as result[name] has it; not-a-number for cases without it."""
        if name not in self._figures:
            return self[name]
        return numpy.array([record[name] for record in self.records], dtype=float)

    @property
    def observed(self) -> dict[str, numpy.ndarray]:
        """The numbers of the motion that were asked for, by their words: a value for each case."""
        return {words: numpy.array([record["observed"][words] for record in self.records], dtype=float)
                for words in self.plan.get("observe", [])}

    def velocity(self, name: str) -> numpy.ndarray:
        """Returns the velocity of one coordinate at the end."""
        return self.v[:, self._column(name)]

    def to_dataframe(self) -> Any:
        """Returns a pandas.DataFrame with a row for each case: status, varied values, end values, and figures."""
        pandas = _tables._package("pandas", "to_dataframe()")
        table: dict[str, Any] = {"status": self.status, **self.values}
        table.update({name: self.q[:, i] for i, name in enumerate(self.position_names)})
        table.update({name + "'": self.v[:, i] for i, name in enumerate(self.position_names)})
        table.update(self.observed)
        table.update({name: self.figure(name) for name in self._figures if name != "case" and name not in table})
        return pandas.DataFrame(table, index=pandas.Index([record["case"] for record in self.records], name="case"))

    def plot(self, x: str, y: str, ax: Any = None) -> Any:
        """Draws one column of the cases over another with matplotlib, varied values, end values, or figures, and returns the
        axes. ax: axes to draw into."""
        return _tables.scatter(self.figure(x), self.figure(y), (x, y), ax)

    @property
    def _figures(self) -> list[str]:
        return [name for name, value in (self.records[0] if self.records else {}).items()
                if name not in ("q_end", "v_end") and (value is None or isinstance(value, (int, float)))]

    def __getitem__(self, name: str) -> numpy.ndarray:
        for known in (self.values, self.observed):
            if name in known:
                return known[name]
        return self.q[:, self._column(name)]

    def _column(self, name: str) -> int:
        if name not in self.position_names:
            raise unknown("column", name, [*self.values, *self.position_names, *self.observed, *self._figures])
        return self.position_names.index(name)

    def _ends(self, field: str) -> numpy.ndarray:
        missing = [None] * len(self.position_names)
        return numpy.array([record[field] if record.status in ("finished", "uncertain_branch") else missing
                            for record in self.records], dtype=float).reshape(len(self), len(self.position_names))


@with_changes
def study(model: Mechanism | Assembly, vary: Mapping[str, Any], samples: int = 0, seed: int = 1, executor: Any = None,
          chunk: int | None = None, file: str | os.PathLike[str] | None = None, resume: bool = False,
          observe: Iterable[str] = (), **changes: Any) -> Study:
    """Runs a mechanism for all combinations of values. Cases and results are those of `sunlagrange study`.

    vary: {name: values}. A name is a parameter ("rod.L"), several linked ones that get the same value
    ("rod body.m,rod weight.m", since a mass is both inertia and weight), a start value that is held ("q(bob.x)",
    "v(bob.x)"), an option of a run ("formulation", "t_end", "gains.K_D"), or "tolerance", both rtol and atol. Values are
    a list, also with units, [(30, "deg"), (60, "deg")], or a text: "linear:FROM:TO:COUNT", "log:FROM:TO:COUNT";
    "uniform:FROM:TO", "loguniform:FROM:TO", "normal:MEAN:DEVIATION" are random, with `samples` samples (default 100) of the whole grid of the others.
    observe: numbers of the motion of each case: "final", "least", "largest", "integral" or "mean" ("mean square") of a
    coordinate, its rate or a multiplier, "largest bob.x'", and the force of a joint [N] or the power of an element [W],
    "largest force:D", "least power:motor". Extremes are those of the accepted steps.
    executor: None: this process runs the cases one after the other; otherwise an object with submit()
    (concurrent.futures, a distributed.Client) or map() (multiprocessing.Pool), which gets `chunk` cases at a time. Only
    picklable objects are sent.
    file: each case is written to this file when it is finished, as by `sunlagrange study --out`; both can continue a
    file of the other.
    resume: continues the file, which must have the same elements, parameters, start, options and vary (functions of
    Python are not compared); there may be more samples. Without resume an existing file is refused. One process writes
    a file.
    Raises Error for names and listed values that do not fit. A case that fails does not affect the others; its status
    has the reason. Ctrl-C raises Interrupted, whose `partial` is the Study of the finished cases.
    """
    model = _mechanism(model, changes)
    if not (executor is None or hasattr(executor, "submit") or hasattr(executor, "map")):
        raise wrong("executor", executor, "something with submit() or map(), e.g. concurrent.futures.ProcessPoolExecutor()")
    size = None if chunk is None else whole("chunk", chunk, 1)
    plan = (model, [(name, _text(name, values)) for name, values in mapping("vary", vary, "{name: values}").items()],
            whole("samples", samples, most=2**63 - 1), whole("seed", seed, most=2**64 - 1),
            [observe] if isinstance(observe, str) else list(observe))
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
    lost = [k for k in left if k not in lines]
    if lost:
        raise Error(f"executor: it returned no result for {len(lost)} of {len(left)} cases, the first of them case {lost[0]}; "
                    "its map() must return one result for each chunk"
                    + ("; go on with resume=True and another executor" if kept else ""))
    if kept:
        kept.sort()
    return Study(json.loads(cases.heading), map(json.loads, lines.values()), lambda title: cases.page(list(lines.values()), title))


def read_study(file: str | os.PathLike[str]) -> Study:
    """Reads a file of `sunlagrange study --out FILE`, also of a study that is still running."""
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
    several = None if _has_unit(values) else listed(values)
    given = [values] if several is None else several
    if not given:
        raise Error(f"vary, {name}=[]: give at least one value")
    return ",".join(_word(f"vary, {name}" + ("" if several is None else f"[{i}]"), x) for i, x in enumerate(given))


def _has_unit(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and not isinstance(value[0], str) and isinstance(value[1], str)


def _word(what: str, value: Any) -> str:
    if _has_unit(value):
        return _word(what, value[0]) + value[1]
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
    model, vary, samples, seed, observe = plan
    return _core.Study(model._core, vary, samples, seed, observe)


@functools.lru_cache(maxsize=2)
def _study_from(pickled: bytes) -> Any:
    return _study_of(pickle.loads(pickled))


def _run_cases(plan: bytes, cases: list[int]) -> list[str]:
    study_ = _study_from(plan)
    return [study_.run(k) for k in cases]


def _done(executor: Any, plan: bytes, chunks: list[list[int]]) -> Iterator[list[str]]:
    """Returns the lines of each chunk when it is finished, or in the order of the chunks if the executor has no callback."""
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
