"""What people look at: the results of one evaluation or several as Markdown, one HTML page and pictures.

    run folders ── runs.py: read, refused, cut to the tasks that all have ── facts.py: scores, comparisons, curves
        ── page.py (with shapes.py for the charts and programs.py for code), pictures.py

Words: a *run* is a finished evaluation in its folder; a *program* is one sample's code; the *cloud* is what the human
solutions of a task cost. Every number is computed from results.parquet and references.parquet; manifests say only how
they were made. Names, titles and code were written by models and strangers: they are text here and never markup.
"""

from venus_toolkit.eval.report.facts import Facts, find_facts
from venus_toolkit.eval.report.writing import write_report

__all__ = ["Facts", "find_facts", "write_report"]
