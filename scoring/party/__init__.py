"""Russian party's rules, which Five balls with caroms shares but for the worth of a pot (RP-*, FB-7)."""
