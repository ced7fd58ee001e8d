import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fuzzSettings, hostileVariants } from '../../../../test/analysis/fuzz.ts';
import {
  compoundFile,
  compressVba,
  vbaProject,
} from '../../../../test/fixtures/analysis/generate/ole.ts';
import { parseCompoundFile } from './file.ts';
import { decompressVba, readVbaProjects } from './vba.ts';

const MOST = 1024 * 1024;

function projectsOf(bytes: Buffer) {
  const file = parseCompoundFile(bytes);
  assert.ok(file);
  return readVbaProjects(file);
}

describe('compressed macro source', () => {
  it('is the same after packing and unpacking', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('Sub ', 'End ', 'a', 'x = 1\r\n')), (words) => {
        const content = Buffer.from(words.join('').repeat(20));
        assert.deepEqual(decompressVba(compressVba(content), MOST).bytes, content);
      }),
      { ...fuzzSettings(), numRuns: 30 },
    );
  });

  it('unpacks the example of the specification', () => {
    // [MS-OVBA] 3.2.2
    const packed = Buffer.from(
      '012fb00023616161626364658266007061676869' +
        '6a013808616b6c00306d6e6f7006710270041072737475761077' +
        '78797a003c',
      'hex',
    );
    assert.equal(
      decompressVba(packed, MOST).bytes.toString('latin1'),
      '#aaabcdefaaaaghijaaaaaklaaamnopqaaaaaaaaaaaarstuvwxyzaaa',
    );
  });

  it('stops at the size limit', () => {
    // Each chunk is one letter and one token that copies it 4095 times.
    const chunk = Buffer.from([0x03, 0xb0, 0x02, 0x61, 0xfc, 0x0f]);
    const bomb = Buffer.concat([Buffer.from([1]), ...Array.from({ length: 5000 }, () => chunk)]);
    const { bytes, whole } = decompressVba(bomb, MOST);
    assert.ok(bytes.length > MOST / 2 && bytes.length <= MOST);
    assert.equal(whole, false);
  });

  it('ignores tokens that point before the beginning', () => {
    const { bytes } = decompressVba(Buffer.from([1, 0x03, 0xb0, 0x02, 0x61, 0x00, 0xf0]), MOST);
    assert.equal(bytes.toString('latin1'), 'a');
  });

  it('returns for any input', () => {
    const good = compressVba(Buffer.from('Attribute VB_Name = "Module1"\r\n'.repeat(20)));
    fc.assert(
      fc.property(hostileVariants(good), (bytes) => {
        assert.ok(decompressVba(bytes, 65_536).bytes.length <= 65_536);
      }),
      fuzzSettings(),
    );
  });
});

describe('a macro project', () => {
  const source = 'Attribute VB_Name = "Module1"\r\nSub A()\r\nEnd Sub\r\n';

  it('lists its modules by the names in its directory', () => {
    const [project] = projectsOf(compoundFile({ streams: vbaProject('VBA', { Module1: source }) }));
    assert.deepEqual(
      project?.modules.map(({ name }) => name),
      ['Module1'],
    );
    assert.equal(project?.modules[0]?.source.toString('latin1'), source);
  });

  it('is read without its directory stream if that is damaged', () => {
    const streams = {
      ...vbaProject('VBA', { Module1: source }),
      'VBA/dir': Buffer.from('damaged'),
    };
    const [project] = projectsOf(compoundFile({ streams }));
    assert.equal(project?.modules[0]?.source.toString('latin1'), source);
  });

  it('reports if there are too many modules', () => {
    const sources = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`M${index}`, 'Attribute VB_Name']),
    );
    const [project] = projectsOf(compoundFile({ streams: vbaProject('VBA', sources) }));
    assert.equal(project?.modules.length, 256);
    assert.deepEqual(project?.truncated, ['more than 256 modules']);
  });
});
