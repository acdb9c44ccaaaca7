// Texts of what goes along with the next message: the skills chip and the panel.

import { count } from "../mentions/labels";

export const labels = {
  chip: (skills: number) => (skills === 0 ? "No skills" : count(skills, "skill")),
  chipHelp: "What is sent along with the next message",
  title: "Sent along with the next message",
  loading: "Loading what is sent along",
  failed: "Could not load what is sent along.",
  skills: "Skills",
  listed: (skills: number) => (skills === 0 ? "No skills were found." : `A list of ${count(skills, "skill")}, which the agent reads when it needs them.`),
  folder: "Folder",
  always: "Always sent",
  instructions: "Instructions",
  noInstructions: "None.",
  personal: "Your own instructions",
  applies: { assistant: "for the assistant", agent: "for the agent", both: "for the assistant and the agent" },
  leftOut: "Left out",
  manageSkills: "Manage skills",
  editInstructions: "Edit instructions",
  tryAgain: "Try again",
} as const;
