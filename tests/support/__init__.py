"""What several test files share: paths, small inputs, and ways to run things."""
