"""The five games, one file each; no game imports another."""
