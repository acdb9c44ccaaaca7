// The model that is wished for, as a form has it.
//
// Lives here: from the settings to fields and back. Lives elsewhere: the form (AssistantSection.tsx).
import type { AssistantWish, SettingsInfo } from "../../state";

export interface ModelFields {
  readonly provider: string;
  readonly model: string;
  readonly baseUrl: string;
  /** Empty: the key stays as it is. */
  readonly key: string;
}

export function fieldsOf(now: SettingsInfo["values"]["assistant"]): ModelFields {
  return { provider: now.provider, model: now.model, baseUrl: now.base_url, key: "" };
}

/** What is tried: a key that was not typed is the one the settings have. */
export function wishOf(fields: ModelFields): AssistantWish {
  return {
    provider: fields.provider,
    model: fields.model.trim(),
    base_url: fields.baseUrl.trim(),
    ...(fields.key.trim() && { api_key: fields.key.trim() }),
  };
}

/** What is stored; null is the default again. */
export function settingOf(fields: ModelFields): { [name: string]: string | null } {
  return {
    provider: fields.provider || null,
    model: fields.model.trim() || null,
    base_url: fields.baseUrl.trim() || null,
    ...(fields.key.trim() && { api_key: fields.key.trim() }),
  };
}

/** A key is for one provider at one address; elsewhere it has to be given anew. */
export function keepsKey(fields: ModelFields, now: { provider: string; base_url: string }): boolean {
  return fields.provider === now.provider && hostOf(fields.baseUrl.trim()) === hostOf(now.base_url);
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address;
}

/** Models, addresses and keys are one provider's: another begins without. */
export function withProvider(fields: ModelFields, provider: string): ModelFields {
  return provider === fields.provider ? fields : { provider, model: "", baseUrl: "", key: "" };
}
