"""Generates pages of the documentation site; a hook of MkDocs.

index.md, changes.md, contributing.md    README.md, CHANGELOG.md and CONTRIBUTING.md; the home page
                                         also shows a result, from docs/reproduce.md
reference/commands.md                    from the commands themselves
reference/python.md                      from the docstrings of the public API
reference/columns.md                     from the schemas of a release
"""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from venus_toolkit.dataset import columns

SHIM, LOCAL_SHIM = "https://unpkg.com/iframe-worker/shim", "assets/javascripts/iframe-worker.js"
ROOT = Path(__file__).resolve().parent.parent
TEXTS = {
    "index.md": "README.md",
    "changes.md": "CHANGELOG.md",
    "contributing.md": "CONTRIBUTING.md",
}
LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")
EMPTY_HEADING = re.compile(r"<th( [^>]*)?></th>")
COMMANDS = """# Commands

::: mkdocs-click
    :module: venus_toolkit.cli
    :command: venus
    :prog_name: venus
    :depth: 1
    :style: plain
    :list_subcommands: true
"""
PYTHON = """# The Python API, in full

[From Python](../api.md) says what these are for.

""" + "".join(
    f"""
::: venus_toolkit.api.{module}
    options:
      show_root_heading: false
      show_root_toc_entry: false
      members: [{members}]
"""
    for module, members in (
        ("programs", "run, compare, Result, Comparison"),
        ("datasets", "build, load"),
        ("models", "evaluate, optimize, Evaluated, Optimized"),
    )
)
SCHEMAS = {
    "One row for each problem: a config for each language": columns.SCHEMA,
    "One row for each solution: `solutions`": columns.SOLUTIONS,
    "One row for each problem, all languages: `problems`": columns.PROBLEMS,
    "One row for each test: `tests`": columns.TESTS,
    "One row for each rejected solution: `rejected`": columns.REJECTED,
    "One row for each solution and test: `runs`": columns.RUNS,
}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages, and the script that makes search work for pages opened from disk."""
    shim = ROOT / "build/package/shim/index.js"
    content = shim.read_text(encoding="utf-8") if shim.is_file() else ""
    files.append(File.generated(config, LOCAL_SHIM, content=content))
    pages = {
        page: _relocate((ROOT / text).read_text(encoding="utf-8")) for page, text in TEXTS.items()
    }
    # On the first screen: after the picture that ends README's introduction.
    picture = ".svg)\n"
    pages["index.md"] = pages["index.md"].replace(picture, f"{picture}\n{_result()}", 1)
    pages |= {
        "reference/commands.md": COMMANDS,
        "reference/python.md": PYTHON,
        "reference/columns.md": _columns(),
    }
    for page, text in pages.items():
        files.append(File.generated(config, page, content=text))
    return files


def on_post_page(output: str, page: Page, **_: object) -> str:
    """Load the shim from the site itself, and turn empty table headings into plain cells."""
    output = EMPTY_HEADING.sub(r"<td\1></td>", output)
    return output.replace(SHIM, "../" * page.url.count("/") + LOCAL_SHIM)


def on_post_template(output_content: str, **_: object) -> str:
    """Load the shim from the site itself in templates, too."""
    return output_content.replace(SHIM, LOCAL_SHIM)


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Replace a link from the documentation into the source tree by the file's name."""
    above = "../" * (page.file.src_uri.count("/") + 1)
    return LINK.sub(
        lambda link: f"`{link[2].removeprefix(above)}`" if link[2].startswith(above) else link[0],
        markdown,
    )


def _relocate(text: str) -> str:
    """Return the text of a page at the root with its links relative to docs/."""
    pages = {text: page for page, text in TEXTS.items()}

    def relocate_link(link: re.Match[str]) -> str:
        target, _, anchor = link[2].partition("#")
        if "://" in link[2] or not target:
            return link[0]
        target = (
            pages.get(target) or target.removeprefix("docs/")
            if target.startswith("docs/")
            else pages.get(target)
        )
        return f"[{link[1]}]({target}{'#' * bool(anchor)}{anchor})" if target else f"{link[1]}"

    return LINK.sub(relocate_link, text)


def _result() -> str:
    """Return the effect of training on a release, as a table with bars: the first answers."""
    page = (ROOT / "docs/reproduce.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| ([\w-]+) \| 0 \| ([\d.]+) \([^)]*\) \| (([\d.]+) \([^)]*\)) \|",
        page.partition("<!-- /miniature -->")[0],  # a pretrained model follows
        flags=re.MULTILINE,
    )
    lines = [
        "**A result**: the first answers of a small model to unseen problems, after training on a "
        "release, in per cent. Beyond-T is the mean rank of its programs by time among human "
        "solutions, 0 for a failed program; in brackets the 95 % confidence interval. A model of "
        "0.3 million parameters proves nothing about large ones: [method and negative results]"
        "(reproduce.md).",
        "",
        "| training | Pass@1 | Beyond-T, from 0 to 100 |",
        "|---|---:|---|",
    ]
    lines += [
        f"| {label} | {passed} | {beyond}<br>"
        f'<meter class="result" min="0" max="100" value="{value}" aria-label="Beyond-T: {label}">'
        "</meter> |"
        for name, label in {
            "base": "none", "sft": "SFT", "dpo": "DPO", "grpo": "GRPO",
        }.items()
        for arm, passed, beyond, value in rows
        if arm == name
    ]  # fmt: skip
    return "\n".join([*lines, ""])


def _columns() -> str:
    lines = [
        "# Columns",
        "",
        "Names, types and order; [A release](../release.md) says what they mean.",
        "",
    ]
    for title, schema in SCHEMAS.items():
        lines += [f"## {title}", "", "| column | type |", "|---|---|"]
        lines += [f"| `{field.name}` | {_type(field.type)} |" for field in schema]
        lines.append("")
    return "\n".join(lines)


def _type(kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        return f"list of {_type(kind.value_type)}"
    if pa.types.is_struct(kind):
        return "struct: " + ", ".join(f"`{field.name}`" for field in kind)
    return str(kind)
