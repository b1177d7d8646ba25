"""Why people prefer one reply: reasons by a code book."""

from __future__ import annotations
