"""Published clients of other services, unchanged, against `venus serve`.

`nox -s clients-test` installs them.

Cases come from the examples or tests of each client's project; each line names its source.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from tests.building import needs_isolation
from tests.eval.conftest import FAST, Posed, write_small_release
from tests.model_server import serving
from tests.server.conftest import Served

pytest.importorskip(
    "monolith", reason="the published clients are not installed: type nox -s clients-test"
)

# Warnings of the clients concern their authors.
pytestmark = [pytest.mark.clients, *needs_isolation, pytest.mark.filterwarnings("ignore")]
BIN = Path(sys.executable).parent
VERL = Path(sys.prefix, "verl", "verl", "utils", "reward_score", "sandbox_fusion")
EFFIBENCH = os.environ.get("EFFIBENCH_X", "")


class Case(NamedTuple):
    """A program with a known output."""

    language: str
    code: str
    printed: str = "OK\n"
    stdin: str = ""

    def __str__(self) -> str:
        return self.language


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a `venus serve`."""
    served = Served(tmp_path_factory.mktemp("published") / "queue", ("--workers", "2")).start()
    yield served.url
    assert served.stop() == (0, "stopping…\n")


# ------------------------------------------------------------------ monolith-lib

GREETING = "Hello, World!\n"
# From the README, and from the page of Monolith's own server, whose Java class is not called Main.
MONOLITH = [
    Case("python", 'print("Hello, World!")', GREETING),
    Case(
        "cpp",
        '#include <iostream>\nint main() {\n    std::cout << "Hello, World!" << std::endl;\n}\n',
        GREETING,
    ),
    Case(
        "java",
        "class HelloWorld {\n  public static void main(String[] args) { "
        'System.out.println("Hello, World!"); }\n}\n',
        GREETING,
    ),
    Case("javascript", "console.log('Hello World!');\n", "Hello World!\n"),
    Case(
        "go",
        'package main\n\nimport "fmt"\n\nfunc main() {\n    fmt.Println("Hello, World!")\n}\n',
        GREETING,
    ),
    Case("ruby", "puts 'Hello World'\n", "Hello World\n"),
    Case("rust", 'fn main() {\n    println!("Hello, World!");\n}\n', GREETING),
]


def monolith_client(url: str) -> Any:
    from monolith import monolith

    return monolith.Monolith(backend_url=url)


def monolith_result(client: Any, posted: dict[str, Any]) -> dict[str, Any]:
    """Poll for a result, like the page of Monolith."""
    assert posted["status"] == "processing", posted
    end = time.monotonic() + 60
    while (response := client.get_code_result(posted["task_id"]))["status"] not in (
        "done",
        "error",
        "timeout",
    ):
        assert time.monotonic() < end
        time.sleep(0.05)
    result: dict[str, Any] = response
    return result


@pytest.mark.parametrize("profiling", [False, True])
@pytest.mark.parametrize("case", MONOLITH, ids=str)
def test_monolith_lib_runs_its_examples(url: str, case: Case, profiling: bool) -> None:
    client = monolith_client(url)
    posted = client.post_code_submit(
        lang=case.language, libs=[], code=case.code, timeout=30, profiling=profiling
    )
    result = monolith_result(client, posted)
    assert (result["status"], result["output_dict"]["stdout"]) == ("done", case.printed)
    if profiling:
        assert all(
            result["output_dict"][name] > 0 for name in ("duration", "peak_memory", "integral")
        )
        assert all(len(point) == 2 for point in result["output_dict"]["log"])
    else:
        measured = result["output_dict"]["time_v"]
        assert {"elapsed_time_seconds", "system_time", "user_time", "max_resident_set_kb"} <= set(
            measured
        )
        assert "{" not in measured["command"]


def test_monolith_lib_gets_failures(url: str) -> None:
    client = monolith_client(url)
    # The page's own Rust program is invalid: its string is in single quotes.
    posted = client.post_code_submit(
        "rust", [], "fn main() {\n\tprintln!('Hello World!'); \n}\n", 30, False
    )
    assert monolith_result(client, posted)["status"] == "error"
    refused = client.post_code_submit("klingon", [], "print(1)", 10, False)
    assert (refused["task_id"], refused["status"]) == (None, "error")
    assert "unknown language 'klingon'" in refused["error"]


def test_monolith_lib_reads_the_status_and_cleans(url: str) -> None:
    client = monolith_client(url)
    assert len(client.get_status()["worker_status"]) == 2
    assert client.clean(10)["status"] == "success"


# ------------------------------------------------------------------ sandbox-fusion

NUMBER = "65535\n"
# From the tests of SandboxFusion's runners.
FUSION = [
    Case("python", "print(int(input()))", NUMBER, "65535"),
    Case("python", "print(123)", "123\n"),
    Case(
        "cpp",
        "#include <iostream>\nint main() {\n  int num;\n  std::cin >> num;\n  std::cout << "
        "num << std::endl;\n}\n",
        NUMBER,
        "65535",
    ),
    Case(
        "java",
        "public class Main {\n  public static void main(String[] args) { "
        "System.out.println(123); }\n}\n",
        "123\n",
    ),
    Case(
        "go",
        'package main\nimport "fmt"\nfunc main() {\n  var num int\n  fmt.Scan(&num)\n  '
        "fmt.Println(num)\n}\n",
        NUMBER,
        "65535",
    ),
    Case(
        "nodejs",
        "process.stdin.on('data', (input) => {\n  console.log(parseInt(input.toString()));\n "
        " process.exit();\n});\n",
        NUMBER,
        "65535",
    ),
    Case(
        "rust",
        "use std::io;\nfn main() {\n  let mut input = String::new();\n  "
        "io::stdin().read_line(&mut input).unwrap();\n"
        '  let num: i32 = input.trim().parse().expect("Invalid input");\n  println!("{}", '
        "num);\n}\n",
        NUMBER,
        "65535",
    ),
    Case("ruby", 'puts "Hello, World!";\n', GREETING),
]
FUSION_FAILURES = [
    ("python", "import time; time.sleep(10)", "run timeout"),
    ("python", "assert 1 == 2", "run failed"),
    ("python", "int a = 1", "run failed"),
    ("cpp", "int main() {\n  object i = ?;\n}\n", "compile failed"),
    ("cpp", "#include <cassert>\nint main() {\n  assert(1 == 2);\n}\n", "run failed"),
    (
        "java",
        "public class Main { public static void main(String[] a) { System.uto.println(1); } }",
        "compile failed",
    ),
    (
        "nodejs",
        "const assert = require('assert');\nassert.strictEqual(1, 2, '1 !== 2');\n",
        "run failed",
    ),
    (
        "rust",
        'fn main() {\n  let x: u32 = "Hello, world!";\n  println!("{}", x);\n}\n',
        "compile failed",
    ),
    ("rust", "fn main() {\n  assert_eq!(1, 2);\n}\n", "run failed"),
]


@pytest.fixture
def fusion(url: str) -> Any:
    import sandbox_fusion

    sandbox_fusion.set_endpoint(url)
    return sandbox_fusion


@pytest.mark.parametrize("case", FUSION, ids=str)
def test_sandbox_fusion_runs_its_examples(fusion: Any, case: Case) -> None:
    asked = fusion.RunCodeRequest(code=case.code, language=case.language, stdin=case.stdin)
    answer = fusion.run_code(asked, max_attempts=1)
    assert (answer.status, answer.run_result.stdout) == (fusion.RunStatus.Success, case.printed)
    assert (answer.compile_result is None) == (case.language in ("python", "nodejs", "ruby"))


@pytest.mark.parametrize(("language", "code", "word"), FUSION_FAILURES)
def test_sandbox_fusion_distinguishes_failures(
    fusion: Any, language: str, code: str, word: str
) -> None:
    names = ("CompileFailed", "CompileTimeout", "RunFailed", "RunTimeout")
    words = ("compile failed", "compile timeout", "run failed", "run timeout")
    mapping = fusion.SummaryMapping(
        Success="passed", Failed="failed", **dict(zip(names, words, strict=True))
    )
    asked = fusion.RunCodeRequest(
        code=code, language=language, run_timeout=1 if "sleep" in code else 10
    )
    answer = fusion.run_code(asked, max_attempts=1)
    assert fusion.summary_run_code_result(answer, mapping) == word


def test_sandbox_fusion_sends_files(fusion: Any) -> None:
    files = {"dir1/dir2/dir3/secret_flag": "ImhlbGxvLCB0aGlzIGlzIGEgdGVzdCI="}
    code = 'print(open("dir1/dir2/dir3/secret_flag").read())'
    answer = fusion.run_code(
        fusion.RunCodeRequest(language="python", code=code, files=files), max_attempts=1
    )
    assert "hello, this is a test" in answer.run_result.stdout


def test_sandbox_fusion_concurrent_requests(fusion: Any) -> None:
    asked = [
        [fusion.RunCodeRequest(language="python", code=f"print({number})")] for number in range(8)
    ]
    answers = fusion.run_concurrent(fusion.run_code, args=asked, concurrency=8)
    assert [answer.run_result.stdout for answer in answers] == [
        f"{number}\n" for number in range(8)
    ]


def test_sandbox_fusion_gets_unsupported_features(fusion: Any) -> None:
    left = fusion.RunCodeRequest(
        language="python", code='open("a.txt", "w").write("secret")', fetch_files=["a.txt"]
    )
    with pytest.raises(
        Exception, match=r"Sandbox responded with error: a program leaves no files here: a\.txt"
    ):
        fusion.run_code(left, max_attempts=1)
    with pytest.raises(
        Exception, match=r"Sandbox responded with error: the language bash is not supported"
    ):
        fusion.run_code(fusion.RunCodeRequest(language="bash", code="echo 123"), max_attempts=1)
    with pytest.raises(
        Exception, match=r"Sandbox responded with error: notebooks are not run here"
    ):
        fusion.run_jupyter(fusion.RunJupyterRequest(cells=["a = 123", "a"]), max_attempts=1)


# ------------------------------------------------------------------ verl

# From verl's own tests of its caller, which are skipped there without a server.
VERL_RIGHT = """
import sys
data = sys.stdin.read()
if data == 'input1':
    print('output1\\n', end='')
elif data == 'input2':
    print('output2\\n', end='')
else:
    print('unexpected input', end='')
"""
VERL_CRASHES = (
    'import sys\nprint("About to raise error", file=sys.stderr)\nraise ValueError("a runtime '
    'error")\n'
)
VERL_SLEEPS = "import time\ntime.sleep(10)\n"
VERL_MIXED = """
import sys
import time
data = sys.stdin.read()
if data.startswith('input_timeout_'):
    time.sleep(20)
print(f"output_{data.split('_')[-1]}\\n", end='')
"""
TWO = {"inputs": ["input1", "input2"], "outputs": ["output1\n", "output2\n"]}


@pytest.fixture(scope="module")
def verl() -> ModuleType:
    """verl's caller, loaded from its file, since `import verl` needs torch and Ray."""
    spec = importlib.util.spec_from_file_location(
        "verl_sandbox_fusion", VERL / "__init__.py", submodule_search_locations=[str(VERL)]
    )
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("code", "language", "results", "status"),
    [
        (VERL_RIGHT, "python", [True, True], "success"),
        ("print('wrong_output\\n', end='')", "python", [False, False], "wrong_answer"),
        ("\na=b\n", "cpp", [-4, -4], "compile_error"),
        (VERL_CRASHES, "python", [-2, -2], "runtime_error"),
        (VERL_SLEEPS, "python", [-3, -3], "timeout"),
    ],
)
def test_verl_judges_its_examples(
    verl: ModuleType, url: str, code: str, language: str, results: Sequence[bool | int], status: str
) -> None:
    # Programs that must time out get a short limit, the others verl's default.
    timeout = 1 if status == "timeout" else 10
    verdicts, details = verl.check_correctness(
        f"{url}/run_code", TWO, code, timeout=timeout, language=language
    )
    assert verdicts == results
    assert [detail["status"] for detail in details] == [status] * 2


def test_verl_calls_functions_by_name(verl: ModuleType, url: str) -> None:
    cases = {"fn_name": "add", "inputs": ["1\n2", "3\n4"], "outputs": ["3", "7"]}
    code = "class Solution:\n    def add(self, a, b):\n        return a + b\n"
    assert verl.check_correctness(f"{url}/run_code", cases, code)[0] == [True, True]


def test_verl_scores_a_completion(verl: ModuleType, url: str) -> None:
    completion = f"Here it is:\n```python\n{VERL_RIGHT}\n```\n"
    score, details = verl.compute_score(f"{url}/run_code", None, 1024, completion, json.dumps(TWO))
    assert (score, [detail["exit_code"] for detail in details]) == (1.0, [0, 0])


def test_verl_gets_all_verdicts_under_load(verl: ModuleType, url: str) -> None:
    """verl's load test, with 40 cases instead of 100, and 4 s instead of 15 s."""
    wrong, late = {10, 25}, {5, 30}
    inputs = [f"input_timeout_{n}" if n in late else f"input_{n}" for n in range(40)]
    outputs = [f"wrong_output_{n}\n" if n in wrong else f"output_{n}\n" for n in range(40)]
    verdicts, _ = verl.check_correctness(
        f"{url}/run_code", {"inputs": inputs, "outputs": outputs}, VERL_MIXED, timeout=4
    )
    assert verdicts == [-3 if n in late else n not in wrong for n in range(40)]


# ------------------------------------------------------------------ piston-rspy

# piston tests its language packages with these programs.
PISTON = [
    Case(
        "python",
        "working = True\n\nmatch working:\n    case True:\n        print('OK')\n    case "
        "False:\n        print()\n",
    ),
    Case(
        "c++",
        '#include <iostream>\n\nint main(void) {\n    printf("OK");\n    return 0;\n}\n',
        "OK",
    ),
    Case("go", 'package main\n\nimport "fmt"\n\nfunc main() {\n\tfmt.Println("OK")\n}\n'),
    Case(
        "java",
        "public class HelloWorld {\n  public static void main(String[] args) { "
        'System.out.println("OK"); }\n}\n',
    ),
    Case("javascript", "console.log('OK');"),
    Case("ruby", 'puts("OK")\n'),
    Case("rust", 'fn main() {\n    println!("OK");\n}\n'),
]


@pytest.fixture
def piston() -> Any:
    return pytest.importorskip("piston_rspy", reason="piston-rspy has no wheel for this Python")


def piston_response(piston: Any, url: str, case: Case) -> Any:
    async def ask() -> Any:
        executor = piston.Executor(
            language=case.language,
            version="*",
            stdin=case.stdin,
            files=[piston.File(name="file.code", content=case.code)],
        )
        return await piston.Client.with_url(f"{url}/api/v2").execute(executor)

    return asyncio.run(ask())


@pytest.mark.parametrize("case", PISTON, ids=str)
def test_piston_rspy_runs_its_examples(piston: Any, url: str, case: Case) -> None:
    response = piston_response(piston, url, case)
    assert response.is_ok()
    assert (response.run.output, response.run.code, response.run.signal) == (case.printed, 0, None)
    assert (response.compile is None) == (case.language in ("python", "javascript", "ruby"))


def test_piston_rspy_survives_a_compile_error(piston: Any, url: str) -> None:
    response = piston_response(piston, url, Case("c++", "int main() { return }"))
    assert response.is_ok()
    assert response.run.is_err()
    assert "error" in response.run.output
    assert response.run.output == response.compile.output


def test_piston_rspy_lists_languages(piston: Any, url: str) -> None:
    async def ask() -> Any:
        return await piston.Client.with_url(f"{url}/api/v2").fetch_runtimes()

    assert {"python", "cpp", "java"} <= {runtime.language for runtime in asyncio.run(ask())}


# ------------------------------------------------------------------ inspect_ai


def test_inspect_eval_scores_a_release(tmp_path: Path) -> None:
    """Inspect's own command and its client for OpenAI-compatible servers work unchanged.

    The model is a script, so no other server is contacted.
    """
    release = write_small_release(tmp_path / "data", [Posed("sum-up")])
    words = [
        "-T",
        f"data={release.folder}",
        "-T",
        "lang=python",
        "-T",
        f"out={tmp_path / 'out'}",
        "-T",
        "repeats=2",
    ]
    with serving([f"So:\n```python\n{FAST}```"]) as model:
        variables = {
            "LOCAL_API_KEY": "none",
            "LOCAL_BASE_URL": model.base_url,
            "INSPECT_DISPLAY": "plain",
        }
        command = [
            BIN / "inspect",
            "eval",
            "venus_toolkit/venus",
            "--model",
            "openai-api/local/scripted",
            *words,
        ]
        command += ["--log-format", "json", "--log-dir", str(tmp_path / "logs")]
        done = subprocess.run(
            command,
            env={**os.environ, **variables, "HOME": str(tmp_path)},
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert model.paths == ["/v1/chat/completions"]
    (log,) = (tmp_path / "logs").glob("*.json")
    report = json.loads(log.read_text())
    assert report["status"] == "success"
    (score,) = (sample["scores"]["efficiency"] for sample in report["samples"])
    assert score["value"]["passed"] == 1.0
    assert set(score["value"]) == {"passed", "beyond_time", "beyond_memory", "beyond_integral"}


# ------------------------------------------------------------------ EffiBench-X (repository)

EFFIBENCH_SCRIPT = """
import json, sys
from effibench.run_tests import run_tests
cases = [{"input": f"{n}\\n", "output": str(2 * n)} for n in (1, 21)]
same = "def evaluate(actual, expected):\\n    return actual == expected\\n"
found = run_tests(sys.argv[1], sys.argv[2], cases, same, raise_on_error=False, polling_interval=0.1)
print(json.dumps(found))
"""


@pytest.mark.skipif(not EFFIBENCH, reason="no clone of EffiBench-X: set EFFIBENCH_X to its folder")
@pytest.mark.parametrize("as_it_should", [True, False])
@pytest.mark.parametrize("lang", ["python3", "cpp"])
def test_effibench_x_runs_tests(url: str, lang: str, as_it_should: bool) -> None:
    factor = 2 if as_it_should else 3
    code = {
        "python3": f"print({factor} * int(input()))\n",
        "cpp": (
            f"#include <iostream>\nint main() {{ int n; std::cin >> n; std::cout << {factor} * "
            f"n; }}\n"
        ),
    }
    path = os.pathsep.join((EFFIBENCH, str(Path(EFFIBENCH, "third_party", "llm-sandbox"))))
    environment = {**os.environ, "PYTHONPATH": path, "BACKEND_BASE_URL": url}
    command = [sys.executable, "-c", EFFIBENCH_SCRIPT, lang, code[lang]]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    results = json.loads(done.stdout)
    assert [result["passed"] for result in results] == [as_it_should] * 2
    assert all(
        result["status"] == "done" and result["runtime"] > 0 and result["memory"] > 0
        for result in results
    )
