// Texts of the composer: the message field, its options, and queued messages.

export const labels = {
  // Message field
  message: "Message",
  attachFiles: "Attach files",
  attachments: "Attachments",
  remove: (name: string) => `Remove ${name}`,
  unreadableFiles: "These files could not be read. Attach individual files, not folders.",
  heicUnreadable: (name: string) =>
    `This browser cannot read ${name}, which is in the HEIC format. Send it as JPEG: in the iPhone’s settings, choose Camera, Formats, Most Compatible.`,
  tooManyFiles: "Attach up to 50 files, 15 MB in total.",
  send: "Send",
  sending: "Sending",
  queue: "Queue",
  sendLater: "Send when this turn ends",
  stop: "Stop",
  stopHint: "Stop (Esc twice)",
  stopping: "Stopping",
  escAgain: "Press Esc again to stop",

  // Who answers
  assistant: "Assistant",
  answeredBy: "Answered by",
  assistantAnswers: (agent: string) => `A language model answers and delegates work to ${agent}.`,
  agentAnswers: (agent: string) => `${agent} answers directly.`,
  model: "The model that answers. Change it in settings.",
  noModel: "No model",
  modelAndTools: "Model and tools of the assistant",
  modelOfChat: "Model in this chat",
  usualModel: (name: string) => `As in settings (${name})`,
  modelSettings: "Provider, key and default model",
  tools: "Tools the assistant may use in this chat",
  theAssistant: "The assistant",
  /** By the tool's name; without a text here, the description for the model is shown. */
  toolHelp: {
    copilot_agent: "Delegate work to agents. Without it, the assistant changes nothing.",
    read_file: "Read text files in the chat’s folder",
    list_directory: "List what is in a folder",
    grep_search: "Search in files",
    glob_search: "Find files by name",
    read_file_external: "Read text files elsewhere, after asking you",
    git_diff: "Show uncommitted changes",
    git_show: "Show commits and earlier versions of files",
    read_skill: "Read skills",
  } as { readonly [tool: string]: string },

  // Handover to somebody else
  handover: {
    name: "Handover",
    goesAlong: (name: string) => `${name} has not seen all of this chat. A summary of the rest goes with your next message.`,
    leftOut: (name: string) => `${name} has not seen all of this chat. No summary is sent.`,
    isLive: "The summary is updated when the running turn ends, unless you edit it.",
    text: "Summary of this chat",
    done: "Done",
    edit: "Read and edit",
    leaveOut: "Leave out",
    include: "Send the summary",
  },

  // Approval policy
  policy: { ask: "Ask first", auto: "Auto-approve" },
  policyName: "Approval policy",
  policyHelp: {
    ask: "Every request waits for your answer.",
    auto: "VoxPilot approves what stays in the chat’s folder and is known to be harmless. It asks about everything else, for example secrets and git hooks.",
  },
  policySet: "Set for all chats in settings.",

  // Queued messages
  queuedMessages: "Queued messages",
  queuedMessage: "Queued message",
  queuedFor: (name: string) => `for ${name}`,
  queuedHint: "Waiting in the queue",
  editQueued: "Edit queued message",
  removeQueued: "Remove queued message",
  partlyLoaded: "Only part of this message was loaded, so it cannot be edited. Remove it and write it again.",
  notLoaded: "Could not load the message. Try again.",
  save: "Save",
  cancel: "Cancel",

  // Attachments without a name
  image: "Image",
  audio: "Audio",
  attachment: "Attachment",
} as const;
