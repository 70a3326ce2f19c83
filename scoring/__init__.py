"""The referee's room: what happened, and what it is worth.

In: table events that a witness saw, commands that people gave. Out: rulings, match state, scoreboard.
May import: the standard library only; no clock, no file, no array.
"""
