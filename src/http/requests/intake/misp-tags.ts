import { isTag, MAX_TAGS } from '../../../domain/reports/report.ts';

/** What the tags of an event or an attribute say. */
export interface MispTags {
  /** At most as many as a report has. */
  readonly tags: readonly string[];
  /** From 0 to 1. */
  readonly confidence: number | undefined;
}

/** These say how the event may be used or what state it is in, not what was seen. */
const NOT_A_TAG = /^(?:tlp|pap|misp):/i;
const GALAXY = /^misp-galaxy:[^=]*="(.*)"$/i;

/** The values of the taxonomy "misp". If it cannot be evaluated, the default applies. */
const CONFIDENCE: Readonly<Record<string, number>> = {
  'misp:confidence-level="completely-confident"': 1,
  'misp:confidence-level="usually-confident"': 0.75,
  'misp:confidence-level="fairly-confident"': 0.5,
  'misp:confidence-level="rarely-confident"': 0.25,
  'misp:confidence-level="unconfident"': 0,
};

const NONE: MispTags = { tags: [], confidence: undefined };

/** Names that are no valid tag are left out: an event has many that were meant for MISP. */
export function readTags(names: readonly string[]): MispTags {
  if (names.length === 0) return NONE;
  const level = names.find((name) => Object.hasOwn(CONFIDENCE, name));
  const tags = names
    .filter((name) => !NOT_A_TAG.test(name))
    .map((name) => GALAXY.exec(name)?.[1] ?? name)
    .filter(isTag);
  return {
    tags: distinct(tags),
    confidence: level === undefined ? undefined : CONFIDENCE[level],
  };
}

/** In the order of precedence. */
export function mergeTags(sources: readonly MispTags[]): MispTags {
  return {
    tags: distinct(sources.flatMap(({ tags }) => tags)),
    confidence: sources.find(({ confidence }) => confidence !== undefined)?.confidence,
  };
}

/** Without regard to case: a family is often tagged by several taxonomies. */
function distinct(names: readonly string[]): readonly string[] {
  const tags = new Map<string, string>();
  for (const name of names) {
    if (tags.size === MAX_TAGS) break;
    const key = name.toLowerCase();
    if (!tags.has(key)) tags.set(key, name);
  }
  return [...tags.values()];
}
