import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { loadRuleSources } from '../../src/analysis/rules/rule-files.ts';
import { openPool } from '../../src/analysis/worker/pool.ts';
import type { Analyser } from '../../src/ports/analyser.ts';
import { fixture } from './fixture.ts';

const MIB = 1024 * 1024;
/** Work that is quadratic exceeds the time limit of the analysis with this size too. */
const SIZE = 2 * MIB;

/** Runs files through real workers. Each must get an analysis that states what was left out. */
describe('a hostile file', () => {
  let pool: Analyser;

  before(async () => {
    const rules = loadRuleSources().sources;
    pool = await openPool({ workers: 1, rules, path: process.env['PATH'] ?? '' });
  });
  after(() => pool.close());

  async function tagsOf(bytes: Buffer): Promise<readonly string[]> {
    const pieces = (async function* () {
      for (let at = 0; at < bytes.length; at += MIB) yield bytes.subarray(at, at + MIB);
    })();
    const sample = { fileName: 'hostile', sizeBytes: bytes.length, bytes: pieces };
    const outcome = await pool.analyse(sample, new Date());
    assert.equal(outcome.kind, 'done', JSON.stringify(outcome).slice(0, 500));
    return outcome.kind === 'done' ? outcome.analysis.report.tags.map(({ name }) => name) : [];
  }

  it('that unpacks to a hundred times the limit is truncated and tagged', async () => {
    const tags = await tagsOf(gzipSync(Buffer.alloc(300 * MIB)));
    assert.ok(tags.includes('GZIP'));
    assert.ok(tags.includes('LIMIT_EXCEEDED') || tags.includes('ARCHIVE_BOMB'), tags.join());
  });

  it('that contains itself is followed up to the depth limit', async () => {
    let nested = Buffer.from('the innermost');
    for (let depth = 0; depth < 12; depth += 1) nested = gzipSync(nested);
    assert.ok((await tagsOf(nested)).includes('LIMIT_EXCEEDED'));
  });

  it('with 65,535 sections is read up to the limit', async () => {
    const bytes = Buffer.concat([fixture('analysis/pe/hello32'), Buffer.alloc(3 * MIB, 0x41)]);
    bytes.writeUInt16LE(0xffff, bytes.readUInt32LE(0x3c) + 6);
    const tags = await tagsOf(bytes);
    assert.ok(tags.includes('LIMIT_EXCEEDED') || tags.includes('MALFORMED_PE'), tags.join());
  });

  for (const [what, bytes] of [
    ['of nothing but one letter', Buffer.alloc(SIZE, 0x61)],
    ['of nothing but slashes', Buffer.alloc(SIZE, '://')],
    ['of nothing but addresses', Buffer.alloc(SIZE, 'http://192.0.2.1:80/a ')],
    ['of nothing but beginnings of files', Buffer.alloc(SIZE, 'MZ\x90PK\x03\x04%PDF-1.7\n')],
    ['of nothing but base64', Buffer.alloc(SIZE, 'aHR0cDovL')],
    ['of nothing but PDF objects', Buffer.alloc(SIZE, '%PDF-1.4 1 0 obj<</S/JavaScript>>')],
    ['of one line of script', Buffer.alloc(SIZE, 'powershell -enc AAAA;')],
    ['of noise', deflateRawSync(Buffer.alloc(16 * MIB, Math.PI.toString()))],
  ] as const) {
    it(`${what} gets its analysis`, async () => {
      assert.ok((await tagsOf(bytes)).length > 0);
    });
  }
});
