// Texts shared by several parts of the page.

export const labels = {
  failed: "Something went wrong.",
  brokenPart: "This part could not be displayed.",
  rawData: "Raw data",
  noData: "No data available.",
  unreadableData: "The data could not be read.",
  copied: "Copied",
  notCopied: "Could not copy",
} as const;
