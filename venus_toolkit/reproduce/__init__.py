"""`venus reproduce`: the paper's claim in miniature, from nothing to a page, with the toolkit's own means.

    problems.py   families of small problems, each with programs of several shapes that cost differently
    material/     their statements and programs; prompts/ what a model is asked
    teacher.py    answers in the place of a large model when the cold-start set is derived
    preset.py     how large all of it is; presets/NAME holds the recipes of the methods too
    stages.py     problems ─▶ release ─▶ derived sets ─▶ base model ─▶ cold start ─▶ SFT ─▶ DPO, and GRPO ─▶ evaluations
    curves.py     what came of it, with intervals over seeds; page.py shows it

Words: an *arm* is a method whose models are compared (cold start, sft, dpo, grpo); a *seed* is one training and
evaluation of all arms; a *shape* is a way to write a program.
"""
