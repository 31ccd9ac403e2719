"""Starter code as on web pages (starters/*.toml) has the same signature in every language."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from venus_toolkit.core.language import load_languages
from venus_toolkit.signatures import Function, Kind, Parameter, Signature, Type, parse_signature

FOLDER = Path(__file__).parent / "starters"
SHAPES = {
    path.stem: tomllib.loads(path.read_text(encoding="utf-8"))
    for path in sorted(FOLDER.glob("*.toml"))
}
LANGUAGES = load_languages()
NODES = {Kind.LINKED_LIST: "", Kind.TREE: "", Kind.NARY_TREE: "n-ary ", Kind.GRAPH: "graph "}
CASES = [
    (shape, key)
    for shape, table in SHAPES.items()
    for key in table
    if not key.endswith("signature")
]


def shown_type(type_: Type) -> str:
    if type_.kind in NODES:
        return f"{NODES[type_.kind]}{type_.node}<{type_.element}>"
    return f"{type_.kind}<{shown_type(type_.element)}>" if type_.element else str(type_.kind)


def shown_parameters(parameters: tuple[Parameter, ...]) -> str:
    return ", ".join(f"{parameter.name}: {shown_type(parameter.type)}" for parameter in parameters)


def shown_function(function: Function) -> str:
    changed = (
        "" if function.changed is None else f" changes {function.parameters[function.changed].name}"
    )
    return (
        f"{function.name}({shown_parameters(function.parameters)}) -> "
        f"{shown_type(function.returns)}{changed}"
    )


def shown(signature: Signature) -> str:
    """Return a signature in one line, in the notation of the files."""
    constructor = f"({shown_parameters(signature.constructor)})" if signature.design else ""
    return f"{signature.holder}{constructor}: {'; '.join(map(shown_function, signature.functions))}"


@pytest.mark.parametrize(("shape", "key"), CASES, ids=lambda part: str(part))
def test_signature_of_starter_code(shape: str, key: str) -> None:
    table, language = SHAPES[shape], key.split("_")[0]
    expected = table.get(f"{language}_signature", table["signature"])
    assert shown(parse_signature(table[key], LANGUAGES[language])) == expected


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape != "codec"])
def test_every_language_has_an_example(shape: str) -> None:
    assert set(LANGUAGES) <= set(SHAPES[shape])


@pytest.mark.parametrize(("shape", "key"), CASES, ids=lambda part: str(part))
def test_crlf_and_tabs_change_nothing(shape: str, key: str) -> None:
    language = LANGUAGES[key.split("_")[0]]
    text = SHAPES[shape][key]
    other = text.replace("\n", "\r\n").replace("    ", "\t")
    assert parse_signature(other, language) == parse_signature(text, language)


# Several fields in a line or an assignment; the last field alone would suggest a list or a tree.
NODES_IN_A_LINE = {
    "ruby": [
        "# class Node\n"
        "#   def initialize(v)\n"
        "#     @val = v\n"
        "#     @left, @right, @next = nil, nil, nil\n"
        "#   end\n"
        "# end\n",
        "# class Node\n"
        "#   def initialize(v)\n"
        "#     @val, @left = v, nil\n"
        "#     @right = @next = nil\n"
        "#   end\n"
        "# end\n",
    ],
    "python": [
        "# class Node:\n"
        "#     def __init__(self, v):\n"
        "#         self.val = v\n"
        "#         self.left, self.right, self.next = [None] * 3\n",
        "# class Node:\n"
        "#     def __init__(self, v: int):\n"
        "#         self.val: int = v\n"
        "#         self.left: 'Node' = None\n"
        "#         self.right = self.next = None\n",
    ],
    "javascript": [
        "// function Node(v) {\n"
        "//     this.val = v;\n"
        "//     [this.left, this.right, this.next] = [null, null, null];\n"
        "// }\n",
        "// function Node(v) {\n"
        "//     this.val = v; this.left = this.right = this.next = null;\n"
        "// }\n",
    ],
    "cpp": [
        "/*\n"
        "class Node {\n"
        "public:\n"
        "    int val;\n"
        "    Node *left, *right, *next;\n"
        "    Node(int v) : val(v), next(NULL) {}\n"
        "};\n"
        "*/\n",
        "/*\n"
        "struct Node {\n"
        "    int val = 0;\n"
        "    Node* left = nullptr;\n"
        "    Node *right = nullptr, *next = nullptr;\n"
        "};\n"
        "*/\n",
    ],
    "java": [
        "/*\n"
        "class Node {\n"
        "    public int val;\n"
        "    public Node left, right, next;\n"
        "    Node(int v, Node l) { val = v; }\n"
        "}\n"
        "*/\n",
        "/*\n"
        "class Node {\n"
        "    int val;\n"
        "    Node left = null, right = null;\n"
        "    Node next;\n"
        "}\n"
        "*/\n",
    ],
    "go": [
        "/*\n"
        "type Node struct {\n"
        "    Val int\n"
        "    Left, Right, Next *Node\n"
        "}\n"
        "*/\n",
        "// type Node struct {\n"
        "//     Val int\n"
        "//     Left *Node\n"
        "//     Right,Next *Node\n"
        "// }\n",
    ],
}  # fmt: skip
CONNECT = {
    "ruby": "# @param {Node} root\n# @return {Node}\ndef connect(root)\nend\n",
    "python": "class Solution:\n    def connect(self, root: 'Node') -> 'Node':\n        pass\n",
    "javascript": (
        "/**\n * @param {_Node} root\n * @return {_Node}\n */\nvar connect = function(root) {\n};\n"
    ),
    "cpp": "class Solution {\npublic:\n    Node* connect(Node* root) {\n    }\n};\n",
    "java": "class Solution {\n    public Node connect(Node root) {\n    }\n}\n",
    "go": "func connect(root *Node) *Node {\n}\n",
}


@pytest.mark.parametrize("language", NODES_IN_A_LINE)
@pytest.mark.parametrize("form", [0, 1])
def test_fields_of_a_node_may_share_a_line(language: str, form: int) -> None:
    code = NODES_IN_A_LINE[language][form].replace("{Node}", "Node") + CONNECT[language]
    (function,) = parse_signature(code, LANGUAGES[language]).functions
    assert str(function.returns) == "next_tree<int>"


def test_fields_of_a_rust_node_may_share_a_line() -> None:
    link = "Option<Rc<RefCell<Node>>>"
    node = f"// pub struct Node {{ pub val: i64, pub left: {link}, pub right: {link} }}\n"
    head = "impl Solution {\n    pub fn f(root: Option<Rc<RefCell<Node>>>) -> i32 {\n    }\n}\n"
    (function,) = parse_signature(node + head, LANGUAGES["rust"]).functions
    assert str(function.parameters[0].type) == "tree<long>"
