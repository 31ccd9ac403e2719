"""The code in a model's answer, and whether the answer has the form that was asked for.

`read_answer` is lenient: it cuts off thoughts in the forms of `THOUGHTS`, and takes the code from ``<solution>`` tags,
from a fenced block of the right language, or from a bare text that is nothing but code; where there is none it gives a
reason. A thought without an end is no answer: what it drafted is not what the model would have said. `block_complaint`
and `tags_complaint` are strict: they say how an answer deviates from the form that a prompt demands
(prompts/rules.md.j2).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from venus_toolkit.core.language import Language

TAGS = ("<thinking>", "</thinking>", "<solution>", "</solution>")
# As in CommonMark, a fence is indented by at most three spaces.
# Possessive: a long line that is no fence after all is not tried again from each of its characters.
OPENING = re.compile(r" {0,3}(?P<fence>`{3,}+|~{3,}+)[ \t]*+(?P<info>[^`\n]*)")
TICKS = re.compile(r"^[^\S\n]*(`{3,})", re.MULTILINE)
CODE_SIGNS = re.compile(r"[=(){}\[\];<>]|:$")
# How models mark their thoughts, by beginning and end.
THOUGHTS = (
    ("<think>", "</think>"),  # DeepSeek R1, Qwen 3 and QwQ, GLM, MiniMax, Nemotron, Granite, SmolLM
    ("<thinking>", "</thinking>"),  # the paper's prompt, Claude where it is asked to
    ("<thought>", "</thought>"),  # EXAONE, Gemini's compatible API
    ("<reasoning>", "</reasoning>"),
    ("[THINK]", "[/THINK]"),  # Magistral
    ("\N{WHITE LEFT-POINTING TRIANGLE}think\N{WHITE RIGHT-POINTING TRIANGLE}",
     "\N{WHITE LEFT-POINTING TRIANGLE}/think\N{WHITE RIGHT-POINTING TRIANGLE}"),  # Kimi
    ("<seed:think>", "</seed:think>"),  # Seed-OSS
    ("<|START_THINKING|>", "<|END_THINKING|>"),  # Command A
    ("<|begin_of_thought|>", "<|end_of_thought|>"),  # OpenThinker, Sky-T1
    ("Here is my thought process:", "Here is my response:"),  # Granite 3.2
)  # fmt: skip
# Their ends are also plain words or tags of documents: without a beginning they say nothing.
NEVER_ALONE = ("<thought>", "<reasoning>", "Here is my thought process:")
# The channels of gpt-oss (harmony): analysis and commentary are thoughts, final is the answer.
CHANNEL, START, FINAL, MESSAGE = "<|channel|>", "<|start|>", "<|channel|>final", "<|message|>"
# The same where a tokenizer left out the marks.
BARE_ANALYSIS, BARE_FINAL = "analysis", "assistantfinal"
ANSWER_TAGS = ("answer", "response")  # around an answer, after the thoughts
END_MARKS = re.compile(r"(\s|<[|\uff5c][^<>]{1,40}[|\uff5c]>|</s>)+\Z")
END_MARKS_AT_MOST = 200  # characters at the end of an answer that are searched for them
SENTENCE_WORDS = 4  # shorter lines without a sign of code may still be code, such as `public static void`


class Extracted(NamedTuple):
    """The code of an answer, or None and the reason; thinking is what the model thought before, if it is marked."""

    code: str | None
    reason: str = ""
    thinking: str | None = None


class Block(NamedTuple):
    """A fenced code block: the first word after its fence, its text, and whether it was closed."""

    info: str
    code: str
    closed: bool


def fenced(code: str, language: Language) -> str:
    """Return `code` as one Markdown block of `language`, with a fence longer than any in the code."""
    return plain_block(code, language.fences[0])


def plain_block(text: str, mark: str = "") -> str:
    """Return `text` as one Markdown block marked `mark`, with a fence longer than any in the text."""
    fence = "`" * max([3, *(len(ticks) + 1 for ticks in TICKS.findall(text))])
    return f"{fence}{mark}\n{text.strip(chr(10))}\n{fence}"


def read_answer(text: str, language: Language) -> Extracted:
    """Return the code of an answer; of several blocks in the right language, the last one is the final answer."""
    answer, thinking = split_thoughts(text)
    if answer is None:
        # Who forgot the end of the tag that was asked for, and then gave the other, has answered all the same.
        answer = text if text.lstrip().startswith(TAGS[0]) and _between(text, "solution") is not None else None
    if answer is None:
        return Extracted(None, "the reasoning does not end, so there is no answer", thinking)
    inside = _between(answer, "solution")
    if inside is None and "<solution>" in answer:
        return Extracted(None, "<solution> is not closed: the answer was cut off", thinking)
    if inside is None:
        tagged = (_between(answer, tag) for tag in ANSWER_TAGS if answer.lstrip().startswith(f"<{tag}>"))
        inside = next((each for each in tagged if each is not None), answer)
    return _code(inside, language)._replace(thinking=thinking)


def split_thoughts(text: str) -> tuple[str | None, str | None]:
    """Return an answer without the thoughts before it, and the thoughts; None where there is no answer, or no thought.

    A thought begins before the first code block. Some templates put its beginning into the prompt, so an end alone is
    enough. Of several ends the last one counts, as a model may mention it while it thinks, but not one inside a line of
    the answer's code.
    """
    text = text[:-END_MARKS_AT_MOST] + END_MARKS.sub("", text[-END_MARKS_AT_MOST:])
    begun = text.lstrip()
    if begun.startswith((CHANNEL, START)):
        head, found, rest = text.rpartition(FINAL)
        return (re.split(r"<\|(?:return|end|call)\|>", rest.partition(MESSAGE)[2])[0], head) if found else (None, text)
    if begun.startswith(BARE_ANALYSIS) and BARE_FINAL in text:
        head, _, rest = text.rpartition(BARE_FINAL)
        return rest, head.removeprefix(BARE_ANALYSIS)
    thoughts = list[str]()
    for opening, closing in THOUGHTS:
        first_fence = min((place for fence in ("```", "~~~") if (place := text.find(fence)) >= 0), default=len(text))
        # Within a line of prose an opening tag may be no more than mentioned.
        start = text.find(opening, 0, first_fence)
        opened = start >= 0 and not text[text.rfind("\n", 0, start) + 1 : start].strip()
        ends = list(re.finditer(rf"^[^\S\n]*{re.escape(closing)}|{re.escape(closing)}[^\S\n]*$", text, re.MULTILINE))
        place = ends[-1].start() if ends else text.rfind(closing) if opened else text.rfind(closing, 0, first_fence)
        if place >= 0 and (opened or opening not in NEVER_ALONE):
            end = text.index(closing, place)
            begun_here = 0 <= start < end
            thoughts.append(text[start + len(opening) if begun_here else 0 : end])
            # What stands before a thought is kept: it may be the tag that the code is to lie in.
            text = (text[:start] if begun_here else "") + text[end + len(closing) :]
        elif opened:
            return None, text[start + len(opening) :]
    return text, "\n".join(thoughts) if thoughts else None


def block_complaint(text: str, language: Language) -> str:
    """Return why `text` is not exactly one closed block of `language` and nothing else, or ""."""
    lines = text.strip("\n").split("\n")
    found = list(blocks(text))
    if len(found) != 1:
        return f"it has {len(found)} fenced code blocks, expected exactly one"
    (block,) = found
    if not block.closed:
        return "the code block is not closed"
    if not block.code.strip():
        return "the code block is empty"
    # The code has one line more than line breaks, and the fences are two.
    if len(lines) != block.code.count("\n") + 3:
        return "there is text beside the code block"
    marked = block.info.lower() in language.fences
    return "" if marked else f"the code block is marked {block.info or 'with nothing'}, expected {language.fences[0]}"


def tags_complaint(text: str) -> str:
    """Return why `text` is not ``<thinking>…</thinking><solution>…</solution>``, or ""."""
    for tag in TAGS:
        if text.count(tag) != 1:
            return f"{tag} occurs {text.count(tag)} times, expected once"
    rest, places = text.strip(), [text.index(tag) for tag in TAGS]
    between = text.partition(TAGS[1])[2].partition(TAGS[2])[0]
    if places != sorted(places):
        return "the tags are not in order"
    if not rest.startswith(TAGS[0]) or not rest.endswith(TAGS[3]) or between.strip():
        return "there is text outside of the tags"
    empty = [name for name in ("thinking", "solution") if not (_between(text, name) or "").strip()]
    return f"<{empty[0]}> is empty" if empty else ""


def thinking_complaint(text: str, language: Language) -> str:
    """Return why `text` is not the tags with one block of `language` as the solution, or ""."""
    return tags_complaint(text) or block_complaint((_between(text, "solution") or "").strip(), language)


def blocks(text: str) -> Iterator[Block]:
    """Yield the fenced code blocks of a Markdown text."""
    opening, kept = None, list[str]()
    for line in text.split("\n"):
        if opening is None:
            opening = OPENING.fullmatch(line.rstrip())
            kept = []
        elif _closes(line, opening["fence"]):
            yield Block(_mark(opening), "\n".join(kept), True)
            opening = None
        else:
            kept.append(line)
    if opening is not None:
        yield Block(_mark(opening), "\n".join(kept), False)


def _mark(opening: re.Match[str]) -> str:
    # Pandoc marks a block as ```{.python}.
    return (opening["info"].split() or [""])[0].strip("{}.")


def _closes(line: str, fence: str) -> bool:
    # As in CommonMark: the same character, at least as often as in the opening fence, and nothing after it.
    word = line.strip()
    return len(word) >= len(fence) and not word.strip(fence[0]) and len(line) - len(line.lstrip(" ")) <= 3


def _between(text: str, tag: str) -> str | None:
    """Return the text between the last pair of these tags, or None."""
    # The last pair counts: a model may mention the tags while it thinks.
    head, found, _ = text.rpartition(f"</{tag}>")
    _, opened, inside = head.rpartition(f"<{tag}>")
    return inside if found and opened else None


def _code(text: str, language: Language) -> Extracted:
    found = list(blocks(text))
    right = [block for block in found if block.info.lower() in language.fences]
    chosen = right or [block for block in found if not block.info]
    closed = [block for block in chosen if block.closed]
    if closed:
        code = closed[-1].code
        return Extracted(code) if code.strip() else Extracted(None, "the code block is empty")
    if chosen:
        return Extracted(None, "the code block is not closed: the answer was cut off")
    if found:
        others = ", ".join(dict.fromkeys(block.info for block in found))
        return Extracted(None, f"the code is {others}, expected {language.fences[0]}")
    # A text without blocks is code when it looks like code and does not begin or end with a sentence.
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    if not lines:
        return Extracted(None, "the answer is empty")
    if not any(CODE_SIGNS.search(line) for line in lines) or _is_sentence(lines[0]) or _is_sentence(lines[-1]):
        return Extracted(None, "there is no code block, and the text is not only code")
    return Extracted(text.strip("\n"))


def _is_sentence(line: str) -> bool:
    return len(line.split()) >= SENTENCE_WORDS and line[0].isalpha() and not CODE_SIGNS.search(line)
