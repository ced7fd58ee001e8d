import { createHash } from 'node:crypto';
import { BENCH_TOKEN, reportedAt, reportId, sampleSha256 } from './fill.ts';

export const REQUESTS = 50_000;

/** Spreads numbers over the whole store, the same in every run, so that no row is always cached. */
export function spread(number: number, count: number): number {
  return 1 + ((number * 7919 + 104_729 * (number % 13)) % count);
}

function many(make: (number: number) => string): string[] {
  return Array.from({ length: REQUESTS }, (_, number) => make(number));
}

interface Message {
  readonly type: string;
  readonly body: string;
  readonly token?: string;
}

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${BENCH_TOKEN}\r\n\r\n`;
}

function post(path: string, { type, body, token = BENCH_TOKEN }: Message): string {
  return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${token}\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

export const lookups = (count: number) =>
  many((number) => get(`/private/sample/${sampleSha256(spread(number, count))}`));

export const fetches = (count: number) =>
  many((number) => get(`/feed/ply/api?report=${reportId(spread(number, count))}`));

/** Pages of 100 reports, from times all over the feed. */
export const pages = (count: number) =>
  many((number) => {
    const before = reportedAt(101 + (spread(number, count) % (count - 101))).toISOString();
    return get(`/feed/ply/reports?limit=100&created_before=${before}`);
  });

/** 100 changes each, from positions all over the feed. */
export const changes = (count: number) =>
  many((number) =>
    get(`/feed/ply/changes?limit=100&since=${spread(number, count) % (count - 100)}`),
  );

export function createBody(number: number, count: number): string {
  return JSON.stringify({
    tags: ['asyncrat', 'rat'],
    c2Address: `host${spread(number, 50_000)}.ply.example:${1 + (number % 65_535)}`,
    file256Hash: sampleSha256(spread(number, count)),
    referenceLink: `https://research.example/${number}`,
    confidenceScore: 80,
  });
}

export function xarfBody(number: number, count: number): string {
  return JSON.stringify({
    xarf_version: '4.2.0',
    source_identifier: `host${spread(number, 50_000)}.ply.example`,
    source_port: 1 + (number % 65_535),
    category: 'infrastructure',
    type: 'botnet',
    hash: `sha256:${sampleSha256(spread(number, count))}`,
    malware_family: 'asyncrat',
    confidence: 0.8,
  });
}

export function mispBody(from: number, reports: number, count: number): string {
  return JSON.stringify({
    Attribute: [
      ...Array.from({ length: reports }, (_, index) => ({
        type: 'hostname|port',
        value: `host${spread(from + index, 50_000)}.ply.example|${1 + ((from + index) % 65_535)}`,
        Tag: [{ name: 'asyncrat' }],
      })),
      { type: 'sha256', value: sampleSha256(spread(from, count)) },
    ],
  });
}

/** Another `from` gives other C2 addresses. */
export const creates = (count: number, from = 0) =>
  many((number) =>
    post('/feed/ply/api', { type: 'application/json', body: createBody(from + number, count) }),
  );

/** The body of a bulk create with `lines` reports, starting at number `from`. */
export function bulkBody(from: number, lines: number, count: number): string {
  return Array.from({ length: lines }, (_, line) => `${createBody(from + line, count)}\n`).join('');
}

const NDJSON = 'application/x-ndjson';

export const bulk = (from: number, lines: number, count: number) =>
  post('/feed/ply/reports', { type: NDJSON, body: bulkBody(from, lines, count) });

/** An analysis that no filled store holds. Numbers give distinct hashes. */
function analysisLine(number: number): string {
  const hash = (algorithm: string, text = `import ${number}`) =>
    createHash(algorithm).update(text).digest('hex');
  return JSON.stringify({
    date: '2026-01-05T09:30:00Z',
    tags: [
      { heat: 10, name: 'ASYNCRAT' },
      { heat: 1, name: 'DOTNET' },
    ],
    ssDeep: `96:${hash('sha1')}:${hash('md5').slice(0, 20)}`,
    configs: { ASYNCRAT: { C2s: `host${number % 5000}.example.invalid`, Ports: '4444' } },
    mD5Hash: hash('md5'),
    fileName: `import-${number}.exe`,
    sha1Hash: hash('sha1'),
    blake3Hash: hash('sha256', `blake3 of import ${number}`),
    sha256Hash: hash('sha256'),
    sha512Hash: hash('sha512'),
    sizeInBytes: 40_000 + number,
    staticAnalysisDuration: '00:00:00.0427370',
  });
}

export function importBody(from: number, lines: number): string {
  return Array.from({ length: lines }, (_, line) => `${analysisLine(from + line)}\n`).join('');
}

export const importOf = (from: number, lines: number, token: string) =>
  post('/admin/samples', { type: NDJSON, body: importBody(from, lines), token });
