// Texts of question cards and of the lines they leave behind. Problems with form entries are in answers/schema.ts.

export const labels = {
  dock: "Open questions",
  queue: "Question navigation",
  previous: "Previous question",
  next: "Next question",
  position: (at: number, count: number) => `Question ${at} of ${count}`,
  sending: "Sending",
  showAllFirst: "Show everything before you allow this.",
  scrollFirst: "Scroll to the end before you allow this.",

  // Heading, after the name of the agent
  asks: {
    form: "needs some details",
    url: "wants you to open a page",
    signIn: "needs you to sign in",
    command: "wants to run a command",
    change: "wants to change a file",
    permission: "asks for permission",
    other: "has a question",
  },

  // Content
  kind: (kind: string) => `Kind of call: ${kind}`,
  neverAutomatic: (why: string) => `Cannot be auto-approved: ${why}.`,
  caution: (what: string) => `Caution: ${what}.`,
  moreOptions: (count: number) => `The agent offers ${count.toLocaleString("en")} more ${count === 1 ? "option that is" : "options that are"} not shown.`,
  sameIds: "The agent gave several options the same ID, so your choice may not have the effect you expect.",
  hiddenCharacters: (list: string) => `Contains invisible characters, or characters that change how text is displayed. They are shown as codes: ${list}.`,
  lookalikes: (list: string) => `Contains non-ASCII characters that may look like others. They are underlined: ${list}.`,
  manyMarks: "Contains so many unusual characters that ordinary text between them is underlined too. Read it carefully.",
  showAll: "Show everything",
  before: "Previously:",
  request: "Request",
  files: "Files",
  copyCommand: "Copy command",
  agentSays: "Message from the agent",
  otherFields: "Other fields",

  // Answers
  choices: { allow_once: "Allow once", allow_always: "Always allow", reject_once: "Reject", reject_always: "Always reject" },
  otherChoice: "Other answer",
  reject: "Reject",
  rejectWithReason: "Reject with a reason",
  reason: "Reason",
  reasonPlaceholder: "Why not?",
  dismiss: "Dismiss",
  decline: "Decline",
  sendAnswer: "Send answer",
  noFields: "No fields to fill in.",
  choose: "Choose…",
  none: "None",
  optional: "(optional)",

  // Pages to open
  site: "Site: ",
  unopenable: "this address cannot be opened",
  foreignSite: "The name of this site contains non-ASCII characters that may look like others.",
  copyAddress: "Copy address",
  openPage: "Open this page",

  // Signing in
  signInFailed: (why: string) => `Sign-in failed: ${why}`,
  signInMethods: "Ways to sign in",
  signIn: "Sign in",
  signInWith: (name: string) => `Sign in: ${name}`,
  variables: "Environment variables",

  // Outcomes
  outcomes: {
    allow_once: "Allowed once",
    allow_always: "Always allowed",
    reject_once: "Rejected",
    reject_always: "Always rejected",
    accept: "Answered",
    decline: "Declined",
    cancel: "Dismissed",
    cancelled: "Rejected",
    trust: "Trusted",
    start: "Approved",
    not_now: "Postponed",
    "signed-in": "Signed in",
    "sign-in-failed": "Sign-in attempted",
  },
  chose: (label: string) => `“${label}” chosen`,
  opened: "Opened",
  turnStopped: (time: string) => `Not answered: the turn was stopped, ${time}`,
  expired: (time: string) => `Expired without an answer, ${time}`,
  agentGone: (time: string) => `Not answered: the agent exited, ${time}`,
  byRule: (outcome: string, time: string) => `${outcome} by one of your rules, ${time}`,
  automatic: (time: string) => `Approved automatically, ${time}`,
  byYou: (outcome: string, where: string, time: string) => `${outcome} by you${where ? ` on ${where}` : ""}, ${time}`,
} as const;
