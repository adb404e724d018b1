"""The SDK's own client of a server over standard input, in a process of its own."""

from __future__ import annotations

import os
import sys
from contextlib import asynccontextmanager

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from serving import ME


@asynccontextmanager
async def over_stdio(store, tmp_path, mode, *more):
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "inspector", "--db", str(store), "--serve", "--stdio", *more],
        env={
            name: value for name, value in os.environ.items() if name.startswith("MEMORY_INSPECTOR") or name == "PATH"
        },
    )
    with (tmp_path / "stdio.log").open("w") as log:
        async with Client(stdio_client(parameters, errlog=log), mode=mode, client_info=ME) as client:
            yield client
