"""Citations: markers, support, verdicts, rendering."""
