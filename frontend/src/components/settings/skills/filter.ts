// Finding skills in a long list, and which workspaces have one.

import type { ChatInfo, Skill } from "../../../state";

/** Those that contain all the words, in their name, description or tags. */
export function matchingSkills(skills: readonly Skill[], words: string): readonly Skill[] {
  const wanted = words.toLowerCase().split(/\s+/u).filter(Boolean);
  if (wanted.length === 0) return skills;
  return skills.filter((skill) => {
    const text = [skill.name, skill.description, ...skill.tags].join("\n").toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

/** The folders of the chats, the last used first, then the default one. */
export function workspacesOf(chats: readonly Pick<ChatInfo, "workspace">[], usual: string | undefined): string[] {
  return [...new Set([...chats.map((chat) => chat.workspace), usual ?? ""])].filter(Boolean);
}
