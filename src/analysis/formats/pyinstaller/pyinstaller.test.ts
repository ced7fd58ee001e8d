import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { inspect } from '../../../../test/analysis/findings.ts';
import { fixture } from '../../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../../test/analysis/fuzz.ts';
import { modulesOf } from './archive.ts';
import { pyinstaller } from './pyinstaller.ts';

const plain = fixture('analysis/families/pyinstaller-discord.exe');

describe('programs packed with PyInstaller', () => {
  it('are listed, and the scripts of their author are nested', async () => {
    const { tags, allFacts, nested } = await inspect(pyinstaller, plain);
    assert.deepEqual([...tags], [['PYINSTALLER', { offset: 2560, note: 'Python 3.11' }]]);
    assert.deepEqual(allFacts, {
      python: '3.11',
      entryCount: 4,
      scripts: ['grabber'],
      entries: ['pyiboot01_bootstrap', 'python311.dll', 'grabber', 'PYZ-00.pyz'],
    });
    assert.deepEqual(
      nested.map(({ name }) => name),
      ['grabber'],
    );
    assert.ok(nested[0]?.bytes.includes('/webhooks/'));
  });

  it('may be followed by a signature', async () => {
    const signed = Buffer.concat([plain, Buffer.alloc(9000, 0x30)]);
    assert.ok((await inspect(pyinstaller, signed)).tags.has('PYINSTALLER'));
  });

  it('are ignored if the list is truncated or invalid', async () => {
    const damaged = fixture('analysis/families/pyinstaller-damaged.exe');
    const { tags, nested } = await inspect(pyinstaller, damaged);
    assert.deepEqual([[...tags], nested], [[], []]);
  });

  it('stay within the budget', async () => {
    const { nested, limits } = await inspect(pyinstaller, plain, { members: 0 });
    assert.deepEqual([nested, limits], [[], ['members']]);
    assert.deepEqual((await inspect(pyinstaller, plain, { bytes: 10 })).nested, []);
  });

  it('cause no exception when damaged', async () => {
    await fc.assert(
      fc.asyncProperty(hostileVariants(plain), async (bytes) => {
        await inspect(pyinstaller, bytes);
      }),
      fuzzSettings(),
    );
  });
});

describe('an archive of modules', () => {
  it('names them in bytes in Python 2', () => {
    const module = Buffer.from('code');
    const word = (value: number) => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32LE(value);
      return bytes.toString('latin1');
    };
    const name = `s${word(5)}a.mod`;
    const location = `(${word(3)}i${word(0)}i${word(12)}i${word(module.length)}`;
    const list = Buffer.from(`[${word(1)}(${word(2)}${name}${location}`, 'latin1');
    const head = Buffer.from(`PYZ\0\x03\xf3\r\n\0\0\0${String.fromCharCode(16)}`, 'latin1');
    const archive = Buffer.concat([head, module, list]);
    assert.deepEqual(modulesOf(archive, 207), [{ name: 'a.mod', stored: module }]);
  });
});
