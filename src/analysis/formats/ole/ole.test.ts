import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { inspect } from '../../../../test/analysis/findings.ts';
import { fixture } from '../../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../../test/analysis/fuzz.ts';
import {
  compoundFile,
  ole10Native,
  vbaProject,
} from '../../../../test/fixtures/analysis/generate/ole.ts';
import { ole } from './ole.ts';

const MACRO = [
  'Attribute VB_Name = "ThisDocument"',
  "' shell is only a word in this comment",
  'Sub AutoOpen()',
  '  CreateObject("WScript.Shell").Run "cmd.exe /c echo a line", 0',
  'End Sub',
  '',
].join('\r\n');

const installer = fixture('analysis/ole/package-msi');
const word = compoundFile({
  streams: {
    WordDocument: Buffer.alloc(5000),
    '1Table': Buffer.alloc(100),
    ...vbaProject('Macros/VBA', {
      ThisDocument: MACRO,
      Module1: 'Attribute VB_Name = "Module1"\r\n',
    }),
  },
});

describe('the format ole', () => {
  it('lists the streams of a document and recognises its kind', async () => {
    const { tags, allFacts } = await inspect(ole, word);
    assert.ok(tags.has('OLE'));
    assert.ok(tags.has('WORD_DOCUMENT'));
    assert.equal(allFacts['kind'], 'Word');
    assert.deepEqual(allFacts['streams'], [
      { name: 'WordDocument', sizeBytes: 5000 },
      { name: '1Table', sizeBytes: 100 },
      ...(allFacts['streams'] as unknown[]).slice(2),
    ]);
  });

  it('reads the source of macros and nests it as text', async () => {
    const { tags, nested } = await inspect(ole, word);
    assert.equal(tags.get('MACROS')?.note, '2 modules');
    assert.equal(tags.get('MACRO_AUTOEXEC')?.note, 'autoopen in ThisDocument');
    assert.equal(tags.get('MACRO_SHELL')?.note, 'wscript.shell in ThisDocument');
    assert.deepEqual(
      nested.map(({ name, bytes }) => [name, bytes.toString('latin1')]),
      [
        ['ThisDocument.bas', MACRO],
        ['Module1.bas', 'Attribute VB_Name = "Module1"\r\n'],
      ],
    );
  });

  it('does not tag macros without suspicious keywords', async () => {
    const quiet = compoundFile({
      streams: vbaProject('VBA', { A: 'Attribute VB_Name = "A"\r\nSub MyAutoOpen()\r\nEnd Sub' }),
    });
    const { tags } = await inspect(ole, quiet);
    assert.deepEqual([...tags.keys()], ['OLE', 'MACROS']);
  });

  it('reads the tables of an installer and nests its files', async () => {
    const { tags, allFacts, nested } = await inspect(ole, installer);
    assert.ok(tags.has('MSI'));
    assert.ok(tags.has('MSI_CUSTOM_ACTION'));
    const properties = allFacts['installer'] as Record<string, string>;
    assert.equal(properties['ProductName'], 'Example Product');
    const actions = allFacts['customActions'] as { name: string; target: string; runs: string }[];
    assert.deepEqual(
      actions.map(({ name, target, runs }) => [name, target, runs]),
      [
        ['RunScript', 'Main', 'library in the database'],
        ['RunCommand', '/c echo a line', 'command line'],
        ['SetValue', '1', null],
      ],
    );
    assert.deepEqual(
      nested.map(({ name }) => name),
      ['files.cab', 'Binary.ActionScript'],
    );
    assert.equal(nested[0]?.bytes.toString('latin1', 0, 4), 'MSCF');
  });

  it('extracts an embedded file from its package', async () => {
    const content = Buffer.from('only a text');
    const document = compoundFile({
      streams: {
        WordDocument: Buffer.alloc(100),
        'ObjectPool/_1/\x01Ole10Native': ole10Native('invoice.js', content),
      },
    });
    const { tags, nested } = await inspect(ole, document);
    assert.equal(tags.get('OLE_PACKAGE')?.note, 'C:\\Users\\someone\\invoice.js');
    assert.deepEqual(nested, [{ name: 'invoice.js', bytes: content }]);
  });

  it('nests the attachments of a message by their names', async () => {
    const folder = '__attach_version1.0_#00000000';
    const message = compoundFile({
      streams: {
        '__properties_version1.0': Buffer.alloc(32),
        [`${folder}/__substg1.0_37010102`]: Buffer.from('content'),
        [`${folder}/__substg1.0_3707001F`]: Buffer.from('a file.txt', 'utf16le'),
      },
    });
    const { tags, nested } = await inspect(ole, message);
    assert.ok(tags.has('OUTLOOK_MESSAGE'));
    assert.deepEqual(nested, [{ name: 'a file.txt', bytes: Buffer.from('content') }]);
  });

  it('recognises the equation editor by class and by stream', async () => {
    const clsid = Buffer.from('02ce020000000000c000000000000046', 'hex');
    const byClass = compoundFile({
      streams: { '\x01Ole10Native': Buffer.alloc(64, 1) },
      clsids: { '': clsid },
    });
    const byStream = compoundFile({ streams: { 'Equation Native': Buffer.alloc(64, 1) } });
    assert.ok((await inspect(ole, byClass)).tags.has('EQUATION_EDITOR'));
    assert.ok((await inspect(ole, byStream)).tags.has('EQUATION_EDITOR'));
  });

  it('recognises encrypted documents', async () => {
    const head = Buffer.alloc(64);
    head.writeUInt16LE(0x0100, 10);
    const locked = [
      compoundFile({ streams: { WordDocument: head } }),
      compoundFile({ streams: { EncryptedPackage: Buffer.alloc(8) } }),
      compoundFile({ streams: { Workbook: Buffer.from('090802000000' + '2f000000', 'hex') } }),
    ];
    for (const document of locked) {
      assert.ok((await inspect(ole, document)).tags.has('ENCRYPTED_DOCUMENT'));
    }
    assert.ok(!(await inspect(ole, word)).tags.has('ENCRYPTED_DOCUMENT'));
  });

  it('recognises Excel 4 macro sheets, and hidden ones', async () => {
    const sheet = Buffer.from('8500' + '0900' + '00000000' + '0201' + '010041', 'hex');
    const book = compoundFile({ streams: { Workbook: sheet } });
    assert.equal((await inspect(ole, book)).tags.get('XLM_MACROS')?.note, '1 of them, hidden');
  });

  it('stops at the budget, and reports the limit', async () => {
    const { nested, limits } = await inspect(ole, installer, { members: 1 });
    assert.equal(nested.length, 1);
    assert.ok(limits.includes('members'));
  });

  it('reports only the damage of a damaged file', async () => {
    const { tags, allFacts } = await inspect(ole, word.subarray(0, 600));
    assert.deepEqual([...tags.keys()], ['OLE']);
    assert.deepEqual(allFacts, { damaged: true });
  });

  it('returns for any input', async () => {
    for (const good of [word, installer]) {
      await fc.assert(
        fc.asyncProperty(hostileVariants(good), async (bytes) => void (await inspect(ole, bytes))),
        fuzzSettings(),
      );
    }
  });
});
