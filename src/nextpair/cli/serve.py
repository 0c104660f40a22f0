"""`nextpair serve`: the live service."""

from __future__ import annotations

import errno
import os
import socket
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from nextpair.campaign.amounts import positive
from nextpair.errors import InvalidSetting
from nextpair.extras import installed
from nextpair.temporary import temporary_folder

if TYPE_CHECKING:
    from nextpair.service.settings import Settings

_SHORT_TOKEN = 16


database_option = click.option(
    "--database",
    envvar="NEXTPAIR_DATABASE",
    default="sqlite:///nextpair.db",
    show_default=True,
    help="sqlite:///file.db or postgresql://user@host/name.",
)


@click.command()
@database_option
@click.option("--host", envvar="NEXTPAIR_HOST", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", envvar="NEXTPAIR_PORT", default=8000, show_default=True, type=click.IntRange(1, 65535))
@click.option("--organiser-token", envvar="NEXTPAIR_ORGANISER_TOKEN", help="Without it, a one-time link is printed.")
@click.option(
    "--base-url", envvar="NEXTPAIR_BASE_URL", help="The address under which others reach the server, if behind a proxy."
)
@click.option("--processes", default=1, show_default=True, type=click.IntRange(1, 64), help="Server processes.")
@click.option(
    "--lease",
    envvar="NEXTPAIR_LEASE",
    default=900.0,
    show_default=True,
    type=click.FloatRange(1),
    help="Seconds until an unanswered question expires and frees its money, unless a campaign says otherwise.",
)
@click.option(
    "--join-rate",
    envvar="NEXTPAIR_JOIN_RATE",
    default=300,
    show_default=True,
    type=click.IntRange(1),
    help="How many can join by the open link per minute from one address, which a whole hall may share.",
)
@click.option(
    "--trust-proxy",
    default="127.0.0.1",
    show_default=True,
    help="Addresses of proxies whose X-Forwarded-For to trust.",
)
@click.option("--demo", is_flag=True, help="Show a ready campaign with simulated workers, in a temporary database.")
def serve(
    database: str,
    host: str,
    port: int,
    organiser_token: str | None,
    base_url: str | None,
    processes: int,
    lease: float,
    join_rate: int,
    trust_proxy: str,
    demo: bool,
) -> None:
    """Run live campaigns that people and programs answer over the web.

    \b
    nextpair serve --demo                          look around
    nextpair serve                                 SQLite in ./nextpair.db
    nextpair serve --database postgresql://…       shared by many processes
    """
    # many questions at once share the cores better than one question on all of them; read when numba is imported
    os.environ.setdefault("NUMBA_NUM_THREADS", "1")
    check_extra()
    _check_base_url(base_url)
    positive("--lease", lease)  # a range of click's lets nan in
    from nextpair.service.settings import Settings

    if demo:
        database = f"sqlite:///{temporary_folder('nextpair-demo-')}/demo.db"
        processes = 1
    settings = Settings(
        database=database,
        organiser_token=organiser_token or None,
        base_url=base_url,
        lease=lease,
        join_rate=join_rate,
        demo=demo,
    )
    if organiser_token and len(organiser_token) < _SHORT_TOKEN:
        click.echo(f"nextpair: the organiser's token is short; use at least {_SHORT_TOKEN} random characters", err=True)
    _check_port(host, port)
    _announce(settings, _address(host, port))
    _run(settings, host, port, processes, trust_proxy)


def check_extra() -> None:
    """Say what is missing of the packages that the service needs."""
    missing = [name for name in ("fastapi", "uvicorn", "sqlalchemy", "alembic") if not installed(name)]
    if missing:
        raise InvalidSetting(f"{missing[0]} is not installed: pip install 'nextpair[service]'")


def _check_base_url(given: str | None) -> None:
    """Refuse what no link could begin with."""
    if not given:
        return
    try:
        url = urlsplit(given)
        known = url.scheme in ("http", "https") and bool(url.hostname) and not url.username and url.port != 0
    except ValueError:
        known = False
    if not known or any(c.isspace() for c in given):
        raise InvalidSetting(f"--base-url takes an address such as https://rank.example.org, not {given[:80]!r}")
    if url.path.strip("/") or url.query or url.fragment:
        raise InvalidSetting(
            f"--base-url {given[:80]!r} has something behind the host: give nextpair a host name or a port of its own, "
            f"since its pages begin at /"
        )


def _check_port(host: str, port: int) -> None:
    """Say now what would go wrong when the server begins to listen."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(address)
    except OSError as error:
        advice = {
            errno.EADDRINUSE: f"another program uses port {port}; stop it, or choose another with --port",
            errno.EACCES: f"only root may use port {port}; choose one above 1023 with --port",
        }.get(error.errno or 0, "--host takes an address of this machine, such as 127.0.0.1 or 0.0.0.0")
        raise InvalidSetting(f"cannot listen on {host} port {port}: {advice}") from None


def _address(host: str, port: int) -> str:
    """Where a browser on this machine finds the server."""
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{name}:{port}"


def _announce(settings: Settings, local: str) -> None:
    """Open the database once, so that a mistake shows here, and print where to go."""
    from nextpair.service.auth import ONCE_SECONDS
    from nextpair.service.records import Records
    from nextpair.service.security import hash_token, new_token
    from nextpair.store.database import open_database

    engine = open_database(settings.database)
    address = (settings.base_url or local).rstrip("/")
    click.echo(f"nextpair serves {address}")
    if settings.organiser_token is None:
        code = new_token()
        Records(engine).add_token(hash_token(code), "once", lifetime=ONCE_SECONDS)
        click.echo(f"Sign in with this link, once: {address}/welcome/{code}")
    engine.dispose()


def _run(settings: Settings, host: str, port: int, processes: int, trust_proxy: str) -> None:
    import uvicorn

    from nextpair.service.app import create_app, set_up_logging

    set_up_logging()
    if processes > 1:
        os.environ.update(settings.to_environment())
    uvicorn.run(
        create_app(settings) if processes == 1 else "nextpair.service.app:from_environment",
        factory=processes > 1,
        host=host,
        port=port,
        workers=processes,
        access_log=False,  # ours leaves out the tokens
        log_level="warning",
        server_header=False,
        proxy_headers=True,
        forwarded_allow_ips=trust_proxy,
        timeout_keep_alive=75,  # longer than a person looks at a pair
        timeout_graceful_shutdown=2,  # open event streams must not hold the process
    )
