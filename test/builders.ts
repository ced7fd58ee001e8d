import { createHash } from 'node:crypto';
import { readConfig } from '../src/config.ts';

/** The configuration of a server without settings. */
export const DEFAULTS = readConfig({});

/** A clock that changes only when it is set. */
export class TestClock {
  #now: Date;

  constructor(start = '2026-08-26T10:00:00.000Z') {
    this.#now = new Date(start);
  }

  now = (): Date => new Date(this.#now);

  set(time: string): void {
    this.#now = new Date(time);
  }

  advance(ms: number): void {
    this.#now = new Date(this.#now.getTime() + ms);
  }
}

/** Deterministic random bytes: the same in every run, without repeats within a run. */
export function testRandom(seed = 'rapsheet'): (count: number) => Uint8Array {
  let call = 0;
  return (count) => {
    call += 1;
    return createHash('shake256', { outputLength: count }).update(`${seed} ${call}`).digest();
  };
}

function hex(text: string, length: number): string {
  return createHash('shake256', { outputLength: length / 2 })
    .update(text)
    .digest('hex');
}

/** An invented SHA-256, derived from the text. */
export function sha256Of(text: string): string {
  return hex(text, 64);
}

/** The smallest valid body of a create. */
export function createBody(members: Readonly<Record<string, unknown>> = {}) {
  return { c2Address: 'evil.example:4444', file256Hash: sha256Of('a file'), ...members };
}

/** The twelve fields of an analysis report (specification, 2.2), as they go over the wire. */
export interface WireAnalysis {
  readonly date: string;
  readonly tags: readonly { readonly heat: number; readonly name: string }[];
  readonly ssDeep: string;
  readonly configs: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly mD5Hash: string;
  readonly fileName: string;
  readonly sha1Hash: string;
  readonly blake3Hash: string;
  readonly sha256Hash: string;
  readonly sha512Hash: string;
  readonly sizeInBytes: number;
  readonly staticAnalysisDuration: string;
}

/** The analysis of an invented file. Its hashes are derived from its name. */
export function wireAnalysis(file: string, members: Partial<WireAnalysis> = {}): WireAnalysis {
  return {
    date: '2026-08-26T10:00:00Z',
    tags: [
      { heat: 10, name: 'LANTERN' },
      { heat: 1, name: 'RAT' },
    ],
    ssDeep: '3:AIO9AJraNvsgzsVqSwHqiUZ:AeJuOgzskwZ',
    configs: { LANTERN: { C2s: 'evil.example', Ports: '4444' } },
    mD5Hash: hex(`${file} md5`, 32),
    fileName: `${file}.exe`,
    sha1Hash: hex(`${file} sha1`, 40),
    blake3Hash: hex(`${file} blake3`, 64),
    sha256Hash: sha256Of(file),
    sha512Hash: hex(`${file} sha512`, 128),
    sizeInBytes: 68,
    staticAnalysisDuration: '00:00:00.0427370',
    ...members,
  };
}

export const KEY_ID = '1'.repeat(16);

/** A secret of a webhook that nothing reads. */
export const SEALED = { sealed: Buffer.alloc(60, 1), keyId: KEY_ID };
