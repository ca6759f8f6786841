"""Rule sets, dice, score sheets, and how people write them."""
