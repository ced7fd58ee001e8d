import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { ExportedReport } from '../../domain/reports/exported-report.ts';
import type { ExportContext, Exporter } from '../../exports/exporter.ts';
import { buildExport } from './build-export.ts';
import { SpoolWriter } from './spool-writer.ts';

const context = { options: {}, changedAt: '2026-01-02T03:04:05.678Z' } as ExportContext;

/** A line for each report, of `width` characters. */
function listOf(format: string, width: number): Exporter {
  return {
    format,
    mediaType: 'text/plain',
    extension: 'txt',
    order: 'creation',
    open: () => ({
      start: () => '# start\n',
      report: ({ number }) => `${String(number).padStart(width, 'é')}\n`,
      end: (digest) => `# END ${digest()}\n`,
    }),
  };
}

function snapshotOf(count: number) {
  return {
    feeds: async () => [],
    async *reports() {
      for (let number = 0; number < count; number += 500)
        yield Array.from(
          { length: 500 },
          (_, index) => ({ number: number + index }) as ExportedReport,
        );
    },
    close: async () => undefined,
  };
}

describe('a build', () => {
  let folder: string;
  const never = new AbortController().signal;
  const build = async (exporter: Exporter, count: number, signal = never) => {
    const file = join(folder, exporter.format);
    const fd = openSync(file, 'w+');
    const sizes = [0];
    const temporary: number[] = [];
    try {
      const options = {
        exporter,
        context,
        folder,
        signal,
        filter: {},
        snapshot: snapshotOf(count),
        onTemporary: (bytes: number) => temporary.push(bytes),
      };
      await buildExport(options, new SpoolWriter(fd, { onWrite: (bytes) => sizes.push(bytes) }));
    } finally {
      closeSync(fd);
    }
    return { file, sizes, temporary };
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rapsheet-builds-'));
  });
  after(() => rm(folder, { recursive: true }));

  it('writes pieces of a bounded size, and the digest of all before the end', async () => {
    const { file, sizes } = await build(listOf('list', 100), 20_000);
    const text = readFileSync(file, 'utf8');
    const end = text.lastIndexOf('# END ');
    const digest = createHash('sha256').update(text.slice(0, end)).digest('hex');
    assert.equal(text.slice(end), `# END ${digest}\n`);
    assert.equal(text.split('\n').length, 20_003);
    const pieces = sizes.slice(1).map((size, index) => size - (sizes[index] ?? 0));
    assert.ok(pieces.length > 5);
    assert.ok(Math.max(...pieces) < 1024 * 1024);
  });

  it('stops when it is cancelled', async () => {
    const cancelled = new AbortController();
    cancelled.abort();
    await assert.rejects(build(listOf('cancelled', 1), 2000, cancelled.signal));
  });

  it('packs several files, the same bytes each time', async () => {
    const files = { 'one.txt': listOf('one', 10), 'two.txt': listOf('two', 20) };
    const exporter = { ...listOf('set', 1), archive: () => files };
    const { file, temporary } = await build(exporter, 1000);
    const first = readFileSync(file);
    const target = await mkdtemp(join(folder, 'unpacked-'));
    execFileSync('tar', ['-xzf', file, '-C', target]);
    assert.deepEqual((await readdir(target)).sort(), ['SHA256SUMS', 'one.txt', 'two.txt']);
    const sums = ['one.txt', 'two.txt'].map((name) => {
      const digest = createHash('sha256')
        .update(readFileSync(join(target, name)))
        .digest('hex');
      return `${digest}  ${name}\n`;
    });
    assert.equal(readFileSync(join(target, 'SHA256SUMS'), 'utf8'), sums.join(''));
    assert.deepEqual(readFileSync((await build(exporter, 1000)).file), first);
    assert.deepEqual(
      (await readdir(folder)).filter((name) => /^\d/.test(name)),
      [],
    );
    const sizes = ['one.txt', 'two.txt'].map((name) => readFileSync(join(target, name)).length);
    assert.equal(
      Math.max(...temporary),
      (sizes[0] ?? 0) + (sizes[1] ?? 0),
      'they use space until they are packed',
    );
    assert.equal(temporary.at(-1), 0);
  });
});
