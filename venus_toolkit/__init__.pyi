from venus_toolkit.api import Comparison as Comparison
from venus_toolkit.api import Evaluated as Evaluated
from venus_toolkit.api import Optimized as Optimized
from venus_toolkit.api import Result as Result
from venus_toolkit.api import build as build
from venus_toolkit.api import compare as compare
from venus_toolkit.api import evaluate as evaluate
from venus_toolkit.api import load as load
from venus_toolkit.api import optimize as optimize
from venus_toolkit.api import run as run

__version__: str
