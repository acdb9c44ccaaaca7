// Texts about agents and their past sessions.

export const labels = {
  unknownVersion: "unknown",
  minimumVersion: (version: string) => `(${version} or later required)`,

  untitled: "Untitled",
  fork: "Fork",
  forking: "Forking",
  opening: "Opening",
  isOpen: "open in a chat",
  moreActions: (title: string) => `More actions for ${title}`,
  delete: "Delete",
  deleting: "Deleting",
  deleteTitle: "Delete this session?",
  deleteHelp: (title: string) => `The agent will permanently delete “${title}”. Files it changed are not affected.`,
  cancel: "Cancel",
} as const;
