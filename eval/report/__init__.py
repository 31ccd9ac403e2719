"""Reports on one or several evaluations: Markdown, HTML pages, and figures for papers.

    runs.py ──▶ report_facts.py ──▶ charts.py, task_views.py ──▶ report_page.py (HTML, Markdown),
    paper_figures.py

Words: a *run* is a finished evaluation in its folder; a *program* is the code of one sample; the
*cloud* shows the costs of the human solutions. Every number is computed from results.parquet and
references.parquet; manifests only describe how the runs were made. Names, titles and code come from
models and strangers, so they are always treated as text, never as markup.
"""
