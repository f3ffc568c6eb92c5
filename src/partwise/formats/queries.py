"""What topics ask for: titles and descriptions, for people who read a report."""

from __future__ import annotations

TITLES = ("title", "text", "query", "question")
DESCRIPTIONS = ("description", "narrative")
ACCEPTED = "XML topics, or JSON Lines, CSV or TSV with query_id and title (or text)"
