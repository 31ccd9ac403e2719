"""What people look at: the results of one evaluation or several as Markdown, one HTML page and figures for papers.

    runs.py ──▶ report_facts.py ──▶ charts.py, task_views.py ──▶ report_page.py (HTML, Markdown),
    paper_figures.py

Words: a *run* is a finished evaluation in its folder; a *program* is one sample's code; the *cloud*
is what the human solutions of a task cost. Every number is computed from results.parquet and
references.parquet; manifests say only how they were made. Names, titles and code were written by
models and strangers: they are text here and never markup.
"""
