import { BENCH_TOKEN, reportId, sampleSha256 } from './fill.ts';

export const REQUESTS = 50_000;

/** Spreads numbers over the whole store, the same in every run, so that no row is always cached. */
function spread(number: number, count: number): number {
  return 1 + ((number * 7919 + 104_729 * (number % 13)) % count);
}

function many(make: (number: number) => string): string[] {
  return Array.from({ length: REQUESTS }, (_, number) => make(number));
}

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${BENCH_TOKEN}\r\n\r\n`;
}

export const lookups = (count: number) =>
  many((number) => get(`/private/sample/${sampleSha256(spread(number, count))}`));

export const fetches = (count: number) =>
  many((number) => get(`/feed/ply/api?report=${reportId(spread(number, count))}`));

function createBody(number: number, count: number): string {
  return JSON.stringify({
    tags: ['asyncrat', 'rat'],
    c2Address: `host${spread(number, 50_000)}.ply.example:${1 + (number % 65_535)}`,
    file256Hash: sampleSha256(spread(number, count)),
    referenceLink: `https://research.example/${number}`,
    confidenceScore: 80,
  });
}

/** Another `from` gives other C2 addresses. */
export const creates = (count: number, from = 0) =>
  many((number) => {
    const body = createBody(from + number, count);
    return `POST /feed/ply/api HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${BENCH_TOKEN}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  });

/** The body of a bulk create with `lines` reports, starting at number `from`. */
export function bulkBody(from: number, lines: number, count: number): string {
  return Array.from({ length: lines }, (_, line) => `${createBody(from + line, count)}\n`).join('');
}
