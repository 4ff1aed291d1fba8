"""Trains networks for Malecon on samples that `malecon learn export` wrote. See docs/training.md."""
