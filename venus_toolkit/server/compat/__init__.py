"""Other people's protocols, as translations onto jobs, so that their clients work unchanged.

One module for each protocol: what it asks for becomes a Job, its result becomes the answer, and an
error becomes the one that its clients expect. The translations are functions on records; routes
only connect them with the service. docs/compat.md says what every field means here.

monolith        POST /execute in both meanings, GET /results/ID, GET /status
sandbox_fusion  POST /run_code
piston          POST /api/v2/execute
effibench       POST /submit, GET /submission/ID and what belongs to them
"""

from __future__ import annotations

from fastapi import APIRouter

from venus_toolkit.server.compat import effibench, monolith, piston, sandbox_fusion
from venus_toolkit.server.service import Service


def routers(service: Service) -> list[APIRouter]:
    """Return the routes of every protocol."""
    return [module.router(service) for module in (monolith, sandbox_fusion, piston, effibench)]
