"""Where batches run."""
