import type { z } from 'zod';
import { clientSettings, settings } from './settings.ts';

/** A row of the table in `docs/operations/configuration.md`. */
interface SettingDescription {
  readonly name: string;
  /** The default as text; empty if the description states it. */
  readonly fallback: string;
  readonly purpose: string;
}

export function describeSettings(): readonly SettingDescription[] {
  return describe(settings);
}

export function describeClientSettings(): readonly SettingDescription[] {
  return describe(clientSettings);
}

function describe(table: Readonly<Record<string, z.ZodType>>): readonly SettingDescription[] {
  return Object.entries(table).map(([name, setting]) => {
    const fallback = setting.safeParse(undefined);
    const shown = fallback.success && fallback.data !== undefined ? String(fallback.data) : '';
    return { name, fallback: shown, purpose: setting.description ?? '' };
  });
}
