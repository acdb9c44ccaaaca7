// The settings: agents, the assistant, permissions, skills, instructions, how the page looks, devices.
import { createEffect, For, lazy, Match, onMount, Suspense, Switch, type JSX } from "solid-js";

import "../components/settings/settings.css";
import "../components/settings/skills/skills.css";
import { pathTo, refreshSettings, route } from "../state";
import { Skeleton } from "../components/controls/Skeleton";
import { BackIcon } from "../components/icons";
import { AgentsSection } from "../components/settings/agents/AgentsSection";
import { AppearanceSection } from "../components/settings/AppearanceSection";
import { AssistantSection } from "../components/settings/AssistantSection";
import { DevicesSection } from "../components/settings/DevicesSection";
import { PendingChanges } from "../components/settings/PendingChanges";
import { PermissionsSection } from "../components/settings/PermissionsSection";
import { InstructionsSection } from "../components/settings/skills/InstructionsSection";
import { SkillsSection } from "../components/settings/skills/SkillsSection";
import { labels } from "./labels";

/** Rarely looked at, so it is loaded when it is. */
const DiagnosticsSection = lazy(() => import("../components/diagnostics/DiagnosticsSection"));

const SECTIONS = [
  ["agents", "Agents"],
  ["assistant", "Assistant"],
  ["permissions", "Permissions"],
  ["skills", "Skills"],
  ["instructions", "Instructions"],
  ["appearance", "Appearance"],
  ["devices", "Devices"],
  ["diagnostics", "Diagnostics"],
] as const;

export default function SettingsPage(): JSX.Element {
  const section = () => {
    const now = route();
    const wished = now.page === "settings" ? now.section : undefined;
    return SECTIONS.find(([id]) => id === wished)?.[0] ?? "agents";
  };
  // The file may have changed since it was last loaded.
  onMount(() => void refreshSettings().catch(() => undefined));
  return (
    <div class="settings">
      <header class="chat-head">
        <a class="icon-button only-narrow" href={pathTo.home} aria-label={labels.allChats}>
          <BackIcon />
        </a>
        <h1>Settings</h1>
      </header>
      <nav class="tabs" aria-label="Settings">
        <For each={SECTIONS}>
          {([id, name]) => (
            <a
              class="tab"
              href={pathTo.settings(id)}
              aria-current={section() === id ? "page" : undefined}
              ref={(tab) => createEffect(() => section() === id && queueMicrotask(() => tab.scrollIntoView({ inline: "center", block: "nearest" })))}
            >
              {name}
            </a>
          )}
        </For>
      </nav>
      <div class="settings-scroll">
        <div class="settings-column">
          <PendingChanges />
          <Suspense fallback={<Skeleton lines={6} label="Loading settings" />}>
            <Switch fallback={<AgentsSection />}>
              <Match when={section() === "assistant"}>
                <AssistantSection />
              </Match>
              <Match when={section() === "permissions"}>
                <PermissionsSection />
              </Match>
              <Match when={section() === "skills"}>
                <SkillsSection />
              </Match>
              <Match when={section() === "instructions"}>
                <InstructionsSection />
              </Match>
              <Match when={section() === "appearance"}>
                <AppearanceSection />
              </Match>
              <Match when={section() === "devices"}>
                <DevicesSection />
              </Match>
              <Match when={section() === "diagnostics"}>
                <DiagnosticsSection />
              </Match>
            </Switch>
          </Suspense>
        </div>
      </div>
    </div>
  );
}
