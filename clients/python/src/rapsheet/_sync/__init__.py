"""Made by scripts/make_sync.py from the modules beside it. Changes made here are lost."""
