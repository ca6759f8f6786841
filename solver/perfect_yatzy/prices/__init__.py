"""What players think that open boxes and the upper bonus are worth, by the games they played."""
