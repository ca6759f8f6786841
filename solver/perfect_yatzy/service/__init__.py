"""Requests and answers as plain values: what the command and the page share."""
