"""What the small and the big pyramid share: rack, values, house, fouls, pots, ends (rules, sections 6 and 7)."""
