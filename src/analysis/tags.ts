import type { Evidence } from '../domain/samples/analysis.ts';
import type { HeatTag } from '../domain/samples/analysis-report.ts';
import { trimEndOf, trimStartOf } from '../domain/trim.ts';
import { LIMITS } from './limits.ts';

/**
 * Each tag once, with the highest heat of its evidence, sorted by descending heat, then by name.
 */
export function rankTags(evidence: readonly Pick<Evidence, 'tag' | 'heat'>[]): readonly HeatTag[] {
  const heats = new Map<string, number>();
  for (const { tag, heat } of evidence) heats.set(tag, Math.max(heat, heats.get(tag) ?? 0));
  return [...heats]
    .map(([name, heat]) => ({ heat, name }))
    .sort((one, other) => other.heat - one.heat || (one.name < other.name ? -1 : 1))
    .slice(0, LIMITS.tags);
}

/** Turns text into a tag name: upper case, only `[A-Z0-9_.-]`. */
export function tagName(text: string): string {
  const safe = text.toUpperCase().replace(/[^A-Z0-9_.-]+/g, '_');
  return trimEndOf(trimStartOf(safe, '_'), '_').slice(0, 64);
}
