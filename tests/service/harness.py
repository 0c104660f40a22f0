"""Clients of a service in this process, and the campaign that most tests use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastapi.testclient import TestClient

from nextpair.service.settings import Settings

TOKEN = "organiser-token-for-the-tests"
ITEMS = [{"id": name, "text": f"The {name}"} for name in ("ant", "bee", "cow", "dog", "eel")]
MINIMAL = {"name": "Animals", "question": "Which is larger?", "items": ITEMS, "budget": 10}


@dataclass
class Service:
    """Clients of one running application."""

    client: TestClient
    settings: Settings

    @property
    def organiser(self) -> dict[str, str]:
        return bearer(TOKEN)

    def get(self, path: str, token: str | None = TOKEN, **kwargs: Any) -> Any:
        return self.client.get(f"/api/v1{path}", headers=bearer(token), **kwargs)

    def post(self, path: str, body: Any = None, token: str | None = TOKEN, **kwargs: Any) -> Any:
        return self.client.post(f"/api/v1{path}", json=body, headers=bearer(token), **kwargs)

    def campaign(self, **changes: Any) -> str:
        response = self.post("/campaigns", MINIMAL | changes)
        assert response.status_code == 201, response.text
        return response.json()["id"]

    def worker(self, campaign: str, name: str = "Ada") -> dict[str, str]:
        response = self.post(f"/campaigns/{campaign}/workers", {"name": name})
        assert response.status_code == 201, response.text
        return response.json()

    def ask(self, campaign: str, token: str) -> dict[str, Any] | None:
        response = self.post(f"/campaigns/{campaign}/questions", token=token)
        assert response.status_code in (201, 204), response.text
        return response.json() if response.status_code == 201 else None

    def answer(self, question: str, choice: str, token: str) -> Any:
        return self.post(f"/questions/{question}/answer", {"choice": choice}, token=token)


def bearer(token: str | None) -> dict[str, str]:
    return {} if token is None else {"Authorization": f"Bearer {token}"}
