"""A loop of generations: play, export, train, gate, promote. See docs/training.md."""
