// Texts of an opened tool call: output, raw data, terminals. Verbs and subjects are in toolLabels.ts.

export const labels = {
  command: "Command",
  copyCommand: "Copy command",
  inFolder: (folder: string) => `in ${folder}`,
  files: "Files",
  copyPath: "Copy path",
  content: "Content",
  input: "Input",
  output: "Output",
  result: "Result",
  error: "Error",
  raw: "Raw data from the agent",
  exitStatus: (code: number) => `Exit status ${code}`,
  endedBy: (signal: string) => `Ended by ${signal}`,
  ended: "Ended",
  image: "Image from the agent",
  unknownType: "unknown type",
  notShown: "not shown",

  // Long content
  partial: (kilobytes: number | undefined) =>
    !kilobytes ? "Only part is shown." : `Only part of ${kilobytes.toLocaleString()} kB is shown.`,
  loadAll: "Load all",
  loading: "Loading…",
  tryAgain: "Try again",
  showAllOf: (kilobytes: number) => `Show all ${kilobytes.toLocaleString()} kB`,
  copy: (what: string) => `Copy ${what.toLowerCase()}`,
  earlierLines: (count: number) => `Show ${count.toLocaleString()} earlier lines`,

  // Terminals
  running: "Running",
  truncated: "Output truncated. The rest appears when the command finishes.",
  type: "Type into this terminal",
  typePlaceholder: "Type here, then press Enter",
  enter: "Enter",
  hideInput: "Hide what I type",
  notTyped: "The input could not be sent.",
} as const;
