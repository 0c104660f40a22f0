"""A network between workers and servers: a proxy in a process of its own that hands every byte on after a delay."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from nextpair.service.bench.processes import own_environment


@contextmanager
def far_away(ports: list[int], round_trip: float) -> Iterator[list[int]]:
    """Ports that lead to the given ones, a round trip of so many seconds away."""
    command = [sys.executable, "-m", __name__, str(round_trip / 2), *map(str, ports)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=own_environment()) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield [int(port) for port in process.stdout.readline().split()]
        finally:
            process.stdin.close()  # which it takes for goodbye


async def serve(delay: float, targets: list[int]) -> None:
    """Listen on a port for each target, print the ports, and go when standard input ends."""
    servers = []
    for target in targets:

        async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, to: int = target) -> None:
            with suppress(OSError, asyncio.IncompleteReadError):
                far_reader, far_writer = await asyncio.open_connection("127.0.0.1", to)
                await asyncio.gather(_hand_on(reader, far_writer, delay), _hand_on(far_reader, writer, delay))

        servers.append(await asyncio.start_server(connect, "127.0.0.1", 0))
    print(*(server.sockets[0].getsockname()[1] for server in servers), flush=True)
    await asyncio.to_thread(sys.stdin.read)


async def _hand_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, delay: float) -> None:
    """Each piece leaves `delay` seconds after it came, however much is on its way already."""
    on_its_way: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

    async def deliver() -> None:
        piece = b"first"
        while piece:
            due, piece = await on_its_way.get()
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            writer.write(piece)
        writer.close()

    delivery = asyncio.create_task(deliver())
    piece = b"first"
    while piece:
        try:
            piece = await reader.read(65536)
        except OSError:
            piece = b""
        on_its_way.put_nowait((time.monotonic() + delay, piece))
    await delivery


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1]), [int(port) for port in sys.argv[2:]]))
