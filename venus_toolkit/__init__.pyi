from venus_toolkit.api import Comparison as Comparison
from venus_toolkit.api import Evaluated as Evaluated
from venus_toolkit.api import HubError as HubError
from venus_toolkit.api import LanguageError as LanguageError
from venus_toolkit.api import Limits as Limits
from venus_toolkit.api import Optimized as Optimized
from venus_toolkit.api import ReleaseError as ReleaseError
from venus_toolkit.api import Result as Result
from venus_toolkit.api import SandboxError as SandboxError
from venus_toolkit.api import SourceError as SourceError
from venus_toolkit.api import StoreError as StoreError
from venus_toolkit.api import ToolchainError as ToolchainError
from venus_toolkit.api import UsageError as UsageError
from venus_toolkit.api import VenusError as VenusError
from venus_toolkit.api import build as build
from venus_toolkit.api import compare as compare
from venus_toolkit.api import evaluate as evaluate
from venus_toolkit.api import load as load
from venus_toolkit.api import optimize as optimize
from venus_toolkit.api import run as run

__version__: str
