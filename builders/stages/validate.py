"""Decides which inputs are tests: those on which the canonical solutions of all languages agree.

A canonical solution that printed something else, or crashed, dissents. One that exceeded a limit
abstains. A solution that dissents from a clear majority on many tests is quarantined, with a
reason, if these tests are enough to call it wrong (`condemned`); then it is no longer canonical.
After that, a single dissent drops the test and is recorded. An input that breaks a suspected
promise becomes a test only if programs of two languages, or five of one, agree on it.
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

GIVEN = "given"  # the voter that represents the expected output of a given test
CLEAR_MAJORITY = 2 / 3  # share of voters that answered or failed; below it, either may be right
FULL = 1.0  # the confidence of inputs that certainly keep all promises
UNSURE = "unsure"  # the family of inputs that break a suspected promise
ENOUGH_PROGRAMS = 5  # programs of one language that count as much as two languages
FEW_ANSWERS = "fewer than two answers to compare"
FEW_PROGRAMS = "it breaks a suspected promise, and too few programs agree on it"
FEW_FOR_SEVERAL = "several answers are right, and too few programs agree on one"
DISSENTING = (Verdict.WRONG_ANSWER, Verdict.RUNTIME_ERROR)  # an exceeded limit shows no output


@dataclass(frozen=True, slots=True)
class Agreement:
    """The result of a vote on inputs.

    Attributes:
        tests: The inputs that became tests, with their expected outputs.
        dropped: The reasons of the other inputs, by test id.
        dissent: For each dropped input, the reason of each dissenting voter.
        quarantined: The reasons of the quarantined solutions, by id.
        right: For each test, the digests of all outputs that are as good as the expected one.
        open: The dropped inputs that more voters may turn into tests.
    """

    tests: tuple[TestCase, ...] = ()
    dropped: dict[str, str] = field(default_factory=dict)
    dissent: dict[str, dict[str, str]] = field(default_factory=dict)
    quarantined: dict[str, str] = field(default_factory=dict)
    right: dict[str, list[str]] = field(default_factory=dict)
    open: list[str] = field(default_factory=list)


def condemned(
    failed: Iterable[TestCase],
    confidence: float,
    expected: Expectation = Expectation.UNKNOWN,
    several: bool = False,
) -> bool:
    """Return whether the tests that a program fails are enough to call it wrong.

    A single generated test is never enough, because its input may break a promise that the toolkit
    did not read. A given test is enough if it shows the only right answer, and so are two generated
    tests of different families with full confidence. For a program labelled wrong, any test is
    enough.

    Args:
        failed: The tests on which the program prints a wrong answer or crashes.
        confidence: The confidence of the generated tests, 0 to 1.
        expected: The label of the program.
        several: Whether the comparison may reject right answers.
    """
    sure = [test for test in failed if has_full_confidence(test, confidence)]
    return (
        expected == Expectation.WRONG
        or (any(test.kind == GIVEN for test in sure) and not several)
        or len({test.size for test in sure}) > 1
    )


def has_full_confidence(test: TestCase, confidence: float) -> bool:
    """Return whether a test is certainly valid; `confidence` is that of the generated tests."""
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
    """Decide on a worker which inputs are tests: none if the evaluator does not compile."""
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
    """Decide which inputs are tests, from one vote of each canonical solution on each input.

    If the checker may reject right answers (`several`), it quarantines no program for its answers,
    and many programs have to agree on a test.

    Args:
        tests: The inputs; an expected output is one more voter, ``given``.
        votes: The votes of each solution, in the order of `tests`.
        outputs: Every output by its digest.
        checker: Compares outputs.
        confidence: The confidence of the generated tests, 0 to 1.
    """
    several = checker.comparison.several
    outputs = {
        **outputs,
        **{output_key(test.stdout): test.stdout for test in tests if test.stdout is not None},
    }
    all_voters = []
    for index, test in enumerate(tests):
        given_vote = {} if test.stdout is None else {GIVEN: Vote("answer", output_key(test.stdout))}
        all_voters.append(
            {
                **given_vote,
                **{name: solution_votes[index] for name, solution_votes in votes.items()},
            }
        )
    clusters = [
        _clusters(test, voters, outputs, checker)
        for test, voters in zip(tests, all_voters, strict=True)
    ]
    suspects = _suspects(votes, len(tests))
    sound = [index for index in range(len(tests)) if index not in suspects]
    # A suspect input proves nothing about a program.
    quarantined = (
        _quarantine(
            [tests[index] for index in sound],
            [dict.fromkeys(clusters[index], "") if several else clusters[index] for index in sound],
            {
                name: [solution_votes[index] for index in sound]
                for name, solution_votes in votes.items()
            },
            confidence,
        )
        if sound
        else {}
    )
    result = Agreement(quarantined=quarantined)
    kept_tests = []
    suspect = "suspect: accepted programs of several languages crash on it"
    for index, test in enumerate(tests):
        voters = {name: vote for name, vote in all_voters[index].items() if name not in quarantined}
        reason = _drop_reason(test, voters, clusters[index], several)
        if index in suspects:
            reason = suspect
        if reason:
            result.dropped[test.test_id] = reason
            result.dissent[test.test_id] = _dissent(voters, clusters[index], outputs)
            majority = _majority(voters, clusters[index])
            few = reason in (FEW_ANSWERS, FEW_PROGRAMS)
            if index not in suspects and (few or majority is None or majority[1] < CLEAR_MAJORITY):
                result.open.append(test.test_id)  # more voters could decide it
            continue
        # The remaining voters agree, so any of their outputs will do. A given output stays
        # unchanged.
        answer = next(vote.output for vote in voters.values() if vote.kind == "answer")
        expected = outputs[answer] if test.stdout is None else test.stdout
        kept_tests.append(replace(test, stdout=expected))
        leader = clusters[index][output_key(expected)]
        result.right[test.test_id] = [
            output for output, cluster in clusters[index].items() if cluster == leader
        ]
    return replace(result, tests=tuple(kept_tests))


def _clusters(
    test: TestCase, voters: Mapping[str, Vote], outputs: Mapping[str, str], checker: Checker
) -> dict[str, str]:
    """Return for each output the most frequent one of those that are equally good."""
    counted = Counter(vote.output for vote in voters.values() if vote.kind == "answer")
    clusters: dict[str, str] = {}
    remaining = [output for output, _ in counted.most_common()]
    while remaining:
        leader, others = remaining[0], remaining[1:]
        # An evaluator may be asymmetric: two outputs are equally good if each passes with the other
        # as the expected one.
        forth = [Answer(outputs[leader], outputs[other], test.stdin) for other in others]
        back = [Answer(outputs[other], outputs[leader], test.stdin) for other in others]
        same = (
            [a and b for a, b in zip(checker.passes(forth), checker.passes(back), strict=True)]
            if others
            else []
        )
        clusters[leader] = leader
        clusters |= {other: leader for other, equal in zip(others, same, strict=True) if equal}
        remaining = [other for other, equal in zip(others, same, strict=True) if not equal]
        if checker.comparison.kind == "evaluator" and not checker.accepts(
            Answer(outputs[leader], outputs[leader], test.stdin)
        ):
            # An output that fails against itself cannot be an expected output; `_drop_reason` looks
            # for this mark.
            clusters[leader] = f"refused {leader}"
    return clusters


def _majority(voters: Mapping[str, Vote], clusters: Mapping[str, str]) -> tuple[str, float] | None:
    """Return the largest cluster and its share of the voters that answered or failed.

    None if no voter answered.
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
        # Omits the voter `given`, which is not a solution, and the solutions that do not compile.
        voters = {
            name: solution_votes[index]
            for name, solution_votes in votes.items()
            if solution_votes[0].verdict != Verdict.COMPILE_ERROR
        }
        majority = _majority(voters, cluster)
        # If two voters disagree, either may be wrong.
        if len(voters) < 3 or majority is None or majority[1] < CLEAR_MAJORITY:
            continue
        clear += 1
        for name, vote in voters.items():
            if _dissents(vote, cluster, majority[0]):
                dissents.setdefault(name, []).append(tests[index])
    many = 0.10  # share of the tests with a clear majority
    quarantined = {
        name: f"dissents from a clear majority on {len(failed)} of {clear} tests"
        for name, failed in dissents.items()
        if len(failed) > many * clear and condemned(failed, confidence)
    }
    # A solution that crashes on every test of several families, while another one answers, is
    # broken.
    if condemned(tests, FULL) and any(
        vote.kind == "answer" for solution_votes in votes.values() for vote in solution_votes
    ):
        quarantined |= {
            name: "fails on every test"
            for name, solution_votes in sorted(votes.items())
            if solution_votes and all(vote.kind == "fails" for vote in solution_votes)
        }
    return quarantined | {
        name: solution_votes[0].reason
        for name, solution_votes in votes.items()
        if solution_votes[0].verdict == Verdict.COMPILE_ERROR
    }


def _suspects(votes: Mapping[str, Sequence[Vote]], tests: int) -> set[int]:
    """Return the indices of inputs that crash otherwise working programs of two or more languages.

    Such an input likely breaks a promise of the statement, even if the toolkit read none.
    """
    answering = {
        name: solution_votes
        for name, solution_votes in votes.items()
        if any(vote.kind == "answer" for vote in solution_votes)
    }
    return {
        index
        for index in range(tests)
        if len(
            _languages(
                name
                for name, solution_votes in answering.items()
                if solution_votes[index].kind == "fails"
            )
        )
        > 1
    }


def _languages(names: Iterable[str]) -> set[str]:
    """Return the languages in ids ``slug/language/name``; all other ids count as one language."""
    parts = (name.split("/") for name in names)
    return {words[1] if len(words) == 3 else "" for words in parts}


def _dissents(vote: Vote, cluster: Mapping[str, str], leader: str) -> bool:
    return vote.kind == "fails" or (vote.kind == "answer" and cluster[vote.output] != leader)


def _drop_reason(
    test: TestCase, voters: Mapping[str, Vote], cluster: Mapping[str, str], several: bool
) -> str:
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
    # A few programs may share an algorithm. Then they agree even on invalid inputs, or give the
    # same one of several right answers.
    programs = answers.keys() - {GIVEN}
    few = len(programs) < ENOUGH_PROGRAMS and len(_languages(programs)) < 2
    if test.size == UNSURE and few:
        return FEW_PROGRAMS
    return FEW_FOR_SEVERAL if several and few else ""


def _dissent(
    voters: Mapping[str, Vote], cluster: Mapping[str, str], outputs: Mapping[str, str]
) -> dict[str, str]:
    """Return the reason of each voter that dissents from the largest cluster."""
    majority = _majority(voters, cluster)
    if majority is None:
        return {name: vote.reason for name, vote in voters.items()}
    leader = majority[0].removeprefix("refused ")
    return {
        name: vote.reason or difference(outputs[leader], outputs[vote.output])
        for name, vote in voters.items()
        if _dissents(vote, cluster, majority[0])
    }
