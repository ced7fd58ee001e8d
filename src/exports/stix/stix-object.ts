import type { ExportedService } from '../exporter.ts';

/** An object of STIX 2.1. Absent members are left out: null and empty lists are invalid. */
export interface StixObject {
  readonly type: string;
  readonly spec_version: '2.1';
  readonly id: string;
  readonly [member: string]: unknown;
}

/**
 * `indicators` has two indicators for a report; `rich` also what they are about and how it is
 * related.
 */
export type StixProfile = 'indicators' | 'rich';

export interface StixContext {
  /** A UUID of this installation. */
  readonly namespace: string;
  /** By slug. */
  readonly services: ReadonlyMap<string, ExportedService>;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly profile: StixProfile;
  /** The version of the Traffic Light Protocol. Some clients know only the first. */
  readonly tlp: '1' | '2';
}

/** Removes what is not visible: controls, line separators, format marks, unpaired surrogates. */
export function visibleText(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, '').trim();
}
