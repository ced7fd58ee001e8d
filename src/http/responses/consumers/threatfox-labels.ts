import { z } from 'zod';
import { foldName } from '../../../domain/reports/spellings.ts';
import { isPublished, malwareOf, threatfoxTime } from '../../../exports/threatfox/iocs.ts';
import { type RecentLabels, recentLabels } from '../../../operations/reports/recent-labels.ts';
import type { HttpDependencies } from '../../dependencies.ts';

/** What indicators are of, and the types of them: those that reports have. */
const TYPES = {
  '1': {
    ioc_type: 'ip:port',
    fk_threat_type: 'botnet_cc',
    description: 'Address and port of a C2 server',
  },
  '2': {
    ioc_type: 'domain',
    fk_threat_type: 'botnet_cc',
    description: 'Host name of a C2 server',
  },
  '3': {
    ioc_type: 'sha256_hash',
    fk_threat_type: 'payload',
    description: 'SHA-256 hash of a malware sample',
  },
};

/** The families, tags and types that indicators can have. */
export type LabelQuery =
  | { readonly kind: 'types' | 'tag-list' | 'malware-list' }
  | { readonly kind: 'label'; readonly malware: string };

export async function labelsOf(deps: HttpDependencies, query: LabelQuery): Promise<object> {
  if (query.kind === 'types') return TYPES;
  const labels = await recentLabels(deps, isPublished);
  if (query.kind === 'tag-list') return tagList(labels);
  return 'malware' in query ? matching(labels, query.malware) : malwareList(labels);
}

/** The names of reports that a client may mean: by the text, or by the name ThreatFox gives. */
export async function namesOf(deps: HttpDependencies, malware: string): Promise<readonly string[]> {
  const { names } = await recentLabels(deps, isPublished);
  const wanted = malware.toLowerCase();
  const isWanted = (name: string) =>
    name.toLowerCase() === wanted || malwareOf(name).malware === wanted;
  // A filter by name ignores the case of letters: two spellings would find the reports twice.
  const wantedNames = [malware, ...names.filter(isWanted)];
  return [...new Map(wantedNames.map((name) => [foldName(name), name])).values()];
}

function tagList({ tags }: RecentLabels): object {
  const entries = [...tags].map(([tag, { firstSeen, lastSeen }]) => [
    tag,
    { first_seen: threatfoxTime(firstSeen), last_seen: threatfoxTime(lastSeen), color: null },
  ]);
  return Object.fromEntries(entries);
}

function malwareList({ names }: RecentLabels): object {
  const entries = names.map((name) => {
    const { malware, malware_printable } = malwareOf(name);
    return [malware, { malware_printable, malware_alias: null }] as const;
  });
  return Object.fromEntries(entries);
}

function matching({ names }: RecentLabels, text: string): object {
  const wanted = text.toLowerCase();
  return names.filter((name) => name.toLowerCase().includes(wanted)).map(malwareOf);
}

const label = z.strictObject({ malware: z.string(), malware_printable: z.string() });

/** The answers to `types`, `tag_list`, `malware_list` and `get_label`. */
export const labelLists = [
  z.record(
    z.string(),
    z.union([
      z.strictObject({ malware_printable: z.string(), malware_alias: z.null() }),
      z.strictObject({ first_seen: z.string(), last_seen: z.string(), color: z.null() }),
      z.strictObject({
        ioc_type: z.string(),
        fk_threat_type: z.string(),
        description: z.string(),
      }),
    ]),
  ),
  z.array(label),
] as const;
