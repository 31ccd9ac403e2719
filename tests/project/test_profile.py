"""The profile of a command, from stacks as py-spy writes them."""

from pathlib import Path

from bench.profile import draw, fold, table

HEAD = (
    "thread (7): Dummy-1;spread.<locals>.serve (venus_toolkit/execution/engine/local_engine.py:140)"
)
WORK = f"{HEAD};judge_all.<locals>.work (venus_toolkit/builders/stages/results.py:71)"
COMPILE = f"{WORK};LocalSandbox.compile (venus_toolkit/execution/sandbox/local.py:139)"
ANSWER = "read_answer (venus_toolkit/execution/sandbox/supervisor.py:90)"
STACKS = [
    f"{COMPILE};_compile (venus_toolkit/execution/sandbox/local.py:150);{ANSWER} 40",
    f"{WORK};judge (venus_toolkit/execution/judging/judge.py:80);{ANSWER} 80",
    f"{WORK};Store.put (venus_toolkit/core/store.py:90);dumps (json/__init__.py:231) 20",
    f"{COMPILE};CompiledStore.preparing (venus_toolkit/execution/sandbox/compiled.py:218) 20",
    f"{HEAD} 60",
    "thread (1): MainThread;main (venus_toolkit/cli/__init__.py:247) 200",
]


def test_workers_are_profiled_by_what_they_wait_for(tmp_path: Path) -> None:
    seconds = fold(STACKS)
    assert seconds == {
        ("judge_all", "compile", "_compile", "compilers"): 2.0,
        ("judge_all", "judge", "programs"): 4.0,
        ("judge_all", "put", "toolkit"): 1.0,
        ("judge_all", "compile", "preparing", "waiting"): 1.0,
        ("waiting",): 3.0,
    }
    assert table(seconds).splitlines()[2:] == [
        "| all | 4.0 | 2.0 | 4.0 | 1.0 | 11.0 |",
        "| `judge_all` | 4.0 | 2.0 | 1.0 | 1.0 | 8.0 |",
        "| between two items | 0.0 | 0.0 | 3.0 | 0.0 | 3.0 |",
    ]
    draw(seconds, "venus build", tmp_path / "profile.svg")
    assert "judge" in (tmp_path / "profile.svg").read_text()
