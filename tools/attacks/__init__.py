"""The parts of `tools/attack.py`: valid inputs, mutations, commands, what counts as a fault, and minimising."""
