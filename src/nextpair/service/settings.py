"""What `nextpair serve` can be told, by options or by environment variables of the same names."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, fields
from typing import Any

_PREFIX = "NEXTPAIR_"


@dataclass(frozen=True)
class Settings:
    """The settings of one server. Every process of a deployment is given the same."""

    database: str = "sqlite:///nextpair.db"
    organiser_token: str | None = None
    base_url: str | None = None  # how the outside reaches us, when a proxy stands before us
    lease: float = 900.0  # seconds until an unanswered question gives its budget back, unless a campaign says otherwise
    signin_rate: int = 10  # sign-ins a minute from one address
    join_rate: int = 300  # joins a minute from one address: a lecture hall shares one
    upload_bytes: int = 5_000_000  # the largest picture or file
    demo: bool = False

    @property
    def https(self) -> bool:
        return bool(self.base_url and self.base_url.startswith("https://"))

    @property
    def body_bytes(self) -> int:
        """The largest request: several files together."""
        return 4 * self.upload_bytes

    @property
    def weights(self) -> dict[str, Any]:
        """How large a file may be, and all of a request, in megabytes, for pages."""
        return {"file_mb": f"{self.upload_bytes / 1e6:g}", "body_mb": f"{self.body_bytes / 1e6:g}"}

    def to_environment(self) -> dict[str, str]:
        """The settings as environment variables, for the processes that uvicorn starts."""
        return {_PREFIX + name.upper(): str(value) for name, value in asdict(self).items() if value is not None}

    @classmethod
    def from_environment(cls) -> Settings:
        """The settings of this process's environment."""
        found: dict[str, Any] = {}
        for field in fields(cls):
            value = os.environ.get(_PREFIX + field.name.upper())
            if value is not None:
                found[field.name] = _READ[field.name](value) if field.name in _READ else value
        return cls(**found)


_READ: dict[str, Any] = {
    "lease": float,
    "signin_rate": int,
    "join_rate": int,
    "upload_bytes": int,
    "demo": lambda value: value == "True",
}
