// Calls about what is sent along with a message: files of the workspace, skills, instructions.
//
// Lives here: one function for each route. Lives elsewhere: all other calls (client.ts).

import { http, taken } from "./client";
import type { components } from "./schema";

type Schemas = components["schemas"];
export type FoundFiles = Schemas["FoundFiles"];
export type Skill = Schemas["SkillInfo"];
export type SkillList = Schemas["Skills"];
export type SkillText = Schemas["SkillText"];
export type SuggestedSkill = Schemas["SuggestedSkill"];
export type ContextInEffect = Schemas["ContextInfo"];

/** Files and folders of a workspace, the best match first. */
export async function searchFiles(workspace: string, q: string, limit: number): Promise<FoundFiles> {
  return taken(http.GET("/api/files", { params: { query: { workspace, q, limit } } }));
}

export async function listSkills(workspace: string): Promise<SkillList> {
  return taken(http.GET("/api/skills", { params: { query: { workspace } } }));
}

export async function readSkill(workspace: string, id: string): Promise<SkillText> {
  return taken(http.GET("/api/skills/text", { params: { query: { workspace, id } } }));
}

/** Send a skill with every message, or no longer; overrides what the file itself says. */
export async function putAlways(workspace: string, id: string, on: boolean): Promise<SkillList> {
  return taken(http.PUT("/api/skills/always", { body: { workspace, id, on } }));
}

/** Skills that fit a message that is being written. */
export async function suggestSkills(workspace: string, text: string): Promise<SuggestedSkill[]> {
  const found = await taken(http.POST("/api/skills/suggestions", { body: { workspace, text } }));
  return found.skills;
}

/** What goes along with the next message of a chat. */
export async function readContext(chat: string): Promise<ContextInEffect> {
  return taken(http.GET("/api/chats/{chat_id}/context", { params: { path: { chat_id: chat } } }));
}
