"""Cards of datasets, models and evaluations: facts computed from the files, prose from templates around them.

    facts    what the Parquet files say, asked with DuckDB
    block    a generated part of a card, between ``<!-- venus:NAME -->`` and ``<!-- /venus:NAME -->``
    header   the YAML at the top
    finding  a place where a card does not say what the data say

What people write outside of blocks, and the keys they put into the header, stay when a card is rendered again.
"""

from venus_toolkit.card.check import Finding
from venus_toolkit.card.dataset import check_dataset_card, list_assets, render_dataset_card, write_dataset_card
from venus_toolkit.card.models import EvaluationFacts, ModelFacts, render_evaluation_card, render_model_card
from venus_toolkit.card.results import Result

__all__ = [
    "EvaluationFacts",
    "Finding",
    "ModelFacts",
    "Result",
    "check_dataset_card",
    "list_assets",
    "render_dataset_card",
    "render_evaluation_card",
    "render_model_card",
    "write_dataset_card",
]
