import type { TagMeaning } from '../formats/format.ts';

/**
 * Capabilities that settings of remote access trojans enable. The tags are shared by all families.
 */
export const CAPABILITY_TAGS = {
  SETTING_INSTALL: [5, 'Configured to copy itself and to start with Windows'],
  SETTING_ANTI_ANALYSIS: [5, 'Configured to exit if it detects an analysis'],
  SETTING_CRITICAL_PROCESS: [6, 'Configured as a critical process: Windows crashes if it is ended'],
  SETTING_DEAD_DROP: [5, 'Reads its C2 address from a public page'],
  SETTING_KEYLOGGER: [6, 'Configured to record keyboard input'],
  SETTING_TELEGRAM: [5, 'Reports to a Telegram chat'],
  SETTING_CLIPPER: [7, 'Has wallet addresses that replace those of the user'],
  SETTING_USB_SPREAD: [6, 'Configured to copy itself to other drives'],
  SETTING_UAC_BYPASS: [6, 'Configured to bypass User Account Control'],
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
