"""A class in every language, with one method per type that returns its argument."""

from __future__ import annotations

from venus_toolkit.signatures import Function, Kind, Parameter, Signature, Type

SCALARS = {
    kind: Type(kind)
    for kind in (Kind.INT, Kind.LONG, Kind.FLOAT, Kind.BOOL, Kind.CHAR, Kind.STRING)
}
INT, LONG, FLOAT, BOOL, CHAR, STRING = SCALARS.values()


def listed(element: Type) -> Type:
    return Type(Kind.LIST, element)


def optional(element: Type) -> Type:
    return Type(Kind.OPTIONAL, element)


LINKED_LIST = Type(Kind.LINKED_LIST, INT, "ListNode")
TREE = Type(Kind.TREE, INT, "TreeNode")
NARY_TREE = Type(Kind.NARY_TREE, INT, "Node")
GRAPH = Type(Kind.GRAPH, INT, "Vertex")
NODES = (LINKED_LIST, TREE, NARY_TREE, GRAPH)
TYPES = (
    *SCALARS.values(),
    *map(listed, SCALARS.values()),
    *(listed(listed(each)) for each in SCALARS.values()),
    *map(optional, SCALARS.values()),
    listed(optional(INT)),
    listed(optional(STRING)),
    listed(listed(listed(INT))),
    *NODES,
    *map(listed, NODES),
)

SPELLED = {
    "cpp": ["int", "long long", "double", "bool", "char", "string", "vector<{}>", "optional<{}>", "{}*", "{}*"],
    "go": ["int", "int64", "float64", "bool", "byte", "string", "[]{}", "*{}", "*{}", "*{}"],
    "java": ["int", "long", "double", "boolean", "char", "String", "{}[]", "Optional<{}>", "{}", "{}"],
    "rust": ["i32", "i64", "f64", "bool", "char", "String", "Vec<{}>", "Option<{}>", "Option<Box<{}>>",
             "Option<Rc<RefCell<{}>>>"],
}  # fmt: skip
KINDS = (*SCALARS, Kind.LIST, Kind.OPTIONAL, Kind.LINKED_LIST, "other nodes")
BOXED = {
    "int": "Integer",
    "long": "Long",
    "double": "Double",
    "boolean": "Boolean",
    "char": "Character",
    "String": "String",
}


def spelled(language: str, wanted: Type) -> str:
    words = dict(zip(KINDS, SPELLED[language], strict=True))
    if wanted.node:
        return words.get(wanted.kind, words["other nodes"]).format(wanted.node)
    inner = spelled(language, wanted.element) if wanted.element else ""
    if language == "java" and wanted.kind == Kind.OPTIONAL:
        inner = BOXED[inner]
    return words[wanted.kind].format(inner)


def echo_signature(types: tuple[Type, ...] = TYPES) -> Signature:
    """Return the signature of the class: one method per type, named by `method`."""
    functions = tuple(
        Function(method(i), (Parameter("x", each),), each) for i, each in enumerate(types)
    )
    return Signature(functions, holder="Echo", constructor=(Parameter("seed", INT),), design=True)


def method(number: int) -> str:
    return f"giveBack{chr(ord('A') + number // 26)}{chr(ord('a') + number % 26)}"


HEADS = {
    "python": "class Echo:\n    def __init__(self, seed): pass\n",
    "cpp": "class Echo {\npublic:\n    Echo(int seed) {}\n",
    "go": "type Echo struct{}\nfunc Constructor(seed int) Echo { return Echo{} }\n",
    "java": "class Echo {\n    public Echo(int seed) {}\n",
    "javascript": "var Echo = function(seed) {};\n",
    "ruby": "class Echo\n  def initialize(seed)\n  end\n",
    "rust": "struct Echo {}\nimpl Echo {\n    fn new(seed: i32) -> Self { Echo {} }\n",
}
METHODS = {
    "python": "    def {name}(self, x): return x\n",
    "cpp": "    {type} {name}({type} x) {{ return x; }}\n",
    "go": "func (this *Echo) {pascal}(x {type}) {type} {{ return x }}\n",
    "java": "    public {type} {name}({type} x) {{ return x; }}\n",
    "javascript": "Echo.prototype.{name} = function(x) {{ return x; }};\n",
    "ruby": "  def {snake}(x)\n    x\n  end\n",
    "rust": "    fn {snake}(&self, x: {type}) -> {type} {{ x }}\n",
}
TAILS = {"cpp": "};\n", "java": "}\n", "ruby": "end\n", "rust": "}\n"}


def echo_solution(language: str, types: tuple[Type, ...] = TYPES) -> str:
    """Return the code of the class in a language, as a person would write it."""
    lines = [HEADS[language]]
    for number, each in enumerate(types):
        name = method(number)
        snake = f"give_back_{name[-2:].lower()}"
        form = spelled(language, each) if language in SPELLED else ""
        lines.append(
            METHODS[language].format(name=name, pascal="G" + name[1:], snake=snake, type=form)
        )
    return "".join(lines) + TAILS.get(language, "")
