import type { TagMeaning } from '../formats/format.ts';

/**
 * Capabilities that settings of remote access trojans enable. The tags are shared by all families.
 */
export const CAPABILITY_TAGS = {
  SETTING_INSTALL: [5, 'Its settings have it copy itself and start with Windows'],
  SETTING_ANTI_ANALYSIS: [5, 'Its settings have it end where it believes to be watched'],
  SETTING_CRITICAL_PROCESS: [6, 'Its settings have Windows crash when it is ended'],
  SETTING_DEAD_DROP: [5, 'It learns where to connect from a public page'],
  SETTING_KEYLOGGER: [6, 'Its settings have it record what is typed'],
  SETTING_TELEGRAM: [5, 'It reports to a Telegram chat'],
  SETTING_CLIPPER: [7, 'It has wallet addresses to put in the place of others'],
  SETTING_USB_SPREAD: [
    6,
    'Its settings name the file under which it copies itself to other drives',
  ],
  SETTING_UAC_BYPASS: [6, 'Its settings have it take more rights without asking'],
} as const satisfies Readonly<Record<string, TagMeaning>>;

export type CapabilityTag = keyof typeof CAPABILITY_TAGS;

/** The subset of tags that one extractor uses. */
export function pickTags(...names: readonly CapabilityTag[]): Readonly<Record<string, TagMeaning>> {
  return Object.fromEntries(names.map((name) => [name, CAPABILITY_TAGS[name]]));
}

/** The names of the enabled capabilities. */
export function enabledTags(switches: Readonly<Partial<Record<CapabilityTag, boolean>>>): string[] {
  return Object.entries(switches).flatMap(([name, isOn]) => (isOn ? [name] : []));
}

/** Compares with `true`, ignoring case. */
export function isTrue(text: string | undefined): boolean {
  return text?.toLowerCase() === 'true';
}
