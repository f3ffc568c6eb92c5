"""What grades are worth, and which elements would be ideal to return."""
