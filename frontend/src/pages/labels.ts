// Texts of whole pages: welcome, sign-in, new chat, past sessions, and the dialogs of a chat.

export const labels = {
  allChats: "All chats",
  newChat: "New chat",
  back: "Back",
  cancel: "Cancel",
  tryAgain: "Try again",
  loadingChat: "Loading chat",
  loadingPage: "Loading page",
  copyInstall: (agent: string) => `Copy install command for ${agent}`,

  welcome: {
    title: "One page for all your coding agents",
    intro: "Agents run on the machine that runs VoxPilot. Follow along and answer from any browser. Nothing is lost when you close the tab.",
    found: "Agents on this machine",
    noneFound: "No agents installed yet",
    loading: "Loading agents",
    demo: "Try the demo",
    demoHelp: "The demo runs in a scratch folder and needs no setup.",
    assistant: "Chat with the assistant",
    refresh: "Check again",
  },

  signIn: {
    title: "Sign in to VoxPilot",
    why: "Anyone who signs in can run programs on the machine that runs VoxPilot, so every browser has to sign in once.",
    field: "Link or code",
    placeholder: "Paste a sign-in link or code",
    signIn: "Sign in",
    signingIn: "Signing in",
    getLink: "To get a new link, run this on the machine that runs VoxPilot:",
    copyCommand: "Copy command",
  },

  new: {
    title: "What should we work on?",
    placeholder: "Describe a task or ask a question",
    workspace: "Folder",
    defaultFolder: "Default folder",
    pastSession: "Continue a past session",
    noAgents: "No agents found on this machine.",
    install: "See how to install one",
    delegatesTo: "Delegates to",
    delegateHelp: "The agent the assistant delegates work to",
  },

  history: {
    title: "Past sessions",
    agent: "Agent",
    folder: "Folder",
    allFolders: "All folders",
    none: (agent: string) => `No past sessions found for ${agent}.`,
    more: "Show more",
    loadingFrom: (agent: string) => `Loading sessions from ${agent}`,
    loading: "Loading sessions",
  },

  chat: {
    empty: (who: string) => `What should ${who} work on?`,
    workspace: "Folder: ",
    theAssistant: "the assistant",
    theAgent: "The agent",
    followUp: "Send a follow-up",
    message: (who: string) => `Message ${who}`,
    panel: "Plan, changes and details",
    details: "Chat details",
    gone: "Chat not found",
    goneHelp: "It may have been deleted here or on another device.",
    planAndChanges: "Plan and changes",
    rename: "Rename",
    renameTitle: "Rename chat",
    name: "Name",
    delete: "Delete",
    deleteTitle: "Delete this chat?",
    deleteHelp: (title: string) =>
      `“${title}” and its history will be permanently deleted, and its agent will be stopped. Files it changed are not affected.`,
  },
} as const;
