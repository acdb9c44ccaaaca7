"""Headers that every response carries.

Lives here: their values. Lives elsewhere: adding them (guard.py, and protocol.py for requests refused before
they are complete).
"""

from __future__ import annotations

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data: blob:; font-src 'self'; media-src 'self' blob:; manifest-src 'self'; "
    "worker-src 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'self'; require-trusted-types-for 'script'; "
    "trusted-types solid voxpilot dompurify"
)
ALWAYS = {
    "content-security-policy": CSP,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
API = {**ALWAYS, "cache-control": "no-store"}
UNLESS_SAID = ("cache-control", "no-cache")
"""The document is requested again each time, so that an upgrade is noticed; its files have their own rule."""
