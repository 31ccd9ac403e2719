"""Cold start: prompts, resuming without repeated requests, filters, the file of raw answers."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pyarrow.parquet as pq
import pytest

from tests.builders.derive.made import (
    LANGUAGES,
    measured,
    problem,
    solution,
    usual_release,
    write_release,
)
from tests.building import needs_isolation, thought
from tests.model_server import serving
from venus_toolkit.builders.derive import cold_start
from venus_toolkit.builders.derive.cold_start import (
    COSTLIER,
    FORM,
    NO_FIGURES,
    UNTRIED,
    AnswerTrial,
    ReplayedAnswers,
    TeacherModel,
    derive_cold_start,
    refusal,
    try_answer,
    try_form,
)
from venus_toolkit.builders.derive.derive_options import DeriveOptions
from venus_toolkit.builders.derive.derived_sets import DerivedConfig
from venus_toolkit.builders.derive.separation import FIGURES
from venus_toolkit.core.errors import SandboxError, UsageError
from venus_toolkit.core.language import Language
from venus_toolkit.core.records import Verdict, to_plain
from venus_toolkit.dataset.release import Release, open_release
from venus_toolkit.dataset.task import read_task
from venus_toolkit.execution.engine.executor import Executor
from venus_toolkit.execution.measuring.rounds import MeasureOptions
from venus_toolkit.execution.sandbox.supervisor import Cores
from venus_toolkit.models.answers import fenced, thinking_complaint
from venus_toolkit.models.client import Completion, Message, Prompt

PYTHON = LANGUAGES["python"]
GOOD = thought("read, double, print", "print(2 * int(input()))", PYTHON)
Cli = Callable[..., Any]


class Model:
    """Gives every prompt the same answer, and records the prompts."""

    def __init__(self, text: str | None = GOOD) -> None:
        self.text = text
        self.asked: list[Prompt] = []

    def complete(self, prompts: Sequence[Prompt]) -> list[Completion]:
        self.asked += prompts
        return [Completion(self.text, "" if self.text else "the server is gone") for _ in prompts]


def trial(cost: float = 0.5, verdict: str | None = Verdict.ACCEPTED) -> Any:
    """Return a trial in which every answer costs `cost` times the original."""

    def tried(
        problem: Mapping[str, Any], language: Language, original: str, text: str
    ) -> Future[AnswerTrial]:
        assert read_task(problem, language).tests
        assert original
        done: Future[AnswerTrial] = Future()
        done.set_result(AnswerTrial(verdict, "", to_plain(measured(1)), to_plain(measured(cost))))
        return done

    return tried


def derived(
    folder: Path, model: Any, tried: Any, most: int | None = None, **options: Any
) -> DerivedConfig:
    teacher = TeacherModel("some-model", model, tried, most)
    (config,) = derive_cold_start(
        folder, [PYTHON], DeriveOptions(balance=False, **options), teacher
    )
    return config


def raw(folder: Path) -> list[dict[str, Any]]:
    file = folder / "derived/python-cold-start/raw.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.fixture
def release(tmp_path: Path) -> Release:
    return usual_release(tmp_path / "release")


# ------------------------------------------------------------------ asking


def test_every_problem_and_objective_is_asked(release: Release) -> None:
    model = Model()
    config = derived(release.folder, model, trial())
    assert len(model.asked) == config.rows == 6
    for prompt in model.asked:
        assert "<thinking>" in prompt[-1].content
        assert "Original performance" in prompt[-1].content
    (first, *_) = pq.read_table(
        open_release(release.folder).files("python-cold-start", "time")[0]
    ).to_pylist()
    assert first["llm_response"] == first["response"] == first["completion"][0]["content"] == GOOD
    assert thinking_complaint(first["response"], PYTHON) == ""
    assert (first["beside_original_time"], first["beside_answer_time"]) == (10.0, 5.0)
    assert open_release(release.folder).complaints() == []


def test_nothing_is_asked_twice(release: Release) -> None:
    derived(release.folder, Model(), trial())
    before = (release.folder / "derived/python-cold-start/raw.jsonl").read_bytes()
    again = Model("something else")
    derived(release.folder, again, trial(99))
    assert again.asked == []
    assert (release.folder / "derived/python-cold-start/raw.jsonl").read_bytes() == before


def test_resume_from_raw_answers_alone(release: Release) -> None:
    derived(release.folder, Model(), trial())
    shutil.rmtree(release.folder / ".venus/derive")
    again = Model()
    assert derived(release.folder, again, trial()).rows == 6
    assert again.asked == []


def test_smaller_run_discards_no_answer(release: Release) -> None:
    derived(release.folder, Model(), trial())
    derived(release.folder, Model(), trial(), most=1)
    assert len(raw(release.folder)) == 6


def test_sandbox_failure_is_retried(release: Release) -> None:
    # The error must not blame the options for leaving no rows.
    with pytest.raises(SandboxError, match="no answer could be run"):
        derived(release.folder, Model(), trial(verdict=None))
    assert [line["response"] for line in raw(release.folder)] == [GOOD] * 6
    assert derived(release.folder, Model(), trial()).rows == 6


def test_interruption_loses_no_answer(release: Release) -> None:
    class Stopped(Exception):
        pass

    def stopping(problem: Mapping[str, Any], *rest: Any) -> Future[AnswerTrial]:
        if problem["title"] != "twice":
            return cast("Future[AnswerTrial]", trial()(problem, *rest))
        stopped: Future[AnswerTrial] = Future()
        stopped.set_exception(Stopped())
        return stopped

    with pytest.raises(Stopped):
        derived(release.folder, Model(), stopping)
    again = Model()
    assert derived(release.folder, again, trial()).rows == 6
    assert len(again.asked) == 3, "those of the problem that was not reached"


def test_answers_of_a_block_are_tried_in_parallel(release: Release) -> None:
    """All trials of a block are submitted before the first is awaited."""
    begun: list[Future[AnswerTrial]] = []

    class Watched(Future[AnswerTrial]):
        def result(self, timeout: float | None = None) -> AnswerTrial:
            assert len(begun) == 6
            return super().result(timeout)

    def waiting(*asked: Any) -> Future[AnswerTrial]:
        begun.append(Watched())
        begun[-1].set_result(trial()(*asked).result())
        return begun[-1]

    assert derived(release.folder, Model(), waiting).rows == len(begun) == 6


def test_unanswered_prompt_is_asked_again(release: Release) -> None:
    config = derived(release.folder, Model(None), trial())
    assert config.rows == 0
    assert "answers: no answer: 2" in config.missing
    assert raw(release.folder) == []
    assert derived(release.folder, Model(), trial()).rows == 6


def test_prompt_limit(release: Release) -> None:
    model = Model()
    assert derived(release.folder, model, trial(), most=2).rows == 2
    assert len(model.asked) == 2


# ------------------------------------------------------------------ filters


BARE = fenced("print(2 * int(input()))", PYTHON)


def untried(*_: Any) -> Future[AnswerTrial]:
    raise AssertionError("no program runs")


def test_form_filter_accepts_form_and_runs_nothing(
    release: Release, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = thought("guess", "print('wrong')", PYTHON)
    config = derived(release.folder, Model(wrong), try_form, filter="form")
    assert config.rows == 6
    (row, *_) = pq.read_table(
        open_release(release.folder).files("python-cold-start", "time")[0]
    ).to_pylist()
    assert (row["response"], row["beside_answer_time"]) == (wrong, None)
    assert [line["verdict"] for line in raw(release.folder)] == [UNTRIED] * 6
    assert config.facts["options"]["filter"] == "form"
    # The command opens no sandbox, asks no model, and gives the same rows.
    monkeypatch.setattr("venus_toolkit.execution.sandbox.opening.open_sandbox", untried)
    words = ("derive", "cold-start", release.folder, "--lang", "python", "--filter", "form")
    file = release.folder / "derived/python-cold-start/raw.jsonl"
    done = cli(*words, "--replay", file, "--no-balance")
    assert done.exit_code == 0, done.stderr
    assert "2 time" in done.stdout


@pytest.mark.parametrize("text", [BARE, "<thinking>so</thinking><solution>none</solution>"])
def test_form_filter_drops_other_forms(release: Release, text: str) -> None:
    config = derived(release.folder, Model(text), try_form, filter="form")
    assert (config.rows, "answers: form" in config.missing) == (0, True)
    assert raw(release.folder)[0]["reason"]


def test_untried_answers_are_tried_with_tests_filter(
    release: Release,
) -> None:
    derived(release.folder, Model(), try_form, filter="form")
    again = Model("something else")
    assert derived(release.folder, again, trial()).rows == 6
    assert again.asked == [], "nothing is asked twice"
    assert [line["verdict"] for line in raw(release.folder)] == ["accepted"] * 6
    assert derived(release.folder, again, untried, filter="form").rows == 6, "and back"
    assert [line["verdict"] for line in raw(release.folder)] == ["accepted"] * 6
    derived(release.folder, Model(), trial(3.0))
    assert [line["verdict"] for line in raw(release.folder)] == ["accepted"] * 6


def test_smaller_run_with_tests_keeps_untried_answers(release: Release) -> None:
    derived(release.folder, Model(), try_form, filter="form")
    derived(release.folder, Model(), trial(), most=1)
    assert sorted(line["verdict"] for line in raw(release.folder)) == ["accepted", *[UNTRIED] * 5]


def test_unknown_filter_is_refused(release: Release, cli: Cli) -> None:
    words = ("derive", "cold-start", release.folder, "--lang", "python", "--replay", "x")
    done = cli(*words, "--filter", "style")
    assert (done.exit_code, "expected one of tests, form" in done.stderr) == (2, True)


def test_rejected_answers_stay_in_raw_file(release: Release) -> None:
    config = derived(release.folder, Model(), trial(verdict=Verdict.WRONG_ANSWER))
    assert config.rows == 0
    assert "answers: wrong_answer: 2" in config.missing
    assert [line["verdict"] for line in raw(release.folder)] == ["wrong_answer"] * 6


@pytest.mark.parametrize(
    ("cost", "reason"), [(0.5, ""), (1.0, ""), (1.018, ""), (1.02, COSTLIER), (3.0, COSTLIER)]
)
def test_lesson_28_answer_costs_at_most_the_original(cost: float, reason: str) -> None:
    """Both costs spread by 2 % over three repeats, a standard error of 0.68 %.

    A difference of up to 1.9 % is therefore noise.
    """
    tried = AnswerTrial(Verdict.ACCEPTED, "", to_plain(measured(1)), to_plain(measured(cost)))
    assert refusal(tried, "time", "absolute", DeriveOptions()) == reason


def test_instruction_ranked_release_is_judged_by_time() -> None:
    """Answers are measured without counting instructions."""
    cheaper, costlier = (
        AnswerTrial(Verdict.ACCEPTED, "", to_plain(measured(1)), to_plain(measured(n)))
        for n in (0.5, 3.0)
    )
    assert refusal(cheaper, "time", "instructions", DeriveOptions()) == ""
    assert refusal(costlier, "time", "instructions", DeriveOptions()) == COSTLIER


def test_objective_decides_the_cost() -> None:
    tried = AnswerTrial(Verdict.ACCEPTED, "", to_plain(measured(1, 1)), to_plain(measured(0.5, 4)))
    reasons = [
        refusal(tried, name, "absolute", DeriveOptions()) for name in ("time", "memory", "integral")
    ]
    assert reasons == ["", COSTLIER, COSTLIER]


def test_lesson_29_sandbox_failure_is_no_verdict() -> None:
    options = DeriveOptions()
    assert (
        refusal(AnswerTrial(None, "it died"), "time", "absolute", options) == "the sandbox failed"
    )
    unmeasured = AnswerTrial(
        Verdict.ACCEPTED, "", to_plain(measured(1)), to_plain(measured(1, wall_ns=None))
    )
    assert refusal(unmeasured, "time", "absolute", options) == NO_FIGURES


def test_measurement_has_figures_for_noise() -> None:
    assert set(FIGURES) - {"time", "memory", "integral"} <= set(to_plain(measured()))


class BrokenSandbox:
    """Fails to compile anything, and counts the attempts."""

    workers = None

    def __init__(self) -> None:
        self.tries = 0

    def facts(self) -> dict[str, str]:
        return {}

    def toolchain(self, _: Language) -> str:
        return ""

    def compile(self, *_: object) -> None:
        self.tries += 1
        raise SandboxError("no room")


def test_sandbox_failure_is_retried_once_without_verdict() -> None:
    broken: Any = BrokenSandbox()
    with closing(Executor(broken, [PYTHON])) as executor:
        tried = try_answer(
            executor, MeasureOptions(), problem(1, "one", []), PYTHON, "x", GOOD
        ).result()
    assert (tried.verdict, broken.tries) == (None, 2)
    assert "no room" in tried.reason


def test_inputs_use_the_cores_of_their_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """On other cores they would disturb a measurement that runs in parallel."""
    cores_used: list[object] = []

    def inputs(row: object, language: object, sandbox: object, cores: object = None) -> None:
        cores_used.append(cores)
        raise SandboxError("no inputs")

    monkeypatch.setattr(cold_start, "read_task", inputs)
    broken: Any = BrokenSandbox()
    with closing(Executor(broken, [PYTHON])) as executor:
        tried = try_answer(
            executor, MeasureOptions(), problem(1, "one", []), PYTHON, "x", GOOD
        ).result()
    assert isinstance(cores_used[0], Cores)
    assert tried.verdict is None


# ------------------------------------------------------------------ replaying


@pytest.mark.parametrize("parts", [False, True])
def test_replay_by_prompt(tmp_path: Path, parts: bool) -> None:
    prompt = (Message("system", "s"), Message("user", "u"))
    response = (
        [{"type": "text", "text": "yes\u2028"}, {"type": "text", "text": "and no"}]
        if parts
        else "yes\u2028and no"
    )
    line = {"prompt": [message._asdict() for message in prompt], "response": response}
    (tmp_path / "raw.jsonl").write_text(json.dumps(line, ensure_ascii=False) + "\n")
    replay = ReplayedAnswers(tmp_path / "raw.jsonl")
    known, unknown = replay.complete([prompt, prompt[:1]])
    assert known.text == "yes\u2028and no"
    assert "no answer to this prompt" in unknown.reason


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"prompt": 1, "response": "x"}', '{"prompt": [], "response": null}']
)
def test_invalid_replay_file(tmp_path: Path, text: str) -> None:
    (tmp_path / "raw.jsonl").write_text(text)
    with pytest.raises(UsageError, match="cannot be replayed"):
        ReplayedAnswers(tmp_path / "raw.jsonl")


# ------------------------------------------------------------------ server, sandbox, command

SLOW = "n = int(input())\nt = 0\nfor i in range(500000): t += i * i % 7\nprint(n + n)\n"
ANSWERS = {
    "good": GOOD,
    "wrong": thought("guess", "print(6)", PYTHON),
    "bare": fenced("print(2 * int(input()))", PYTHON),
    "broken": thought("hurry", "print(2 * int(input())", PYTHON),
}


@pytest.mark.slow
@pytest.mark.isolation
@pytest.mark.parametrize("_", [pytest.param(None, marks=needs_isolation)])
def test_served_model_end_to_end(tmp_path: Path, cli: Cli, _: None) -> None:
    rows = [
        problem(
            n, name, [solution(n, name, measured(9), SLOW), solution(n + 50, name, measured(1))]
        )
        for n, name in enumerate(ANSWERS)
    ]
    release = write_release(tmp_path / "release", {"train": rows})

    def answer(body: dict[str, Any]) -> str:
        question = body["messages"][-1]["content"]
        return next(text for name, text in ANSWERS.items() if f"This is {name}." in question)

    words = (
        "derive",
        "cold-start",
        release.folder,
        "--lang",
        "python",
        "--objective",
        "time",
        "--model",
        "m",
    )
    with serving(answer) as server:
        done = cli(*words, "--base-url", server.base_url)
        assert done.exit_code == 0, done.stderr
        assert cli(*words, "--base-url", server.base_url).exit_code == 0
        assert len(server.asked) == len(ANSWERS), "nothing is asked twice"
    verdicts = {line["title"]: line["verdict"] for line in raw(release.folder)}
    assert {"good": "accepted", "wrong": "wrong_answer", "bare": FORM}.items() <= verdicts.items()
    assert verdicts["broken"] in ("compile_error", "runtime_error")
    derived_rows = pq.read_table(
        open_release(release.folder).files("python-cold-start", "time")[0]
    ).to_pylist()
    assert [row["title"] for row in derived_rows] == ["good"]
    assert min(derived_rows[0]["beside_answer_time"], derived_rows[0]["beside_original_time"]) > 0
    file = release.folder / "derived/python-cold-start/raw.jsonl"
    copy = write_release(tmp_path / "copy", {"train": rows})
    replayed = cli(
        "derive",
        "cold-start",
        copy.folder,
        "--lang",
        "python",
        "--objective",
        "time",
        "--replay",
        file,
    )
    assert replayed.exit_code == 0, replayed.stderr
    assert "1 time" in replayed.stdout


def test_no_model_given(release: Release, cli: Cli) -> None:
    done = cli("derive", "cold-start", release.folder, "--lang", "python")
    assert (done.exit_code, "no model is given" in done.stderr) == (2, True)
