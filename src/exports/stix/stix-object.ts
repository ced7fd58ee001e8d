import type { IndicatorHosts } from '../../domain/reports/indicator-hosts.ts';
import type { ExportedService } from '../exporter.ts';
import { Remembered } from './remembered.ts';

/**
 * An object of STIX 2.1. It is written as text at once: an export has millions of them, and
 * serializing objects takes several times as long as filling in templates.
 */
export interface StixObject {
  readonly type: string;
  readonly id: string;
  /** When it was modified, or created. Observables have neither. */
  readonly version: string | undefined;
  /** As JSON. Absent members are left out: null and empty lists are invalid. */
  readonly text: string;
}

/**
 * `indicators` has two indicators for a report, or that of the file alone; `rich` also what they
 * are about and how it is related.
 */
export type StixProfile = 'indicators' | 'rich';

export interface StixContext {
  /** A UUID of this installation. */
  readonly namespace: string;
  /** By slug. */
  readonly services: ReadonlyMap<string, ExportedService>;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly hosts: IndicatorHosts;
  readonly profile: StixProfile;
  /** The version of the Traffic Light Protocol. Some clients know only the first. */
  readonly tlp: '1' | '2';
  /** The last time of a change that is stated, although some may be later. Any, if absent. */
  readonly changedUntil?: string | undefined;
}

/** Removes what is not visible: controls, line separators, format marks, unpaired surrogates. */
export function visibleText(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, '').trim();
}

/** Longer texts are seldom the same. */
const MAX_REMEMBERED_LENGTH = 100;
const visible = new Remembered<string>(5000);

/** The visible part of a text between the quotation marks of JSON. Reports repeat their texts. */
export function visibleJson(text: string): string {
  if (text.length > MAX_REMEMBERED_LENGTH) return jsonText(visibleText(text));
  return visible.get(text, () => jsonText(visibleText(text)));
}

/** A text between the quotation marks of JSON. */
export function jsonText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
