// Texts of the frame: sidebar, command palette, keyboard shortcuts, connection banner.

export const labels = {
  skip: "Skip to content",
  chats: "Chats",
  home: "VoxPilot, home",
  newChat: "New chat",
  newChatWith: (agent: string) => `New chat with ${agent}`,
  search: "Search",
  settings: "Settings",
  settingsSection: (name: string) => `Settings: ${name}`,
  pendingChanges: "review changes",
  needsYou: "needs you",
  showShortcuts: "Show keyboard shortcuts",
  changeAppearance: "Change appearance",
  currentTheme: (theme: string) => `currently ${theme}`,
  signOut: "Sign out",

  // Chat list
  loadingChats: "Loading chats",
  noChats: "Your chats will appear here.",
  olderChats: "Show older chats",
  groups: { "needs-you": "Needs you", working: "Working", ready: "Ready", failed: "Failed", earlier: "Earlier" },

  // Command palette
  paletteTitle: "Search chats and commands",
  results: "Results",
  noResults: "No results.",

  // Keyboard shortcuts
  shortcuts: "Keyboard shortcuts",
  keys: {
    palette: "Search chats and commands",
    write: "Write a message",
    send: "Send",
    newLine: "New line",
    stop: "Stop the current turn",
    allowOnce: "Allow once",
    alwaysAllow: "Always allow",
    reject: "Reject",
    whileTyping: "Allow once while typing (Alt+A to always allow, Alt+N to reject)",
    shortcuts: "Show keyboard shortcuts",
  },

  // Connection
  connected: "Connected",
  disconnected: "No connection to the server. Your drafts are saved.",
  retry: "Retry now",
  reconnecting: "Reconnecting…",
  newVersion: (version: string) => `VoxPilot ${version} is available. Reload to use it. Your drafts are saved.`,
  reload: "Reload",
} as const;
