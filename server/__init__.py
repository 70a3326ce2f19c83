"""The appliance: opens everything else, keeps the journal, listens to people, shows the board.

In: a hall file, table events, commands. Out: the scoreboard, the API, the command line.
May import: everything; nobody imports it.
"""
