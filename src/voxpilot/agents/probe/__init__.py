"""Short conversations with an agent outside any chat: checking it, listing its sessions."""
