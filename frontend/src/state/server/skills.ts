// The skills of a workspace.
//
// Lives here: the last list of each workspace, kept while a newer one is fetched; which lists are out of date.
// Lives elsewhere: the calls (api/context.ts), finding and reading skills (the server).

import { createSignal, type Accessor } from "solid-js";

import * as api from "../../api/context";

/** The lists of this many workspaces are kept. */
const MOST_HELD = 8;

const held = new Map<string, api.SkillList>();
const [revision, setRevision] = createSignal(0);

/** Changes whenever a list or a switch was changed on this page. */
export const skillsRevision: Accessor<number> = revision;

/** The last known list; undefined if none was fetched. */
export function knownSkills(workspace: string): api.SkillList | undefined {
  return held.get(workspace);
}

/** Fetch the list; files may have changed since the last time. */
export async function fetchSkills(workspace: string): Promise<api.SkillList> {
  return hold(workspace, await api.listSkills(workspace));
}

/** Send a skill with every message, or no longer. */
export async function setAlways(workspace: string, id: string, on: boolean): Promise<api.SkillList> {
  const list = hold(workspace, await api.putAlways(workspace, id, on));
  noticeSkills();
  return list;
}

/** Something else has changed what goes along, such as the folder. */
export function noticeSkills(): void {
  setRevision((count) => count + 1);
}

function hold(workspace: string, list: api.SkillList): api.SkillList {
  held.delete(workspace);
  held.set(workspace, list);
  for (const oldest of [...held.keys()].slice(0, -MOST_HELD)) held.delete(oldest);
  return list;
}
