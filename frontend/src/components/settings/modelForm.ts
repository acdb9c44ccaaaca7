// The form for choosing a model.
//
// Lives here: from the settings to fields and back. Lives elsewhere: the form (AssistantSection.tsx).
import type { AssistantWish, SettingsInfo } from "../../state";

export interface ModelFields {
  readonly provider: string;
  readonly model: string;
  readonly baseUrl: string;
  /** Empty keeps the current key. */
  readonly key: string;
}

export function fieldsOf(now: SettingsInfo["values"]["assistant"]): ModelFields {
  return { provider: now.provider, model: now.model, baseUrl: now.base_url, key: "" };
}

/** The model to test; a key that was not typed is taken from the settings. */
export function wishOf(fields: ModelFields): AssistantWish {
  return {
    provider: fields.provider,
    model: fields.model.trim(),
    base_url: fields.baseUrl.trim(),
    ...(fields.key.trim() && { api_key: fields.key.trim() }),
  };
}

/** The settings to store; null resets to the default. */
export function settingOf(fields: ModelFields): { [name: string]: string | null } {
  return {
    provider: fields.provider || null,
    model: fields.model.trim() || null,
    base_url: fields.baseUrl.trim() || null,
    ...(fields.key.trim() && { api_key: fields.key.trim() }),
  };
}

/** A key belongs to one provider at one address; for another it has to be entered again. */
export function keepsKey(fields: ModelFields, now: { provider: string; base_url: string }): boolean {
  return fields.provider === now.provider && hostOf(fields.baseUrl.trim()) === hostOf(now.base_url);
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address;
}

/** Models, addresses and keys belong to one provider: another starts without them. */
export function withProvider(fields: ModelFields, provider: string): ModelFields {
  return provider === fields.provider ? fields : { provider, model: "", baseUrl: "", key: "" };
}
