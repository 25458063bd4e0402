"""Long-term memory: validated, transactional, per user."""
