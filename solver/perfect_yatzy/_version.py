"""The version of the package and of the JSON it writes."""

__version__ = "1.0.0"
ANSWER_SCHEMA = 2  # of JSON answers and records; raised when a field changes its name or meaning
