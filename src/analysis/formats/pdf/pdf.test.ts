import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { inspect } from '../../../../test/analysis/findings.ts';
import { fuzzSettings, hostileVariants } from '../../../../test/analysis/fuzz.ts';
import {
  flateObject,
  objectStream,
  pdfOf,
  streamObject,
} from '../../../../test/fixtures/analysis/generate/pdf.ts';
import { pdf } from './pdf.ts';

const SCRIPT = 'app.alert("a line");';
const document = pdfOf([
  '<< /Type /Catalog /OpenAction 2 0 R /Names << /EmbeddedFiles 5 0 R >> >>',
  '<< /S /JavaScript /JS 3 0 R >>',
  flateObject('', Buffer.from(SCRIPT)),
  '<< /S /URI /URI (https://docs.example.invalid/a\\(b\\)) >>',
  '<< /Type /Filespec /F (short) /UF (invoice.txt) /EF << /F 6 0 R >> >>',
  flateObject('/Type /EmbeddedFile', Buffer.from('only a text')),
]);

describe('the format pdf', () => {
  it('counts objects and names', async () => {
    const { tags, allFacts } = await inspect(pdf, document);
    assert.equal(allFacts['version'], '1.7');
    assert.equal(allFacts['objectCount'], 6);
    assert.equal(allFacts['streamCount'], 2);
    assert.deepEqual(
      [...tags.keys()].sort(),
      ['PDF', 'PDF_EMBEDDED_FILE', 'PDF_JAVASCRIPT', 'PDF_OPEN_ACTION'].sort(),
    );
    const offset = tags.get('PDF_OPEN_ACTION')?.offset ?? 0;
    assert.equal(document.toString('latin1', offset, offset + 11), '/OpenAction');
  });

  it('unpacks scripts and embedded files', async () => {
    const { nested } = await inspect(pdf, document);
    assert.deepEqual(
      nested.map(({ name, bytes }) => [name, bytes.toString()]),
      [
        ['javascript 3.js', SCRIPT],
        ['invoice.txt', 'only a text'],
      ],
    );
  });

  it('reports the URIs of links', async () => {
    const { indicators } = await inspect(pdf, document);
    assert.deepEqual(
      indicators.map(({ kind, value }) => [kind, value]),
      [['url', 'https://docs.example.invalid/a(b)']],
    );
  });

  it('reads inline scripts, as text or as hexadecimal digits', async () => {
    const hex = Buffer.from(SCRIPT).toString('hex');
    const wide = Buffer.from(SCRIPT, 'utf16le').swap16().toString('hex');
    const bytes = pdfOf([
      '<< /S /JavaScript /JS (app.alert\\("a \\154ine"\\);) >>',
      `<< /S /JavaScript /JS <${hex}> >>`,
      `<< /S /JavaScript /JS <FEFF${wide}> >>`,
    ]);
    const { nested } = await inspect(pdf, bytes);
    assert.deepEqual(
      nested.map((each) => each.bytes.toString()),
      [SCRIPT, SCRIPT, SCRIPT],
    );
  });

  it('tags names with escaped letters', async () => {
    const bytes = pdfOf(['<< /S /J#61vaScr#69pt /JS (1) /BaseFont /Some#20Font >>']);
    const { tags } = await inspect(pdf, bytes);
    assert.ok(tags.has('PDF_JAVASCRIPT'));
    assert.equal(tags.get('PDF_OBFUSCATED_NAMES')?.note, '/JavaScript');
    const { tags: honest } = await inspect(pdf, pdfOf(['<< /BaseFont /Some#20Font >>']));
    assert.ok(!honest.has('PDF_OBFUSCATED_NAMES'));
  });

  it('inspects object streams', async () => {
    const bytes = pdfOf([
      objectStream([
        '<< /S /Launch /Win << /F (cmd.exe) /P (/c echo a line) >> >>',
        '<< /Type /Filespec /UF (one.txt) /EF << /F 2 0 R >> >>',
      ]),
      streamObject('', Buffer.from('plain')),
    ]);
    const { tags, nested, allFacts } = await inspect(pdf, bytes);
    assert.ok(tags.has('PDF_LAUNCH'));
    assert.equal(allFacts['objectStreamCount'], 1);
    assert.deepEqual(nested, [{ name: 'one.txt', bytes: Buffer.from('plain') }]);
  });

  it('applies several filters in order', async () => {
    const ascii85 = streamObject(
      '/Type /EmbeddedFile /Filter [/ASCII85Decode]',
      Buffer.from('87cURD]i,"Ebo7~>'),
    );
    const chain = streamObject(
      '/Type /EmbeddedFile /Filter [/ASCIIHexDecode /FlateDecode]',
      Buffer.from(`${deflateSync(Buffer.from('twice')).toString('hex')}>`),
    );
    const { nested } = await inspect(pdf, pdfOf([ascii85, chain]));
    assert.deepEqual(
      nested.map(({ bytes }) => bytes.toString()),
      ['Hello World', 'twice'],
    );
  });

  it('finds the end of a stream with a wrong length', async () => {
    const lying = streamObject('/Type /EmbeddedFile', Buffer.from('plain'), 3);
    const { nested } = await inspect(pdf, pdfOf([lying, '<< /Launch 1 >>']));
    assert.equal(nested[0]?.bytes.toString().trim(), 'plain');
  });

  it('recognises an encrypted document', async () => {
    const { tags } = await inspect(pdf, pdfOf(['<< >>'], '<< /Root 1 0 R /Encrypt 9 0 R >>'));
    assert.ok(tags.has('PDF_ENCRYPTED'));
  });

  it('cuts streams that unpack to too much, and reports the limit', async () => {
    const bomb = flateObject('/Type /ObjStm /First 0', Buffer.alloc(9 * 1024 * 1024, 0x20));
    const { limits } = await inspect(pdf, pdfOf([bomb]));
    assert.deepEqual(limits, ['a stream unpacks to more than 8388608 bytes']);
  });

  it('reads a million objects in bounded time', async () => {
    const many = Buffer.from(`%PDF-1.4\n${'1 0 obj<</A 1>>endobj\n'.repeat(1_000_000)}`);
    const { allFacts, limits } = await inspect(pdf, many);
    assert.ok(Number(allFacts['objectCount']) > 100_000);
    assert.deepEqual(limits, ['more than 4000000 tokens']);
  });

  it('tolerates unterminated strings and streams', async () => {
    const endless = Buffer.from(
      `%PDF-1.4\n${'( stream\n'.repeat(50_000)} 1 0 obj << /Launch 1 >> endobj`,
    );
    const { tags } = await inspect(pdf, endless);
    assert.ok(tags.has('PDF_LAUNCH'));
  });

  it('limits the size of scripts, and reports the limit', async () => {
    const long = `1 0 obj<</JS(${'\\141'.repeat(100_000)})>>endobj\n`;
    const { nested, limits } = await inspect(pdf, Buffer.from(`%PDF-1.4\n${long.repeat(50)}`));
    assert.equal(nested[0]?.bytes.toString('latin1', 0, 3), 'aaa');
    assert.deepEqual(limits, ['more than 16777216 bytes of values']);
  });

  it('reads an unterminated hexadecimal string', async () => {
    const { nested } = await inspect(pdf, Buffer.from('%PDF-1.4\n1 0 obj<</JS <6162'));
    assert.equal(nested[0]?.bytes.toString(), 'ab');
  });

  it('unpacks only a part of overlapping streams', async () => {
    const endless = `5 0 obj<</Filter/ASCII85Decode/JS 5 0 R>>stream\n${'z'.repeat(100_000)} `;
    const { nested } = await inspect(pdf, Buffer.from(`%PDF-1.4\n${endless.repeat(10)}`));
    const [first = 0, ...others] = nested.map(({ bytes }) => bytes.length);
    assert.ok(first > 500_000 && others.length === 9, String(first));
    assert.ok(others.every((length) => length <= 4 * 4096));
  });

  it('stops at the budget', async () => {
    const page = flateObject('/Type /ObjStm /First 0', Buffer.alloc(1000, 0x20));
    const { limits } = await inspect(pdf, pdfOf([page, page, page]), { bytes: 1000 });
    assert.deepEqual(limits, ['bytes']);
  });

  it('returns for any input', async () => {
    await fc.assert(
      fc.asyncProperty(
        hostileVariants(document),
        async (bytes) => void (await inspect(pdf, bytes)),
      ),
      fuzzSettings(),
    );
  });
});
