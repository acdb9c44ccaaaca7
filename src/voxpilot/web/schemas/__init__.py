"""Bodies of requests and responses, and their OpenAPI description."""
