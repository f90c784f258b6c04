"""What the benchmarks share. Python's standard library only."""
