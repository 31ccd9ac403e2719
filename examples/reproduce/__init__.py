"""The paper's claim in miniature, from nothing to a page, with the toolkit's own means.

    python -m examples.reproduce --preset tiny --out build/reproduce

    small_problems.py  families of problems, programs of several shapes that cost differently, lessons and a teacher
    material/          their statements and programs; prompts/ what a model is asked
    scratch.py         the base model: a tokenizer and a small transformer, taught on the lessons
    preset.py          how large all of it is; presets/NAME holds the recipes of the methods too
    stages.py          problems ─▶ release ─▶ derived sets; base model ─▶ cold start ─▶ SFT ─▶ DPO, GRPO; evaluations
    findings.py        what came of it, with intervals over seeds
    reproduce.py       all of it in turn, and the page

Words: an *arm* is a method whose models are compared (cold start, sft, dpo, grpo); a *seed* is one
training and evaluation of all arms; a *shape* is a way to write a program; a *slip* is a program
that stops a term too early.
"""
