"""What people see: answers as text, strategy tables in the formats they print."""
