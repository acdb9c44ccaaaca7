// Texts of mentions: the list above the message field, the Add sheet, chips of references, quotes and skills.

const count = (n: number, one: string, many = `${one}s`) => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;

export const labels = {
  // The list
  mentions: "Files, folders and chats",
  commands: "Commands and skills",
  searching: "Searching…",
  results: (n: number) => count(n, "result"),
  moreFiles: "Type more to narrow the list.",
  incomplete: "Not all folders have been searched yet.",
  noFiles: (query: string) => `Nothing matches “${query}”.`,
  noCommands: (query: string) => `No command or skill matches “${query}”.`,
  searchFailed: "Could not search the folder.",
  skillsFailed: "Could not load the skills.",
  changed: "changed",
  recent: "recent",
  folder: "folder",
  skill: "skill",
  always: "always sent",
  diff: "Uncommitted changes",
  diffNote: "What git shows as changed",
  chats: "Earlier chats",
  chatsNote: "Send a summary of another chat",
  chat: "chat",
  untitled: "Untitled chat",

  // Chips
  lines: (from: number, to: number) => (from === to ? `:${from}` : `:${from}-${to}`),
  quote: (source: string) => (source ? `Quote from ${source}` : "Quote"),
  wholeFile: "Whole file",
  onlyLines: (from: number, to: number) => (from === to ? `Line ${from}` : `Lines ${from}–${to}`),
  skillChip: (name: string) => `Skill: ${name}`,

  // The Add sheet
  add: "Add context",
  addHint: "Add a file, skill, chat or quote (@)",
  addTitle: "Add to message",
  search: "Search files, skills and chats",
  attachFiles: "Attach files",
  takePhoto: "Take a photo",
  addQuote: "Add a quote",

  // Quotes
  quoteTitle: "Add a quote",
  quoteText: "Text",
  quoteTextHint: "Paste the text here",
  quoteSource: "Source (optional)",
  quoteSourceHint: "A web address or a name",
  quoteLong: (limit: number) => `A quote can have up to ${limit.toLocaleString("en")} characters.`,
  cancel: "Cancel",
  addIt: "Add",
  pasted: "Pasted text:",
  makeQuote: "Make it a quote",
  dismissQuote: "Keep it as text",

  // Suggested skills
  suggestions: "Suggested skills",
  addSkill: (name: string) => `Add skill: ${name}`,
  dismissSkill: (name: string) => `Do not suggest ${name} for this message`,
} as const;

export { count };
