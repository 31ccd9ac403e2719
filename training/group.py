"""The answers to one prompt: each judged as it comes, those that pass measured together, the original among them.

All take turns on one core, so that one drift of the machine meets them alike. What a program prints while it is
measured is compared as well: one that is right when it is judged and quick when it is measured gains nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Protocol

from venus_toolkit.answers import read_answer
from venus_toolkit.engine import Seat
from venus_toolkit.errors import SandboxError
from venus_toolkit.records import Verdict
from venus_toolkit.training.origins import Origins, Reference
from venus_toolkit.training.reward_options import RewardOptions
from venus_toolkit.training.work import NO_CODE, Objective, Origin, Outcome, judge_answer, measure_answers, one_line
from venus_toolkit.training.workplace import Workers, tried, when_all

FEWEST = 4  # programs that are worth an original of their own beside them


class Place(Protocol):
    """Who tries answers, and what they are tried with."""

    options: RewardOptions
    workers: Workers
    origins: Origins


class Group:
    """The answers to one prompt.

    Args:
        reference: What they are judged with.
        place: Where.
    """

    def __init__(self, reference: Reference, place: Place) -> None:
        self._reference = reference
        self._place = place
        self._language = place.origins.language(reference)
        self._objective = Objective(reference.type, place.options.figure, place.options.measure)
        self._origin = place.workers.do(lambda seat: tried(lambda: place.origins.find(reference, seat)))
        self._judged: dict[str, Future[Outcome]] = {}
        self._measured: dict[str, Future[dict[str, Outcome]]] = {}
        self._sealed: list[Future[None]] = []
        self._mutex = threading.Lock()

    def add(self, text: str) -> None:
        """Begin to judge an answer, unless another one has the same code."""
        code = read_answer(text, self._language).code
        with self._mutex:
            if code is not None and code not in self._judged:
                self._judged[code] = self._place.workers.do(partial(self._judge, code))

    def seal(self, parts: int = 1) -> None:
        """Measure all that passes of what was added, as soon as it is judged, in up to `parts` parts at once."""
        sealed: Future[None] = Future()
        with self._mutex:
            codes = {code: future for code, future in self._judged.items() if code not in self._measured}
            shares: Future[dict[str, Outcome]] = Future()
            self._measured |= dict.fromkeys(codes, shares)
            self._sealed.append(sealed)
        when_all([self._origin, *codes.values()], partial(self._measure_all, codes, parts, shares, sealed))

    def outcome(self, text: str) -> Outcome:
        """Return what came of an answer of a sealed group, when it is known.

        Raises:
            VenusError: Anything but the sandbox failed.
        """
        for sealed in self._sealed:
            sealed.result()
        answer = read_answer(text, self._language)
        try:
            origin = self._origin.result()
            found = self._found(answer.code) if answer.code else Outcome(False, None, NO_CODE, answer.reason)
        except SandboxError as error:
            return _lost(error)
        return found._replace(before=origin.passes, kind=origin.kind)

    def _found(self, code: str) -> Outcome:
        return self._measured[code].result().get(code) or self._judged[code].result()

    # -------------------------------------------------------------- in the workers

    def _judge(self, code: str, seat: Seat) -> Outcome:
        near = seat.at(self._reference.title)
        try:
            origin = self._place.origins.find(self._reference, seat)
            return tried(lambda: near.run(judge_answer, origin, code))
        except SandboxError as error:
            return _lost(error)

    def _measure_all(
        self,
        codes: Mapping[str, Future[Outcome]],
        parts: int,
        shares: Future[dict[str, Outcome]],
        sealed: Future[None],
    ) -> None:
        """Give the codes that pass to the workers; `sealed` hears of the end, or of the first failure of ours."""
        failed = next((error for each in codes.values() if (error := each.exception())), self._origin.exception())
        if failed:
            shares.set_result({})
            _settle(sealed, None if isinstance(failed, SandboxError) else failed)
            return
        origin = self._origin.result()
        passing = [code for code, each in codes.items() if each.result().passed]
        copies = [code for code in passing if origin.is_copy(code)]
        others = [code for code in passing if code not in copies]
        count = max(1, min(parts, len(others) // FEWEST))
        jobs = [self._place.workers.do(partial(self._measure, origin, others[n::count])) for n in range(count)]

        def gather() -> None:
            error = next((job.exception() for job in jobs if job.exception()), None)
            found = {code: outcome for job in jobs if not job.exception() for code, outcome in job.result().items()}
            same = dict.fromkeys(copies, Outcome(True, 0.0, str(Verdict.ACCEPTED), "it is the original"))
            shares.set_result(found | same)
            _settle(sealed, error)

        when_all(jobs, gather)

    def _measure(self, origin: Origin, codes: Sequence[str], seat: Seat) -> dict[str, Outcome]:
        """Measure all in turns with the original; where the sandbox fails at that, each by itself."""
        if not codes:
            return {}
        try:
            return seat.at(self._reference.title).run(measure_answers, origin, codes, self._objective)
        except SandboxError as error:
            if len(codes) == 1:
                return {codes[0]: _lost(error)}
        return {code: found for each in codes for code, found in self._measure(origin, [each], seat).items()}


def _lost(error: SandboxError) -> Outcome:
    return Outcome(None, reason=one_line(error))


def _settle(future: Future[None], error: BaseException | None) -> None:
    if error:
        future.set_exception(error)
    else:
        future.set_result(None)
