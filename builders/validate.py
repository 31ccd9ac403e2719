"""Which tests are known to be good: those on which every canonical solution of every language agrees.

A canonical solution that printed something else, or crashed, dissents; one that ran into a limit says nothing about the
output and abstains. A solution that dissents from a clear majority on many tests is itself quarantined, with its
reason, and no longer canonical; after that a single dissent drops the test, and the dissent is recorded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from venus_toolkit.judge import Answer, Checker, difference, ending, trimmed
from venus_toolkit.records import Judgement, Limits, Run, TestCase, Verdict, digest
from venus_toolkit.sandbox import Compiled, Sandbox
from venus_toolkit.supervisor import Cores

GIVEN = "given"  # the voter that stands for an expected output that came with the test
CLEAR_MAJORITY = 2 / 3
MANY = 0.10  # of the tests with a clear majority
PATIENCE = 3
DISAGREE = "canonical solutions disagree"
LIMITS = (Verdict.TIME_LIMIT, Verdict.MEMORY_LIMIT, Verdict.OUTPUT_LIMIT)


class Vote(NamedTuple):
    """What a voter says of one test: ``answer`` with the digest of its output, ``abstains`` or ``fails``, and why."""

    kind: str
    output: str
    reason: str = ""
    verdict: str = ""


UNTRIED = Vote("abstains", "", f"not run after {PATIENCE} limits", "")


@dataclass(frozen=True, slots=True)
class Agreement:
    """The tests that are kept, with their expected outputs, and what became of the others and of the voters.

    `right` has for each kept test the digests of all outputs that are as good as the expected one.
    """

    tests: tuple[TestCase, ...] = ()
    dropped: dict[str, str] = field(default_factory=dict)
    dissent: dict[str, dict[str, str]] = field(default_factory=dict)
    quarantined: dict[str, str] = field(default_factory=dict)
    right: dict[str, list[str]] = field(default_factory=dict)


def output_key(text: str) -> str:
    """Return the digest of an output as it is compared: without trailing white space."""
    return digest(trimmed(text))


def collect_votes(
    sandbox: Sandbox, compiled: Compiled, tests: Sequence[TestCase], limits: Limits, cores: Cores | None = None
) -> tuple[list[Vote], dict[str, str]]:
    """Run one canonical solution on every input; returns its votes, and its outputs by their digest.

    After PATIENCE limits it is not run any further: it would only abstain from the rest.

    Raises:
        SandboxError: The sandbox failed.
    """
    if not compiled.ok:
        why = "does not compile: " + compiled.log.strip()[:200]
        return [Vote("fails", "", why, Verdict.COMPILE_ERROR) for _ in tests], {}
    outputs: dict[str, str] = {}
    votes = []
    with sandbox.session(compiled, limits, cores) as session:
        for run in session.run([test.stdin.encode() for test in tests]):
            votes.append(_vote(run, compiled, outputs))
            if sum(vote.kind == "abstains" for vote in votes) == PATIENCE:
                break
    return votes + [UNTRIED] * (len(tests) - len(votes)), outputs


def _vote(run: Run, compiled: Compiled, outputs: dict[str, str]) -> Vote:
    verdict, reason = ending(run, compiled.program.language)
    if verdict:
        return Vote("abstains" if verdict in LIMITS else "fails", "", f"{verdict}: {reason}", verdict)
    try:
        text = run.stdout.decode("utf-8")
    except UnicodeDecodeError:
        return Vote("fails", "", "printed bytes that are not UTF-8", Verdict.WRONG_ANSWER)
    key = output_key(text)
    outputs[key] = text
    return Vote("answer", key)


def agree(
    tests: Sequence[TestCase], votes: Mapping[str, Sequence[Vote]], outputs: Mapping[str, str], checker: Checker
) -> Agreement:
    """Decide which tests are good.

    Args:
        tests: The inputs; a test that came with an expected output has one more voter, ``given``.
        votes: For each canonical solution one vote per test.
        outputs: Every output by its digest.
        checker: The problem's comparison.
    """
    outputs = {**outputs, **{output_key(test.stdout): test.stdout for test in tests if test.stdout is not None}}
    camps = [_camps(test, index, votes, outputs, checker) for index, test in enumerate(tests)]
    quarantined = _quarantine(camps, votes)
    result = Agreement(quarantined=quarantined)
    kept = []
    for index, test in enumerate(tests):
        voters = {name: vote for name, vote in _voters(test, index, votes).items() if name not in quarantined}
        reason = _why_dropped(voters, camps[index])
        if reason:
            result.dropped[test.test_id] = reason
            result.dissent[test.test_id] = _dissent(voters, camps[index], outputs)
            continue
        expected = test.stdout if test.stdout is not None else outputs[_first_answer(voters)]
        kept.append(TestCase(test.test_id, test.stdin, expected, test.kind, test.size, test.seed))
        leader = camps[index][output_key(expected)]
        result.right[test.test_id] = [output for output, camp in camps[index].items() if camp == leader]
    return Agreement(tuple(kept), result.dropped, result.dissent, quarantined, result.right)


def judgement_of(votes: Mapping[str, Vote], right: Mapping[str, Sequence[str]]) -> Judgement | None:
    """Return what judge() would say of a solution that voted: its runs are over, only the comparison is left.

    None where it was not run on every test that counts: then it has to be judged.

    Args:
        votes: Its vote on each kept test, by test id, in their order.
        right: For each of them the digests of the outputs that are as good as the expected one.
    """
    for test_id, vote in votes.items():
        if vote == UNTRIED:
            return None
        if vote.verdict:
            return Judgement(Verdict(vote.verdict), vote.reason.removeprefix(f"{vote.verdict}: "), test_id)
        if vote.output not in right[test_id]:
            return Judgement(Verdict.WRONG_ANSWER, "not the output that the others agree on", test_id)
    return Judgement(Verdict.ACCEPTED)


def _voters(test: TestCase, index: int, votes: Mapping[str, Sequence[Vote]]) -> dict[str, Vote]:
    voters = {GIVEN: Vote("answer", output_key(test.stdout))} if test.stdout is not None else {}
    return voters | {name: said[index] for name, said in votes.items()}


def _first_answer(voters: Mapping[str, Vote]) -> str:
    return next(vote.output for vote in voters.values() if vote.kind == "answer")


def _camps(
    test: TestCase, index: int, votes: Mapping[str, Sequence[Vote]], outputs: Mapping[str, str], checker: Checker
) -> dict[str, str]:
    """Return for each output the one that stands for all that are as good: the most frequent of them."""
    counted = Counter(vote.output for vote in _voters(test, index, votes).values() if vote.kind == "answer")
    camps: dict[str, str] = {}
    remaining = [output for output, _ in counted.most_common()]
    while remaining:
        leader, others = remaining[0], remaining[1:]
        there = [Answer(outputs[leader], outputs[other], test.stdin) for other in others]
        back = [Answer(outputs[other], outputs[leader], test.stdin) for other in others]
        same = [a and b for a, b in zip(checker.passes(there), checker.passes(back), strict=True)] if others else []
        camps[leader] = leader
        camps |= {other: leader for other, equal in zip(others, same, strict=True) if equal}
        remaining = [other for other, equal in zip(others, same, strict=True) if not equal]
        if checker.comparison.kind == "evaluator" and not checker.accepts(
            Answer(outputs[leader], outputs[leader], test.stdin)
        ):
            camps[leader] = f"refused {leader}"
    return camps


def _majority(voters: Mapping[str, Vote], camps: Mapping[str, str]) -> tuple[str, float] | None:
    counted = Counter(camps[vote.output] for vote in voters.values() if vote.kind == "answer")
    total = sum(counted.values()) + sum(vote.kind == "fails" for vote in voters.values())
    return (counted.most_common(1)[0][0], counted.most_common(1)[0][1] / total) if counted else None


def _quarantine(camps: Sequence[Mapping[str, str]], votes: Mapping[str, Sequence[Vote]]) -> dict[str, str]:
    dissents: Counter[str] = Counter()
    clear = 0
    for index, camp in enumerate(camps):
        voters = {name: said[index] for name, said in votes.items() if said[0].verdict != Verdict.COMPILE_ERROR}
        majority = _majority(voters, camp)
        if len(voters) < 3 or majority is None or majority[1] < CLEAR_MAJORITY:
            continue
        clear += 1
        dissents.update(name for name, vote in voters.items() if _dissents(vote, camp, majority[0]))
    found = {
        name: f"dissents from a clear majority on {n} of {clear} tests"
        for name, n in dissents.items()
        if n > MANY * clear
    }
    return found | {name: said[0].reason for name, said in votes.items() if said[0].verdict == Verdict.COMPILE_ERROR}


def _dissents(vote: Vote, camp: Mapping[str, str], leader: str) -> bool:
    return vote.kind == "fails" or (vote.kind == "answer" and camp[vote.output] != leader)


def _why_dropped(voters: Mapping[str, Vote], camp: Mapping[str, str]) -> str:
    answers = [vote for vote in voters.values() if vote.kind == "answer"]
    if len(answers) < 2:
        return "fewer than two answers to compare"
    leaders = {camp[vote.output] for vote in answers}
    if any(leader.startswith("refused") for leader in leaders):
        return "the evaluator refuses an answer even when it is the expected one"
    if len(leaders) > 1:
        return DISAGREE
    return "a canonical solution fails" if any(vote.kind == "fails" for vote in voters.values()) else ""


def _dissent(voters: Mapping[str, Vote], camp: Mapping[str, str], outputs: Mapping[str, str]) -> dict[str, str]:
    """Return who said what against the largest camp."""
    majority = _majority(voters, camp)
    if majority is None:
        return {name: vote.reason for name, vote in voters.items()}
    leader = majority[0].removeprefix("refused ")
    return {
        name: vote.reason or difference(outputs[leader], outputs[vote.output])
        for name, vote in voters.items()
        if _dissents(vote, camp, majority[0])
    }
