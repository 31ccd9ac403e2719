"""Which tests are good: those on which every canonical solution of every language agrees.

A canonical solution that printed something else, or crashed, dissents; one that ran into a limit
says nothing about the output and abstains. A solution that dissents from a clear majority on many
tests is itself quarantined, with its reason, and no longer canonical, if the tests are enough to
call it wrong (`condemned`); after that a single dissent drops the test, and the dissent is
recorded. A test that breaks a suspected promise counts only where programs of two languages, or
five of one, agree on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from venus_toolkit.core.errors import SourceError
from venus_toolkit.core.records import Expectation, TestCase, Verdict
from venus_toolkit.dataset.funnel import DISAGREE
from venus_toolkit.execution.engine.work import Vote
from venus_toolkit.execution.judging.checker import Answer, Checker, Rules
from venus_toolkit.execution.judging.comparison import difference, output_key
from venus_toolkit.execution.sandbox import Sandbox
from venus_toolkit.execution.sandbox.supervisor import Cores

GIVEN = "given"  # the voter that stands for an expected output that came with the test
CLEAR_MAJORITY = 2 / 3  # of those who answered or failed; with less, either side may be right
FULL = 1.0  # the confidence of inputs of which nothing is in doubt
UNSURE = "unsure"  # the family of inputs that break a suspected promise
ENOUGH_PROGRAMS = 5  # in one language: as good as two languages, for an input that is unsure
FEW_ANSWERS = "fewer than two answers to compare"
FEW_PROGRAMS = "it breaks a suspected promise, and too few programs agree on it"
DISSENTING = (Verdict.WRONG_ANSWER, Verdict.RUNTIME_ERROR)  # limits say nothing about the output


@dataclass(frozen=True, slots=True)
class Agreement:
    """The tests that are kept, with their expected outputs, and what became of the others and of the voters.

    `right` has for each kept test the digests of all outputs that are as good as the expected one;
    `open` names the dropped tests that more voters may save.
    """

    tests: tuple[TestCase, ...] = ()
    dropped: dict[str, str] = field(default_factory=dict)
    dissent: dict[str, dict[str, str]] = field(default_factory=dict)
    quarantined: dict[str, str] = field(default_factory=dict)
    right: dict[str, list[str]] = field(default_factory=dict)
    open: list[str] = field(default_factory=list)


def condemned(
    failed: Iterable[TestCase], confidence: float, expected: Expectation = Expectation.UNKNOWN
) -> bool:
    """Return whether the tests that a program fails, by its output or a crash, are enough to call it wrong.

    A generated input may break a promise that nobody read, and then it says nothing about a
    program. So it is never enough alone: a given test is, and so are two generated ones of
    different families that have full confidence. With a program that its source calls wrong, any
    test agrees.

    Args:
        failed: The tests.
        confidence: That of the generated ones.
        expected: What the source says of the program.
    """
    sure = [test for test in failed if has_full_confidence(test, confidence)]
    return (
        expected == Expectation.WRONG
        or any(test.kind == GIVEN for test in sure)
        or len({test.size for test in sure}) > 1
    )


def has_full_confidence(test: TestCase, confidence: float) -> bool:
    """Return whether nothing is in doubt about a test, where that is the confidence of generated ones."""
    return test.kind == GIVEN or (confidence >= FULL and test.size != UNSURE)


def decide(
    sandbox: Sandbox,
    _: Cores,
    tests: Sequence[TestCase],
    votes: Mapping[str, Sequence[Vote]],
    outputs: Mapping[str, str],
    rules: Rules,
    confidence: float = FULL,
) -> Agreement:
    """Decide which tests are good, on a worker; none is where the evaluator does not compile."""
    try:
        return agree(tests, votes, outputs, rules.checker(sandbox), confidence)
    except SourceError as error:
        return Agreement(dropped={test.test_id: str(error) for test in tests})


def agree(
    tests: Sequence[TestCase],
    votes: Mapping[str, Sequence[Vote]],
    outputs: Mapping[str, str],
    checker: Checker,
    confidence: float = FULL,
) -> Agreement:
    """Decide which tests are good, from one vote of each canonical solution on each test.

    A test that came with an expected output has one more voter, ``given``. `outputs` has every
    output by its digest, `confidence` is that of the generated tests.
    """
    outputs = {
        **outputs,
        **{output_key(test.stdout): test.stdout for test in tests if test.stdout is not None},
    }
    everyone = []
    for index, test in enumerate(tests):
        given = {} if test.stdout is None else {GIVEN: Vote("answer", output_key(test.stdout))}
        everyone.append({**given, **{name: said[index] for name, said in votes.items()}})
    clusters = [
        _clusters(test, said, outputs, checker) for test, said in zip(tests, everyone, strict=True)
    ]
    suspects = _suspects(votes, len(tests))
    sound = [index for index in range(len(tests)) if index not in suspects]
    # Of an input that is itself in doubt, nothing follows about a program.
    quarantined = (
        _quarantine(
            [tests[index] for index in sound],
            [clusters[index] for index in sound],
            {name: [said[index] for index in sound] for name, said in votes.items()},
            confidence,
        )
        if sound
        else {}
    )
    result = Agreement(quarantined=quarantined)
    kept = []
    suspect = "suspect: accepted programs of several languages crash on it"
    for index, test in enumerate(tests):
        voters = {name: vote for name, vote in everyone[index].items() if name not in quarantined}
        reason = suspect if index in suspects else _why_dropped(test, voters, clusters[index])
        if reason:
            result.dropped[test.test_id] = reason
            result.dissent[test.test_id] = _dissent(voters, clusters[index], outputs)
            majority = _majority(voters, clusters[index])
            few = reason in (FEW_ANSWERS, FEW_PROGRAMS)
            if index not in suspects and (few or majority is None or majority[1] < CLEAR_MAJORITY):
                result.open.append(test.test_id)  # more voters could save it
            continue
        # All that are left agree, so the first voter's text will do; a given output is kept to the
        # letter.
        answer = next(vote.output for vote in voters.values() if vote.kind == "answer")
        expected = outputs[answer] if test.stdout is None else test.stdout
        kept.append(replace(test, stdout=expected))
        leader = clusters[index][output_key(expected)]
        result.right[test.test_id] = [
            output for output, cluster in clusters[index].items() if cluster == leader
        ]
    return replace(result, tests=tuple(kept))


def _clusters(
    test: TestCase, voters: Mapping[str, Vote], outputs: Mapping[str, str], checker: Checker
) -> dict[str, str]:
    """Return for each output the one that stands for all that are as good: the most frequent."""
    counted = Counter(vote.output for vote in voters.values() if vote.kind == "answer")
    clusters: dict[str, str] = {}
    remaining = [output for output, _ in counted.most_common()]
    while remaining:
        leader, others = remaining[0], remaining[1:]
        # An evaluator need not be symmetric: outputs are alike where each passes with the other as
        # the expected one.
        there = [Answer(outputs[leader], outputs[other], test.stdin) for other in others]
        back = [Answer(outputs[other], outputs[leader], test.stdin) for other in others]
        same = (
            [a and b for a, b in zip(checker.passes(there), checker.passes(back), strict=True)]
            if others
            else []
        )
        clusters[leader] = leader
        clusters |= {other: leader for other, equal in zip(others, same, strict=True) if equal}
        remaining = [other for other, equal in zip(others, same, strict=True) if not equal]
        if checker.comparison.kind == "evaluator" and not checker.accepts(
            Answer(outputs[leader], outputs[leader], test.stdin)
        ):
            # Refused even against itself, it can be no expected output: `_why_dropped` looks for
            # this mark.
            clusters[leader] = f"refused {leader}"
    return clusters


def _majority(voters: Mapping[str, Vote], clusters: Mapping[str, str]) -> tuple[str, float] | None:
    """Return the largest cluster and its share of those who answered or failed.

    None where nobody answered.
    """
    counted = Counter(clusters[vote.output] for vote in voters.values() if vote.kind == "answer")
    total = counted.total() + sum(vote.kind == "fails" for vote in voters.values())
    return next(((leader, count / total) for leader, count in counted.most_common(1)), None)


def _quarantine(
    tests: Sequence[TestCase],
    clusters: Sequence[Mapping[str, str]],
    votes: Mapping[str, Sequence[Vote]],
    confidence: float,
) -> dict[str, str]:
    dissents: dict[str, list[TestCase]] = {}
    clear = 0
    for index, cluster in enumerate(clusters):
        # Not the voter `given`, which is no solution. One that does not compile has this vote on
        # every test.
        voters = {
            name: said[index]
            for name, said in votes.items()
            if said[0].verdict != Verdict.COMPILE_ERROR
        }
        majority = _majority(voters, cluster)
        # Of two that disagree nobody knows which is wrong.
        if len(voters) < 3 or majority is None or majority[1] < CLEAR_MAJORITY:
            continue
        clear += 1
        for name, vote in voters.items():
            if _dissents(vote, cluster, majority[0]):
                dissents.setdefault(name, []).append(tests[index])
    many = 0.10  # of the tests with a clear majority
    found = {
        name: f"dissents from a clear majority on {len(failed)} of {clear} tests"
        for name, failed in dissents.items()
        if len(failed) > many * clear and condemned(failed, confidence)
    }
    # Those that crash on every test of several families, where another one answers, say nothing of
    # any test.
    if condemned(tests, FULL) and any(
        vote.kind == "answer" for said in votes.values() for vote in said
    ):
        found |= {
            name: "fails on every test"
            for name, said in sorted(votes.items())
            if said and all(vote.kind == "fails" for vote in said)
        }
    return found | {
        name: said[0].reason
        for name, said in votes.items()
        if said[0].verdict == Verdict.COMPILE_ERROR
    }


def _suspects(votes: Mapping[str, Sequence[Vote]], tests: int) -> set[int]:
    """Return the places of inputs on which programs of at least two languages crash that elsewhere do not.

    Such an input likely breaks what the statement promises, whatever was read there.
    """
    answering = {
        name: said for name, said in votes.items() if any(vote.kind == "answer" for vote in said)
    }
    return {
        index
        for index in range(tests)
        if len(_languages(name for name, said in answering.items() if said[index].kind == "fails"))
        > 1
    }


def _languages(names: Iterable[str]) -> set[str]:
    """Return the languages of solutions; an id is ``slug/language/name``, and others count as one."""
    parts = (name.split("/") for name in names)
    return {words[1] if len(words) == 3 else "" for words in parts}


def _dissents(vote: Vote, cluster: Mapping[str, str], leader: str) -> bool:
    return vote.kind == "fails" or (vote.kind == "answer" and cluster[vote.output] != leader)


def _why_dropped(test: TestCase, voters: Mapping[str, Vote], cluster: Mapping[str, str]) -> str:
    answers = {name: vote for name, vote in voters.items() if vote.kind == "answer"}
    if len(answers) < 2:
        return FEW_ANSWERS
    leaders = {cluster[vote.output] for vote in answers.values()}
    if any(leader.startswith("refused") for leader in leaders):
        return "the evaluator refuses an answer even when it is the expected one"
    if len(leaders) > 1:
        return DISAGREE
    if any(vote.kind == "fails" for vote in voters.values()):
        return "a canonical solution fails"
    # Programs of one idea agree on inputs that the statement does not allow.
    few = len(answers) < ENOUGH_PROGRAMS and len(_languages(answers)) < 2
    return FEW_PROGRAMS if test.size == UNSURE and few else ""


def _dissent(
    voters: Mapping[str, Vote], cluster: Mapping[str, str], outputs: Mapping[str, str]
) -> dict[str, str]:
    """Return who said what against the largest cluster."""
    majority = _majority(voters, cluster)
    if majority is None:
        return {name: vote.reason for name, vote in voters.items()}
    leader = majority[0].removeprefix("refused ")
    return {
        name: vote.reason or difference(outputs[leader], outputs[vote.output])
        for name, vote in voters.items()
        if _dissents(vote, cluster, majority[0])
    }
