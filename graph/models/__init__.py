"""Chat models: the offline one, any OpenAI-compatible endpoint, and what is found out about them."""
