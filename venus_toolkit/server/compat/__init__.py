"""Protocols of other servers, translated to jobs, so that their clients work unchanged.

One module for each protocol translates requests to jobs, and results and errors to the responses
that its clients expect. The translations are functions of records; routes only connect them with
the service. docs/compat.md describes every field.

monolith        POST /execute (synchronous or asynchronous), GET /results/ID, GET /status
sandbox_fusion  POST /run_code
piston          POST /api/v2/execute
effibench       POST /submit, GET /submission/ID and related routes
"""

from __future__ import annotations

from fastapi import APIRouter

from venus_toolkit.server.compat import effibench, monolith, piston, sandbox_fusion
from venus_toolkit.server.service import Service


def routers(service: Service) -> list[APIRouter]:
    """Return the routes of every protocol."""
    return [module.router(service) for module in (monolith, sandbox_fusion, piston, effibench)]
