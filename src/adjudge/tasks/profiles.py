"""The profiles of `score`, apart from what they change, so that naming them costs nothing."""

from __future__ import annotations

from typing import Any

PROFILES: dict[str, dict[str, Any]] = {
    "default": {},
    "multiset": {"duplicates": "multiset"},
    "strict": {"duplicates": "error"},
    "undefined": {"undefined": None},
}
"""What each profile changes in the conventions of a metric."""
