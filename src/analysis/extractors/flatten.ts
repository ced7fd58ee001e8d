import type { Endpoint, Extraction } from './extractor.ts';

/**
 * The settings as a report shows them: a flat object with names and texts that people read, as clients of such
 * reports know it (`C2s`, `Ports`, `Mutex`, `Version`).
 */
export function flatten(extraction: Extraction): Readonly<Record<string, string>> {
  const c2s = extraction.endpoints.filter(({ usage }) => usage === 'c2');
  const others = extraction.endpoints.filter(({ usage }) => usage !== 'c2');
  const flat: Record<string, string | undefined> = {
    C2s: joined(c2s.map(placeOf)),
    Ports: joined(c2s.map(({ port }) => port?.toString())),
    Version: extraction.version,
    Campaign: joined(extraction.campaign ?? []),
    Mutex: joined(extraction.mutex ?? []),
    ...endpointsByUsage(others),
    ...extraction.other,
    ...(extraction.heuristic === true && { Certainty: 'heuristic' }),
  };
  return Object.fromEntries(
    Object.entries(flat).filter((entry): entry is [string, string] => Boolean(entry[1])),
  );
}

const USAGES: Readonly<Record<Exclude<Endpoint['usage'], 'c2'>, string>> = {
  download: 'Downloads',
  upload: 'Uploads',
  'dead-drop': 'Dead Drops',
  other: 'Other Addresses',
};

function endpointsByUsage(endpoints: readonly Endpoint[]): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(USAGES).map(([usage, name]) => [
      name,
      joined(endpoints.filter((one) => one.usage === usage).map(withPort)),
    ]),
  );
}

function placeOf({ url, host }: Endpoint): string | undefined {
  return url ?? host;
}

function withPort({ url, host, port }: Endpoint): string | undefined {
  return url ?? (port === undefined ? host : `${host}:${port}`);
}

function joined(texts: readonly (string | undefined)[]): string {
  return [...new Set(texts.filter((text) => text !== undefined && text !== ''))].join(', ');
}
