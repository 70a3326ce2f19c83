"""What the games with five balls share: two whites, two reds and the yellow, caroms, the house, the yellow's streak."""
