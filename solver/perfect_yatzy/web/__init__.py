"""A local page and the JSON API behind it (extra `web`)."""
