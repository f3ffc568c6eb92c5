"""How results look in notebooks, papers and terminals: sheets of cells, which each format draws in its own way."""
