"""Tokens, form protection and the headers that keep a browser from being used against its owner."""

from __future__ import annotations

import hashlib
import hmac
import secrets

MEDIA_POLICY = "default-src 'none'; sandbox"
MAX_ORIGINS = 1_500  # characters: proxies drop an answer whose headers are longer than 4 or 8 thousand, all together


def new_token() -> str:
    """A secret of 256 random bits, safe in an address."""
    return secrets.token_urlsafe(32)


def hash_token(token: str) -> str:
    """What is stored of a token. It has 256 random bits, so a plain hash cannot be searched backwards."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def same(one: str, other: str) -> bool:
    """Whether two secrets are equal, in a time that does not tell where they differ."""
    return hmac.compare_digest(one.encode("utf-8", "surrogatepass"), other.encode("utf-8", "surrogatepass"))


def sign(secret: str, *parts: str) -> str:
    """A keyed hash of the parts: only who knows the secret can make it."""
    message = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()


def page_policy(image_origins: tuple[str, ...] = ()) -> str:
    """The content security policy of a page: our own files only, and the pictures' hosts where there are any.

    Where they are too many for a header, pictures may come from any host, by the schemes that theirs have.
    """
    images = " ".join(("'self'", *image_origins))
    if len(images) > MAX_ORIGINS:
        images = " ".join(("'self'", *sorted({f"{origin.partition(':')[0]}:" for origin in image_origins})))
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; "
        f"img-src {images}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )


def headers(https: bool) -> dict[str, str]:
    """The headers of every answer."""
    always = {
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "no-referrer",
        "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
        "Cross-Origin-Opener-Policy": "same-origin",
    }
    return always | ({"Strict-Transport-Security": "max-age=31536000"} if https else {})
