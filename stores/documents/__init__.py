"""Documents: parse, chunk, index, search."""
