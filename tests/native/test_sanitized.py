"""Repeats the essential cases with a supervisor under AddressSanitizer and UndefinedBehaviorSanitizer."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.native.test_boundary import (  # noqa: F401 (collected here once more, with our `binary`)
    test_forged_record_is_ignored,
    test_ordinary_system_calls_still_work,
    test_program_runs_as_the_given_user,
)
from tests.native.test_ending import (  # noqa: F401
    test_memory_limit_counts_all_processes_together,
    test_output_limit,
    test_signal,
)
from tests.native.test_io import (  # noqa: F401
    test_input_has_no_rest_of_a_longer_one,
    test_output_over_the_limit_is_truncated,
    test_stdin_arrives_completely,
)
from tests.native.test_leftovers import test_no_process_remains_after_the_answer  # noqa: F401
from tests.native.test_protocol import (  # noqa: F401
    test_a_deep_folder_ends_the_session,
    test_answers_come_in_order,
    test_bad_command_lines,
    test_broken_requests,
    test_bursts_of_children_leak_nothing,
    test_join_enters_the_groups_first,
    test_traces_of_many_runs,
    test_unexecutable_program_is_a_sandbox_failure,
    test_wiping_follows_no_link,
)
from venus_toolkit.execution.sandbox import supervisor

FLAGS = ("-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")
# Compiled in, because most tests start the supervisor with their own environment. Leak detection
# needs ptrace, which the supervisor forbids, and the supervisor frees its memory by exiting.
OPTIONS = """\
const char *__asan_default_options(void) {{ return "detect_leaks=0:abort_on_error=1:log_path={log}"; }}
const char *__ubsan_default_options(void) {{ return "print_stacktrace=1:abort_on_error=1:log_path={log}"; }}
"""


@pytest.fixture(scope="session")
def place() -> Iterator[Path]:
    """A separate folder, because the same tests with the ordinary supervisor use the same names."""
    with tempfile.TemporaryDirectory(prefix="venus-test-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


# Same scope as `place`, because tests of one module need not run consecutively.
@pytest.fixture(scope="session")
def binary(place: Path) -> Iterator[str]:
    """The supervisor, compiled with sanitizers, which must report nothing."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is missing")
    reports, options, made = place / "reports", place / "options.c", place / "venus-supervisor"
    reports.mkdir()
    reports.chmod(0o777)  # the supervisor may run as any user
    options.write_text(OPTIONS.format(log=reports / "report"))
    subprocess.run(
        ["gcc", *FLAGS, "-o", str(made), str(supervisor.SOURCE), str(options)], check=True
    )
    yield str(made)
    said = "\n".join(report.read_text() for report in sorted(reports.iterdir()))
    assert said == ""


def test_sanitizers_detect_a_fault(place: Path) -> None:
    """A deliberately faulty program, compiled with the same flags, must be reported."""
    source, made = place / "wrong.c", place / "wrong"
    source.write_text(
        "int main(int count, char **words) { return words[0][1000000 * count] << -count; }\n"
    )
    subprocess.run(["gcc", *FLAGS, "-w", "-o", str(made), str(source)], check=True)
    done = subprocess.run([str(made)], capture_output=True)
    assert done.returncode != 0
    assert b"Sanitizer" in done.stderr or b"runtime error" in done.stderr
