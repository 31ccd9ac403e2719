"""Solutions copied from web pages, and solutions that do not fit their signature."""

from __future__ import annotations

import pytest

from tests.runners.echo import BOOL, CHAR, FLOAT, LINKED_LIST, LONG, STRING, TREE, listed
from tests.runners.support import (
    EVERY,
    INT,
    INTS,
    LANGUAGES,
    answers,
    case,
    function,
    line,
    made,
    ran,
)
from venus_toolkit.core.records import Verdict
from venus_toolkit.execution.judging.judge import ending
from venus_toolkit.execution.sandbox import Sandbox
from venus_toolkit.signatures import Function, Kind, Parameter, Signature, Type

PAIR = Signature((Function("twoSum", (Parameter("nums", INTS), Parameter("target", INT)), INTS),))
PASTED = {
    "cpp": """#define int long long
class Solution {
public:
    vector<int> twoSum(vector<int>& nums, int target, int from) { return {}; }
    vector<int> twoSum(vector<int>& nums, int target) {
        unordered_map<int, int> seen;
        for (int i = 0; i < nums.size(); i++) {
            if (seen.count(target - nums[i])) return {seen[target - nums[i]], i};
            seen[nums[i]] = i;
        }
        return {};
    }
};
static auto fast = []() { ios::sync_with_stdio(false); cin.tie(nullptr); return 0; }();
""",
    "go": """package main
import "sort"
import (
    "container/heap"
    "unicode/utf16"
)
type Heap []int
func (h Heap) Len() int { return len(utf16.Decode(nil)) }
func (h Heap) Less(i, j int) bool { return false }
func (h Heap) Swap(i, j int) {}
func (h *Heap) Push(x interface{}) {}
func (h *Heap) Pop() interface{} { return nil }
var _ heap.Interface = &Heap{}
func twoSum(nums []int, target int) []int {
    order := make([]int, len(nums))
    for i := range order { order[i] = i }
    sort.Slice(order, func(a, b int) bool { return nums[order[a]] < nums[order[b]] })
    for i, j := 0, len(nums)-1; i < j; {
        switch sum := nums[order[i]] + nums[order[j]]; {
        case sum == target:
            if order[i] > order[j] { i, j = j, i }
            return []int{order[i], order[j]}
        case sum < target: i++
        default: j--
        }
    }
    return nil
}
""",
    "java": """import java.util.*;

public class Solution {
    static class Seen extends HashMap<Integer, Integer> {}
    public List<Integer> twoSum(int[] nums, int target) {
        Map<Integer, Integer> seen = new Seen();
        for (int i = 0; i < nums.length; i++) {
            if (seen.containsKey(target - nums[i])) return Arrays.asList(seen.get(target - nums[i]), i);
            seen.put(nums[i], i);
        }
        return new ArrayList<>();
    }
}
""",
    "javascript": """const twoSum = (nums, target) => {
    const seen = new Map()
    for (const [i, num] of nums.entries()) {
        if (seen.has(target - num)) return [seen.get(target - num), i]
        seen.set(num, i)
    }
    return []
}""",
    "python": """class Solution:
    def twoSum(self, nums: List[int], target: int) -> List[int]:
        seen = defaultdict(lambda: inf)
        for i, num in enumerate(nums):
            if seen[target - num] < inf:
                return seen[target - num], i
            seen[num] = i
        return []
""",
    "ruby": """# @param {Integer[]} nums
# @param {Integer} target
# @return {Integer[]}
def two_sum(nums, target)
    seen = {}
    nums.each_with_index do |num, i|
        return [seen[target - num], i] if seen.key?(target - num)
        seen[num] = i
    end
    []
end
""",
    "rust": """#![allow(dead_code)]
use std::collections::HashMap;
pub struct Solution;
impl Solution {
    pub fn two_sum(nums: Vec<i32>, target: i32) -> Vec<i32> {
        let mut seen: HashMap<i32, usize> = HashMap::new();
        for (i, &num) in nums.iter().enumerate() {
            if let Some(&j) = seen.get(&(target - num)) { return vec![j as i32, i as i32]; }
            seen.insert(num, i);
        }
        vec![]
    }
}
""",
}


@pytest.mark.parametrize("language", EVERY)
def test_pasted_code_runs_unchanged(sandbox: Sandbox, language: str) -> None:
    compiled = made(sandbox, PAIR, language, PASTED[language])
    assert answers(sandbox, compiled, [case([2, 7, 11], 9), case([1, 1], 5)]) == ["[0,1]\n", "[]\n"]


FREE = {
    "cpp": "long long grown(long long a) { return a + 1; }",
    "go": "func grown(a int64) int64 { return a + 1 }",
    "java": "class Solution { public static long grown(long a) { return a + 1; } }",
    "javascript": "function grown(a) { return typeof a === 'bigint' ? a + 1n : a + 1 }",
    "python": "def grown(a): return a + 1",
    "ruby": "def grown(a) = a + 1",
    "rust": "fn grown(a: i64) -> i64 { a + 1 }",
}


@pytest.mark.parametrize("language", EVERY)
def test_a_function_without_a_class(sandbox: Sandbox, language: str) -> None:
    free = Signature((Function("grown", (Parameter("a", LONG),), LONG),), holder="")
    compiled = made(sandbox, free, language, FREE[language])
    stdins = [case(2**53), case(-(2**63)), case(41)]
    assert answers(sandbox, compiled, stdins) == [f"{2**53 + 1}\n", f"{1 - 2**63}\n", "42\n"]


WRONG = [
    ("python", INTS, "class Solution:\n    def solve(self): pass", "expected a list of int"),
    ("python", INT, "class Solution:\n    def solve(self): return 1.0", "expected int"),
    ("python", INTS, "class Solution:\n    def solve(self): return [1, None]", "expected int"),
    ("python", STRING, "class Solution:\n    def solve(self): return 5", "expected string"),
    ("python", CHAR, "class Solution:\n    def solve(self): return 'ab'", "expected char"),
    ("python", BOOL, "class Solution:\n    def solve(self): return 'true'", "expected bool"),
    ("python", FLOAT, "class Solution:\n    def solve(self): return '1.5'", "expected float"),
    ("python", LINKED_LIST, "class Solution:\n    def solve(self): return [1]", "expected a ListNode"),
    ("python", TREE, "class Solution:\n    def solve(self): return 3", "expected a TreeNode"),
    ("python", INT, "class Solution:\n    def solved(self): return 3", "solve"),
    ("javascript", INTS, "var solve = function() {}", "expected a list of int"),
    ("javascript", INT, "var solve = function() { return 0.5 }", "expected an integer"),
    ("javascript", INT, "var solve = function() { return '1' }", "expected an integer"),
    ("javascript", STRING, "var solve = function() { return null }", "expected a string"),
    ("javascript", TREE, "var solve = function() { return 1 }", "expected TreeNode"),
    ("javascript", INT, "var solved = function() { return 1 }", "solve is not defined"),
    ("ruby", INTS, "def solve()\nend", "expected a list of int"),
    ("ruby", INT, "def solve()\n  1.0\nend", "expected an integer"),
    ("ruby", listed(STRING), "def solve()\n  [:a]\nend", "expected a string"),
    ("ruby", LINKED_LIST, "def solve()\n  [1]\nend", "expected a ListNode"),
    pytest.param("java", INTS, "class Solution { int[] solve() { return null; } }", "has null, expected a list of int",
                 marks=pytest.mark.slow),
    pytest.param("java", INT, "class Solution { double solve() { return 1; } }", "a Double, expected an integer",
                 marks=pytest.mark.slow),
    pytest.param("java", INT, "class Solution { int solve(int x) { return 1; } }", "no method solve with 0 arguments",
                 marks=pytest.mark.slow),
    pytest.param("go", INT, "func solve() string { return `1` }", "the result has a string, expected int",
                 marks=pytest.mark.slow),
]  # fmt: skip


@pytest.mark.parametrize(("language", "returns", "solution", "words"), WRONG)
def test_a_result_of_another_type_is_a_runtime_error(
    sandbox: Sandbox, language: str, returns: Type, solution: str, words: str
) -> None:
    (run,) = ran(sandbox, made(sandbox, function(returns), language, solution), [""])
    assert ending(run, LANGUAGES[language])[0] == Verdict.RUNTIME_ERROR
    assert not run.stdout
    assert words in run.stderr.decode()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "solution"),
    [
        ("cpp", "class Solution {\npublic:\n    double solve() { return 1; }\n};"),
        ("rust", "impl Solution {\n    pub fn solve() -> f64 { 1.0 }\n}"),
        ("rust", "impl Solution {\n    pub fn solve(a: i32) -> i32 { a }\n}"),
        ("cpp", "class Solution {\npublic:\n    int solved() { return 1; }\n};"),
    ],
)
def test_static_type_mismatch_is_a_compile_error(
    sandbox: Sandbox, language: str, solution: str
) -> None:
    assert not made(sandbox, function(INT), language, solution).ok


@pytest.mark.parametrize("language", EVERY)
@pytest.mark.parametrize("strange", ["[1,2]\n3 4\n", "[1,2],\n3\n", '"x"\n3\n', "[1,2]\n"])
def test_mismatched_input_is_a_runtime_error(sandbox: Sandbox, language: str, strange: str) -> None:
    (run,) = ran(sandbox, made(sandbox, PAIR, language, PASTED[language]), [strange])
    assert run.exit_code
    assert not run.stdout


MAYBE = Type(Kind.OPTIONAL, INT)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "solution"),
    [
        ("cpp", "class Solution {\npublic:\n    int solve(int a) { return a; }\n};"),
        ("cpp", "class Solution {\npublic:\n    optional<int> solve(int a) { return a; }\n};"),
        ("go", "func solve(a int) int { return a }"),
        ("rust", "impl Solution {\n    pub fn solve(a: i32) -> i32 { a }\n}"),
    ],
)
def test_plain_result_fits_an_optional_one(sandbox: Sandbox, language: str, solution: str) -> None:
    compiled = made(sandbox, function(MAYBE, INT), language, solution)
    assert answers(sandbox, compiled, [case(0), case(3)]) == ["0\n", "3\n"]


@pytest.mark.slow
def test_cpp_may_return_a_letter_for_a_string(sandbox: Sandbox) -> None:
    solution = (
        "#include <bits/stdc++.h>\nclass Solution {{\npublic:\n    {} solve(int a) {{ return 'a' "
        "+ a; }}\n}};"
    )
    compiled = made(sandbox, function(STRING, INT), "cpp", solution.format("char"))
    assert answers(sandbox, compiled, [case(1)]) == ['"b"\n']
    assert not made(sandbox, function(STRING, INT), "cpp", solution.format("int")).ok


@pytest.mark.slow
def test_rust_may_return_a_tuple_for_a_list(sandbox: Sandbox) -> None:
    code = "impl Solution {\n    pub fn solve(a: i32) -> (i32, i32) { (a, a + 1) }\n}"
    assert answers(sandbox, made(sandbox, function(INTS, INT), "rust", code), [case(2)]) == [
        "[2,3]\n"
    ]


@pytest.mark.slow
def test_go_may_say_any_type_and_fixed_lengths(sandbox: Sandbox) -> None:
    code = """func solve(a [2]int, b interface{}, c interface{}) interface{} {
        if b == nil { return nil }
        return a[1] + b.(int) + len(c.([]interface{})[1].(string))
    }"""
    compiled = made(sandbox, function(MAYBE, INTS, MAYBE, listed(STRING)), "go", code)
    assert answers(sandbox, compiled, [case([1, 2], 3, ["", "ab"]), case([1, 2], None, [])]) == [
        "7\n",
        "null\n",
    ]
    for wrong in ([1], [1, 2, 3]):
        assert ran(sandbox, compiled, [case(wrong, 3, ["", ""])])[0].exit_code


@pytest.mark.slow
def test_rust_may_borrow(sandbox: Sandbox) -> None:
    code = """impl Solution {
        pub fn solve(a: &str, b: &Vec<i32>, c: &[i32]) -> String { format!("{a} {b:?} {c:?}") }
    }"""
    compiled = made(sandbox, function(STRING, STRING, INTS, INTS), "rust", code)
    assert answers(sandbox, compiled, [case("x", [1], [])]) == ['"x [1] []"\n']


def test_javascript_keeps_large_integers(sandbox: Sandbox) -> None:
    kinds = "var solve = function(a) { return a.map(x => typeof x) }"
    compiled = made(sandbox, function(listed(STRING), listed(LONG)), "javascript", kinds)
    stdin = case([2**53 - 1, 2**53, -(2**63), 0])
    assert answers(sandbox, compiled, [stdin]) == ['["number","bigint","bigint","number"]\n']
    large = made(sandbox, function(LONG, LONG), "javascript", "var solve = a => a * 2 ** 50")
    assert answers(sandbox, large, [case(1024)]) == [f"{2**60}\n"]
    mixed = made(
        sandbox, function(FLOAT, FLOAT, LONG, STRING), "javascript", "var solve = (a, b, c) => a"
    )
    stdin = case(0.1234567890123456789, 12345678901234567890 % 2**62, '1234567890123456789"')
    assert answers(sandbox, mixed, [stdin]) == [f"{0.1234567890123456789!r}\n"]


PRELUDE = """class Solution:
    @cache
    def solve(self) -> List[int]:
        a: Deque[int] = deque([1, 2])
        heappush(h := [], random.randint(3, 3))
        heapq.heappush(h, 4)
        return [
            bisect(a, 1), bisect_left(a, 2), bisect.bisect_left(a, 2), copy.deepcopy(h)[0], deepcopy(h)[0],
            len(copy(h)), pow(2, 10, 7), gcd(6, 4), math.gcd(9, 6), int(inf == math.inf), Counter('aab')['a'],
            reduce(add, accumulate([1, 2])), len(ascii_lowercase + string.digits), int(re.sub('a', '1', 'a')),
            max(0, *map(int, [5])), sum(chain([1], itertools.repeat(1, 2))), date(2024, 2, 29).day,
            datetime.date(2024, 1, 1).year, maxsize % 7, len(sys.argv), comb(4, 2), int(0 <= random() < 1),
        ]
"""


def test_python_has_the_usual_imports(sandbox: Sandbox) -> None:
    compiled = made(sandbox, function(INTS), "python", PRELUDE)
    wanted = [1, 1, 1, 3, 3, 2, 2, 2, 3, 1, 2, 4, 36, 1, 5, 3, 29, 2024, (2**63 - 1) % 7, 1, 6, 1]
    assert answers(sandbox, compiled, [""]) == [line(wanted) + "\n"]


def test_python_takes_any_list(sandbox: Sandbox) -> None:
    code = (
        "class Solution:\n    def solve(self, n): return [range(n), deque([1]), {5: 1}.values(), "
        "{7}, True]"
    )
    compiled = made(sandbox, function(listed(INTS), INT), "python", code.replace(", True]", "]"))
    assert answers(sandbox, compiled, [case(2)]) == ["[[0,1],[1],[1],[7]]\n"]
    refused = made(sandbox, function(listed(INTS), INT), "python", code)
    assert b"expected a list" in ran(sandbox, refused, [case(2)])[0].stderr
