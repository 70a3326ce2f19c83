"""The benches: how exact and how fast the product is on this machine, in tables for people and as JSON.

In: virtual matches, real recordings with their truth. Out: values that `tables` shows. Only the command imports it.
"""
