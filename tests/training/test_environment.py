"""Episodes: the rewards of turns, the feedback to the model, and the options of an environment."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from tests.building import needs_isolation, thought
from tests.training.posed import (
    CPP_FORMULA,
    CPP_LOOP,
    FORMULA,
    LANGUAGES,
    LOOP,
    Posed,
    answer,
    reference,
    write_posed,
)
from venus_toolkit.core.errors import SandboxError, UsageError
from venus_toolkit.dataset.release import Release
from venus_toolkit.training.environment import (
    Environment,
    EnvironmentOptions,
    Episode,
    options_of,
    row_of_export,
)
from venus_toolkit.training.reward.grading import AnswerOutcome, TaskAnswer
from venus_toolkit.training.reward.rewards import Reward

POSED = Posed()
CPP = Posed(solutions={"cpp": (CPP_LOOP, CPP_FORMULA)})
RAISES_INPUT = "text = input()\nraise SystemExit(f'the input is {text}')\n"
PRINTS_INPUT = "print('the input is', input())\n"


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return write_posed(
        tmp_path_factory.mktemp("release"),
        Posed(solutions={"python": POSED.solutions["python"], **CPP.solutions}),
    )


@pytest.fixture(scope="module")
def environment(release: Release) -> Iterator[Environment]:
    options = EnvironmentOptions(
        str(release.folder), turns=3, repeats=2, figure="cpu", rule="strict", linger_s=0.0
    )
    opened = Environment(options)
    yield opened
    opened.close()


def begin_episode(
    environment: Environment, posed: Posed = POSED, language: str = "python"
) -> Episode:
    return environment.episode(reference(posed, language)._asdict())


class ScriptedEnvironment:
    """An environment with scripted rewards; None stands for a sandbox failure."""

    def __init__(self, *scores: float | None) -> None:
        self.options = EnvironmentOptions("release", turns=len(scores))
        self._scores = iter(scores)

    def submit(self, answer: TaskAnswer) -> Any:
        from concurrent.futures import Future

        score = next(self._scores)
        reward = None if score is None else Reward(score, 1.0, 0.5, score)
        future: Future[AnswerOutcome] = Future()
        future.set_result(AnswerOutcome(None if score is None else True, reward=reward))
        return future


def play(*scores: float | None) -> tuple[list[float | None], Episode]:
    episode = Episode(ScriptedEnvironment(*scores), reference(POSED))  # type: ignore[arg-type]
    episode._message = lambda outcome, left: "again"  # type: ignore[method-assign]
    return [episode.step("text").reward for _ in scores], episode


def test_turn_rewards_sum_to_the_best_answer() -> None:
    rewards, episode = play(-0.3, 0.4, 0.2, 0.6)
    assert rewards == pytest.approx([-0.3, 0.7, 0.0, 0.2])
    assert (
        sum(reward or 0.0 for reward in rewards)
        == pytest.approx(episode.value())
        == pytest.approx(0.6)
    )


def test_bad_first_answer_gains_nothing() -> None:
    slow_first, at_once = play(0.1, 0.6)[1], play(0.6, 0.6)[1]
    assert slow_first.value() == at_once.value()


def test_sandbox_failure_neither_rewards_nor_penalises() -> None:
    rewards, episode = play(None, 0.5, None)
    assert rewards == [None, 0.5, None]
    assert episode.value() == 0.5
    with pytest.raises(SandboxError, match="could not be rewarded"):
        play(None, None)[1].value()


def test_episode_ends_after_its_turns(environment: Environment) -> None:
    _, episode = play(0.1)
    assert episode.turns[-1].done
    assert episode.turns[-1].message == ""
    with pytest.raises(UsageError, match="the episode is over"):
        episode.step("once more")


@pytest.mark.parametrize("wrong", [{"release": ""}, {"turns": 0}, {"group": 0}, {"linger_s": -1.0}])
def test_invalid_options_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        EnvironmentOptions(**{"release": "build/venus", **wrong})


def test_options_from_framework_settings() -> None:
    settings = {"release": "build/venus", "turns": 2, "split": "train", "index": 4}
    assert options_of(settings) == EnvironmentOptions("build/venus", turns=2)
    with pytest.raises(UsageError, match="has no release"):
        options_of({"split": "train"})


@pytest.mark.parametrize("truth", ["no JSON", None, "[]", "{}"])
def test_foreign_rows_are_refused(environment: Environment, truth: Any) -> None:
    with pytest.raises(UsageError):
        environment.episode(row_of_export(truth))


# ------------------------------------------------------------------ with a sandbox


@pytest.mark.parametrize("_", [pytest.param(None, marks=needs_isolation)])
def test_feedback_contains_no_test(environment: Environment, _: None) -> None:
    episode = begin_episode(environment)
    wrong = episode.step(answer(POSED, RAISES_INPUT).text)
    assert wrong.outcome.reward
    assert wrong.outcome.reward.correctness == -1
    assert "runtime error" in wrong.message
    printed = episode.step(answer(POSED, PRINTS_INPUT).text)
    assert "wrong answer" in printed.message
    for message in (wrong.message, printed.message):
        assert not any(
            test.stdin.strip() in message or (test.stdout or "").strip() in message
            for test in POSED.tests
        )
        assert "the input is" not in message
    good = episode.step(answer(POSED, FORMULA).text)
    assert good.done
    assert good.outcome.reward
    assert good.outcome.reward.efficiency > 0.1
    assert episode.value() == good.outcome.reward.score


@pytest.mark.parametrize("_", [pytest.param(None, marks=needs_isolation)])
def test_feedback_compares_with_the_original(environment: Environment, _: None) -> None:
    turn = begin_episode(environment).step(answer(POSED, FORMULA).text)
    assert "passes all tests" in turn.message
    assert turn.message.count("(original: ") == 3
    assert "not measured" not in turn.message
    assert "more time-efficient" in turn.message
    assert "2 more answers" in turn.message


@pytest.mark.parametrize("_", [pytest.param(None, marks=needs_isolation)])
def test_feedback_on_compile_error_and_missing_code(environment: Environment, _: None) -> None:
    episode = begin_episode(environment, CPP, "cpp")
    broken = episode.step(thought("Think.", "int main() { return missing; }", LANGUAGES["cpp"]))
    assert "missing" in broken.message
    assert "There is no program" in episode.step("I do not know.").message


@pytest.mark.parametrize("_", [pytest.param(None, marks=needs_isolation)])
def test_single_turn_matches_the_grpo_reward(environment: Environment, _: None) -> None:
    async def steps() -> list[Any]:
        texts = [answer(POSED, code).text for code in ("print(0)", LOOP)]
        return await asyncio.gather(
            *(begin_episode(environment).step_async(text) for text in texts)
        )

    wrong, copied = asyncio.run(steps())
    assert wrong.reward == pytest.approx(0.2 - 0.5)
    assert copied.reward == pytest.approx(0.2 + 0.25)  # a copy of the original has efficiency 0
