"""What a model thought before it answered, in the forms that models mark it."""

from __future__ import annotations

import re

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
END_MARKS = re.compile(r"(\s|<[|\uff5c][^<>]{1,40}[|\uff5c]>|</s>)+\Z")
LONGEST_INDENT = 200  # characters of white space that are looked through
END_MARKS_AT_MOST = 200  # characters at the end of an answer that are searched for them


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
        if closing not in text and opening not in text:
            continue
        first_fence = min((place for fence in ("```", "~~~") if (place := text.find(fence)) >= 0), default=len(text))
        # Within a line of prose an opening tag may be no more than mentioned.
        start = text.find(opening, 0, first_fence)
        opened = start >= 0 and not text[text.rfind("\n", 0, start) + 1 : start].strip()
        place = _last_at_edge(text, closing)
        if place < 0:
            place = text.rfind(closing) if opened else text.rfind(closing, 0, first_fence)
        if place >= 0 and (opened or opening not in NEVER_ALONE):
            end = text.index(closing, place)
            begun_here = 0 <= start < end
            thoughts.append(text[start + len(opening) if begun_here else 0 : end])
            # What stands before a thought is kept: it may be the tag that the code is to lie in.
            text = (text[:start] if begun_here else "") + text[end + len(closing) :]
        elif opened:
            return None, text[start + len(opening) :]
    return text, "\n".join(thoughts) if thoughts else None


def _last_at_edge(text: str, mark: str) -> int:
    """Return the last place of a mark that begins or ends its line, white space aside; -1: there is none."""
    place = text.rfind(mark)
    while place >= 0:
        before, after = (
            text[max(0, place - LONGEST_INDENT) : place],
            text[place + len(mark) : place + len(mark) + LONGEST_INDENT],
        )
        if not before.rpartition("\n")[2].strip() or not after.partition("\n")[0].strip():
            return place
        place = text.rfind(mark, 0, place)
    return -1
