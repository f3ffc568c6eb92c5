"""Engines that score batches of runs: local threads and Spark."""
