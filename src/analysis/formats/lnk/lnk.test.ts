import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { inspect } from '../../../../test/analysis/findings.ts';
import { fuzzSettings, hostileVariants } from '../../../../test/analysis/fuzz.ts';
import { shortcut } from '../../../../test/fixtures/analysis/generate/lnk.ts';
import { lnk } from './lnk.ts';

const full = shortcut({
  idPath: 'C:\\Windows\\System32\\cmd.exe',
  localPath: 'C:\\Windows\\System32\\cmd.exe',
  name: 'A document',
  relativePath: '..\\..\\Windows\\System32\\cmd.exe',
  workingFolder: '%TEMP%',
  arguments: '/c echo a line',
  icon: 'imageres.dll',
  environmentTarget: '%ComSpec%',
  machine: 'desktop-1',
});

describe('the format lnk', () => {
  it('reports the facts of a shortcut', async () => {
    const { allFacts } = await inspect(lnk, full);
    assert.deepEqual(allFacts, {
      target: 'C:\\Windows\\System32\\cmd.exe',
      arguments: '/c echo a line',
      name: 'A document',
      relativePath: '..\\..\\Windows\\System32\\cmd.exe',
      workingFolder: '%TEMP%',
      icon: 'imageres.dll',
      environmentTarget: '%ComSpec%',
      machine: 'desktop-1',
      macAddress: '00:50:56:c0:00:01',
      volumeSerial: 'cafe1234',
      created: '2024-01-02T03:04:05Z',
      accessed: '2024-01-02T03:04:05Z',
      written: '2024-01-02T03:04:05Z',
      targetBytes: 4096,
      showCommand: 7,
    });
  });

  it('tags an interpreter with arguments and its offset, and nests the command line', async () => {
    const { tags, nested } = await inspect(lnk, full);
    const offset = tags.get('LNK_COMMAND')?.offset ?? 0;
    assert.equal(full.toString('utf16le', offset, offset + 28), '/c echo a line');
    assert.equal(tags.get('LNK_COMMAND')?.note, 'cmd.exe /c echo a line');
    assert.deepEqual(
      nested.map(({ name, bytes }) => [name, bytes.toString()]),
      [['command line', 'C:\\Windows\\System32\\cmd.exe /c echo a line']],
    );
  });

  it('does not tag an ordinary shortcut', async () => {
    const plain = shortcut({ localPath: 'C:\\Program Files\\Editor\\editor.exe', arguments: '-x' });
    const { tags, nested } = await inspect(lnk, plain);
    assert.deepEqual([...tags.keys()], ['LNK']);
    assert.deepEqual(nested, []);
  });

  it('reads the target from the item list, by its long names', async () => {
    const { allFacts } = await inspect(lnk, shortcut({ idPath: 'D:\\A long folder\\program.exe' }));
    assert.equal(allFacts['target'], 'D:\\A long folder\\program.exe');
  });

  it('reads the target from the environment block if it is nowhere else', async () => {
    const { tags } = await inspect(
      lnk,
      shortcut({ environmentTarget: '%windir%\\System32\\mshta.exe', arguments: 'about:blank' }),
    );
    assert.ok(tags.has('LNK_COMMAND'));
  });

  it('tags long and padded arguments', async () => {
    const padded = shortcut({ localPath: 'C:\\a.exe', arguments: `${' '.repeat(300)}-x` });
    const { tags } = await inspect(lnk, padded);
    assert.equal(tags.get('LNK_LONG_ARGUMENTS')?.note, '302 characters');
    assert.ok(tags.has('LNK_PADDED_ARGUMENTS'));
  });

  it('tags a target on another machine', async () => {
    const { tags } = await inspect(lnk, shortcut({ share: '\\\\files.example.invalid\\share' }));
    assert.equal(tags.get('LNK_REMOTE_TARGET')?.note, '\\\\files.example.invalid\\share\\');
  });

  it('nests the overlay', async () => {
    const overlay = Buffer.from('something else');
    const bytes = shortcut({ localPath: 'C:\\a.exe', overlay });
    const { tags, nested } = await inspect(lnk, bytes);
    assert.equal(tags.get('LNK_OVERLAY')?.offset, bytes.length - overlay.length);
    assert.deepEqual(nested, [{ name: 'overlay', bytes: overlay }]);
  });

  it('tolerates wrong lengths', async () => {
    const lying = Buffer.from(full);
    lying.writeUInt16LE(0xffff, 0x4c);
    const { tags } = await inspect(lnk, lying);
    assert.deepEqual([...tags.keys()], ['LNK']);
  });

  it('returns for any input', async () => {
    await fc.assert(
      fc.asyncProperty(hostileVariants(full), async (bytes) => void (await inspect(lnk, bytes))),
      fuzzSettings(),
    );
  });
});
