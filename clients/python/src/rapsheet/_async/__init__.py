"""The client for event loops, from which ``scripts/make_sync.py`` makes the other one."""
