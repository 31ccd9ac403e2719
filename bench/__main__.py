"""``nox -s bench``: ratios taken in one interleaved run.

Nothing else should run at the same time; takes a few minutes.

python -m bench [--only overhead|integral|ranking|docker|curation|runners|evaluation]
                      [--only rewards|release|derive|publish|ray|scale|tests] [--json FILE]
                      [--quick | --record]
python -m bench --only tests [--lang ID] [--mutants N] [--seed N] [--problem SLUG]
                                           [--programs N] [--keep FOLDER]

``tests`` examines the quality of the corpus' tests (docs/quality.md). It measures no times, so
background load does not matter. It takes many minutes and runs only when named, like ``rewards`` (a
step of 512 answers, three times), ``release``, ``derive`` and ``publish`` (each writes a release of
the paper's size), ``ray`` (needs Ray), and ``scale`` (builds parts of the corpus).

At the end, each figure that figures.toml names is printed next to the last one of this machine in
history.jsonl. --record appends the new figures. The exit code is 1 if a figure is out of bounds.
--quick does none of this.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.curation import growth
from bench.derive import all_sets
from bench.docker import docker_overhead, docker_throughput, why_not
from bench.evaluating import throughput
from bench.history import (
    append,
    compare_with_last,
    latest,
    measured,
    out_of_bounds,
    read_history,
    stamp,
)
from bench.integral import accuracy, shared
from bench.overhead import overhead, parts, sampling_share, sleeping_share
from bench.publish import sharing
from bench.quality import all_slugs, examine_corpus
from bench.ranking import ranking
from bench.ray import compare
from bench.release import write_apart
from bench.rewards import reward_overhead
from bench.runners import batch_gain
from bench.scale import SIZES, check
from venus_toolkit.builders.capacity import BuildCost
from venus_toolkit.builders.quality.quality_options import QualityOptions
from venus_toolkit.builders.quality.score import Quality, Survivor, quality_facts, quality_row
from venus_toolkit.core.records import MIB, to_plain

DEFAULT = ("overhead", "integral", "ranking", "docker", "curation", "runners", "evaluation")
NAMED = ("rewards", "release", "derive", "publish", "ray", "scale", "tests")
SOLUTIONS = (10_000, 100_000, 700_000)
SCALES = (0.1, 0.3, 1.0)  # shares of the size of the paper's dataset


def main() -> None:
    """Run the chosen benchmarks and print their tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", choices=(*DEFAULT, *NAMED), action="append")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--quick", action="store_true", help="few rounds, as a smoke test")
    kind.add_argument("--record", action="store_true", help="append to bench/history.jsonl")
    parser.add_argument("--json", type=Path)
    _tests_options(parser.add_argument_group("tests"))
    options = parser.parse_args()
    when = stamp()
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        for benchmark in options.only or DEFAULT:
            if benchmark == "tests":
                figures[benchmark] = _tests(options.keep or Path(name), options)
            else:
                figures[benchmark] = globals()[f"_{benchmark}"](Path(name), options.quick)
    if options.json:
        options.json.write_text(json.dumps(to_plain(figures), indent=1) + "\n")
    if not options.quick:
        rows = measured(to_plain(figures), when)
        last = latest(read_history(), when["machine"])
        for row in rows:
            print(compare_with_last(row, last.get(row["figure"])))
        if options.record:
            append(rows)
        complaints = [complaint for row in rows if (complaint := out_of_bounds(row))]
        if complaints:
            sys.exit("\n".join(complaints))


def _overhead(folder: Path, quick: bool) -> Any:
    rows = overhead(folder, rounds=3 if quick else 20, runs=50 if quick else 200)
    print("time per run, median of interleaved rounds; ratio to a bare posix_spawn + wait4 loop")
    for row in rows:
        print(
            f"  {row.program:<12} bare {row.floor_ns / 1e6:.3f} ms   supervised "
            f"{row.direct_ns / 1e6:.3f} ms "
            f"{row.direct_ratio:.3f} x   in the local sandbox {row.sandbox_ns / 1e6:.3f} ms "
            f"{row.sandbox_ratio:.3f} x"
        )
    spent = parts(folder, rounds=3 if quick else 20, runs=50 if quick else 200)
    print("time per run of static C, with one more part of the sandbox in each line")
    for name, before in zip(spent, [0.0, *spent.values()], strict=False):
        print(f"  {name:<20} {spent[name] / 1e6:.3f} ms, {(spent[name] - before) / 1e6:+.3f} ms")
    shares = {
        f"{1e9 / interval:.0f} Hz": {
            "sampling": sampling_share(folder, interval),
            "sleeping": sleeping_share(folder, interval),
        }
        for interval in (1_000_000, 100_000)
    }
    for rate, share in shares.items():
        print(
            f"share of one core at {rate}: {100 * share['sampling']:.1f} %; a loop that only "
            f"sleeps takes {100 * share['sleeping']:.1f} %"
        )
    return {"run": [row._asdict() for row in rows], "parts_ns": spent, "sampling_share": shares}


def _ray(folder: Path, quick: bool) -> Any:
    seconds = compare(folder, rounds=0 if quick else 3)
    print("overhead of Ray on one machine")
    ratio = seconds.ray_s / seconds.local_s if seconds.local_s and seconds.ray_s else None
    if ratio:
        print(
            f"  bundled build, C++, medians: local {seconds.local_s:.0f} s, Ray {seconds.ray_s:.0f} "
            f"s, {ratio:.3f} x"
        )
    print(
        f"  starting Ray {seconds.start_s:.1f} s; a call, every core busy: "
        f"local {seconds.local_call_ms:.2f} ms, Ray {seconds.ray_call_ms:.2f} ms"
    )
    return {**seconds._asdict(), "ratio": ratio}


def _scale(folder: Path, quick: bool) -> Any:
    rows = check(folder, "python", ((2, 8),) if quick else SIZES)
    print("core-seconds: predicted by the capacity model / used by the stages")
    for row in rows:
        stages = zip(BuildCost._fields, row.said, row.held, strict=True)
        pairs = ", ".join(f"{name.removesuffix('_s')} {a:.1f} / {b:.1f}" for name, a, b in stages)
        size = row.shape
        tests = f"{size.tests} of {size.found} tests"
        print(f"  {size.problems} problems, {size.solutions:.0f} solutions, {tests}: {pairs}")
    return [row._asdict() for row in rows]


def _integral(folder: Path, quick: bool) -> Any:
    rows = accuracy(folder, repeats=3 if quick else 15)
    together = shared(folder, repeats=3 if quick else 15)
    print(
        "integral, sampled as during measurement, compared with the program's own log; peak with "
        "its largest entry"
    )
    for row in rows:
        print(
            f"  {row.shape:<22} wall {row.wall_ms:8.2f} ms   error {row.median_percent:+.2f} "
            "% (median), "
            f"{row.largest_percent:+.2f} % (largest)   peak {row.peak_error_kib:+.0f} KiB"
        )
    print("the same, with several supervisors on one core and sleeping programs on the other")
    for count, errors in together.items():
        for row in errors:
            print(
                f"  {count} x {row.shape:<18} error {row.median_percent:+.2f} % (median), "
                f"{row.p90_percent:+.2f} % "
                f"(90th percentile), {row.largest_percent:+.2f} % (largest)   largest gap "
                f"{row.gap_ms:.2f} ms (median)"
            )
    return [row._asdict() for row in rows] + [
        {**row._asdict(), "shape": f"{n} x {row.shape}", "at_once": n}
        for n in together
        for row in together[n]
    ]


def _ranking(_: Path, quick: bool) -> Any:
    rows = [
        ranking(name, programs=8 if quick else 30, repeats=1 if quick else 3)
        for name in ("cpp", "python")
    ]
    print("Kendall's tau between two passes over programs 3 % apart")
    for row in rows:
        print(
            f"  {row.language:<7} {row.programs} programs, {row.repeats} repeats: relative "
            f"{row.relative:.3f}, "
            f"wall {row.wall:.3f}; with the true order: relative {row.relative_truth:.3f}, "
            f"wall {row.wall_truth:.3f}"
        )
    return [row._asdict() for row in rows]


def _docker(folder: Path, quick: bool) -> Any:
    problem = why_not()
    if problem:
        print(f"Docker: not measured, {problem}")
        return {"problem": problem}
    rows = docker_overhead(folder, rounds=3 if quick else 20, runs=50 if quick else 200)
    print(
        "time per run in a container, median of interleaved rounds; ratio to a bare posix_spawn "
        "+ wait4 loop"
    )
    for row in rows:
        print(
            f"  {row.program:<12} bare {row.floor_ns / 1e6:.3f} ms   container "
            f"{row.ns / 1e6:.3f} ms {row.ratio:.3f} x"
        )
    speed = docker_throughput(solutions=10 if quick else 100, tests=100, rounds=1 if quick else 3)
    print(
        f"C++ solutions of {speed.tests} tiny tests per second: local {speed.local:.2f}, "
        f"Docker {speed.docker:.2f}, {speed.ratio:.3f} x"
    )
    return {"overhead": [row._asdict() for row in rows], "throughput": speed._asdict()}


def _curation(folder: Path, quick: bool) -> Any:
    print("curation: staging, search for duplicates and split, in a separate process for each size")
    rows = []
    for size in SOLUTIONS[: 1 if quick else None]:
        row = growth(size, folder / str(size))
        rows.append(row)
        print(
            f"  {row.rows:>7} solutions in {row.total_s:.1f} s (generating them {row.source_s:.1f}, "
            f"staging {row.staging_s:.1f}, duplicates {row.duplicates_s:.1f}, split "
            f"{row.split_s:.2f}), "
            f"CPU {row.cpu_s:.1f} s, peak {row.peak_mib:.0f} MiB; "
            f"{sum(row.found.values())} of {sum(row.planted.values())} planted duplicates "
            f"found, {row.others} others"
        )
    _print_growth(
        [row.rows for row in rows],
        CPU=[row.cpu_s for row in rows],
        peak=[row.peak_mib for row in rows],
    )
    return [{**row._asdict(), "total_s": row.total_s} for row in rows]


def _runners(_: Path, quick: bool) -> Any:
    print(
        "tiny tests per second: one process each, a batch of all, and a batch with its sample "
        "run alone"
    )
    rows = []
    for language in ("java", "javascript", "python"):
        row = batch_gain(language, tests=50 if quick else 200, rounds=1 if quick else 3)
        rows.append(row)
        print(
            f"  {row.language:<11} {row.tests} tests: alone {row.alone:.1f}, batch {row.batch:.0f} "
            f"({row.batch_ratio:.1f} x), checked {row.checked:.0f} ({row.checked_ratio:.1f} x); "
            f"results {'identical' if row.same else 'DIFFERENT'}"
        )
    return [row._asdict() for row in rows]


def _derive(folder: Path, quick: bool) -> Any:
    print(
        "derived sets of a release of the paper's size in all languages, without judging the "
        "answers of cold start"
    )
    rows = all_sets(folder / "release", 0.01 if quick else 1.0)
    for row in rows:
        print(
            f"  {row.kind:<11} {row.rows:>7} rows in {row.seconds:6.1f} s, CPU {row.cpu_s:6.1f} s, "
            f"peak {row.peak_mib:.0f} MiB"
        )
    print(
        f"  all         {sum(r.rows for r in rows):>7} rows in "
        f"{sum(r.seconds for r in rows):6.1f} s"
    )
    return [row._asdict() for row in rows]


def _publish(folder: Path, quick: bool) -> Any:
    row = sharing(folder / "publish", scale=0.02 if quick else 1.0)
    print(
        f"publish: {row.solutions} solutions in {row.total_bytes / MIB:.1f} MiB of Parquet, "
        f"{row.measured_again} "
        f"of them remeasured: {row.second_bytes / MIB:.1f} MiB are new, "
        f"{100 * row.share:.1f} %"
    )
    return {**row._asdict(), "share": row.share}


def _release(folder: Path, quick: bool) -> Any:
    print("releases of the paper's shape, each written in a separate process")
    rows = []
    for scale in (0.01,) if quick else SCALES:
        row = write_apart(scale, folder / f"release-{scale}")
        rows.append(row)
        print(
            f"  {row.problems} problems, {row.solutions} solutions, {row.tests} tests: "
            f"{row.parquet_mib:.0f} MiB in "
            f"{row.files} files, row groups up to {row.largest_group_mib:.1f} MiB; "
            f"{row.wall_s:.0f} s, "
            f"CPU {row.cpu_s:.0f} s (about {row.making_up_s:.1f} to generate the rows), peak "
            f"{row.peak_mib:.0f} MiB"
        )
    _print_growth(
        [row.solutions for row in rows],
        CPU=[row.cpu_s for row in rows],
        peak=[row.peak_mib for row in rows],
    )
    return [row._asdict() for row in rows]


def _print_growth(sizes: Sequence[float], **figures: Sequence[float]) -> None:
    """Print the exponent of growth of each figure with the size: 1 is linear, 0 is constant.

    The exponent is the slope of a least-squares fit of the logarithms.
    """
    if len(sizes) > 2:
        slopes = {
            name: np.polyfit(np.log(sizes), np.log(values), 1)[0]
            for name, values in figures.items()
        }
        print(
            "  grows with the size to the power of: "
            + ", ".join(f"{name} {slopes[name]:.2f}" for name in slopes)
        )


def _evaluation(folder: Path, quick: bool) -> Any:
    rates = throughput(folder, tasks=3 if quick else 10, rounds=1 if quick else 3)
    print(
        f"{rates.programs} programs judged and measured: alone {rates.direct_s:.1f} s, in an "
        "evaluation "
        f"{rates.evaluation_s:.1f} s; {100 * rates.share:.0f} % of the sandbox's own throughput"
    )
    return rates._asdict()


def _rewards(folder: Path, quick: bool) -> Any:
    answers, tests, group, rounds = (16, 5, 8, 1) if quick else (512, 20, 16, 3)
    print("rewards of a step, compared with the sandbox alone on the same programs and tests")
    rows = []
    for language in ("cpp", "python"):
        row = reward_overhead(folder / language, language, answers, tests, group, rounds)
        rows.append(row)
        print(
            f"  {row.language:<7} {row.answers} answers of {row.tests} tests: sandbox alone "
            f"{row.direct_s:.1f} s, "
            f"rewards {row.reward_s:.1f} s, {row.ratio:.3f} x; CPU time {row.cpu_ratio:.3f} x"
        )
    return [row._asdict() for row in rows]


def _tests_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--lang", action="append", help="languages of the mutants (python and cpp)")
    group.add_argument(
        "--mutants",
        type=int,
        default=24,
        help="mutants for each problem and language, and as many held out",
    )
    group.add_argument(
        "--seed", type=int, default=0, help="seed of the mutants, the pool and the batches"
    )
    group.add_argument("--problem", action="append", help="only these problems")
    group.add_argument(
        "--programs", type=int, help="accepted and slow programs judged in each language (all)"
    )
    group.add_argument(
        "--keep", type=Path, help="folder for finished work, to resume an interrupted run"
    )


def _tests(folder: Path, options: argparse.Namespace) -> Any:
    chosen = QualityOptions(
        languages=tuple(options.lang or ("python", "cpp")),
        mutants=options.mutants,
        held_out=options.mutants,
        pool=60,
        batches=5,
        patience=2,
        seed=options.seed,
    )
    slugs = options.problem or all_slugs()[: 2 if options.quick else None]
    examined = examine_corpus(folder, chosen, slugs, 1 if options.quick else options.programs)
    for quality in examined:
        _print_quality(quality)
    facts = quality_facts(examined)
    print(f"all problems\n  {_line(facts)}")
    for operator, counts in facts["operators"].items():
        print(
            f"  {operator:<14} " + ", ".join(f"{number} {name}" for name, number in counts.items())
        )
    return {
        "facts": facts,
        "problems": {quality.slug: quality_row(quality) for quality in examined},
    }


def _print_quality(quality: Quality) -> None:
    print(f"{quality.slug}\n  {_line(quality_row(quality))}")
    print(f"  batches {quality.batches}, missed {', '.join(quality.missed) or 'none'}")
    for survivor in quality.survivors:
        _print_survivor(survivor)


def _print_survivor(survivor: Survivor) -> None:
    print(f"    {survivor.outcome} {survivor.mutant_id} {survivor.differs_on or ''}")
    print(f"      - {survivor.before}\n      + {survivor.after}")


def _line(row: dict[str, Any]) -> str:
    names = {
        "true_positive": "TPR",
        "true_negative_wrong": "TNR wrong",
        "true_negative_mutants_before": "mutants before",
        "true_negative_mutants": "after",
        "true_negative_held_out": "held out",
        "slow_refused": "slow refused",
    }
    rates = [f"{short} {_rate(row[name])}" for name, short in names.items()]
    mutants = ", ".join(f"{number} {name}" for name, number in row["mutants"].items() if number)
    tests = (
        f"{row['tests_before']} + {row['tests_added']} - {row['tests_dropped']} = "
        f"{row['tests_after']} tests"
    )
    timing = (
        f"AUC {row['slow_auc']} ({row['slow_pairs']} pairs), spread {row['accepted_spread']}"
        if "slow_auc" in row
        else ""
    )
    return "; ".join(filter(None, [*rates, tests, timing])) + f"\n  {mutants}"


def _rate(rate: dict[str, Any]) -> str:
    return (
        f"{'-' if rate['rate'] is None else format(rate['rate'], '.3f')} "
        f"({rate['hits']}/{rate['n']})"
    )


if __name__ == "__main__":
    main()
