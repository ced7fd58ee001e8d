import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { inspect } from '../../../../test/analysis/findings.ts';
import { fuzzSettings, hostileVariants } from '../../../../test/analysis/fuzz.ts';
import { compoundFile, packageBody } from '../../../../test/fixtures/analysis/generate/ole.ts';
import { rtf } from './rtf.ts';

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** An object in the format of OLE 1.0. */
function embedded(className: string, data: Buffer): Buffer {
  const name = Buffer.from(`${className}\0`);
  const head = [u32(0x501), u32(2), u32(name.length), name, u32(0), u32(0), u32(data.length)];
  return Buffer.concat([...head, data]);
}

function documentOf(hex: string, more = ''): Buffer {
  return Buffer.from(`{\\rtf1\\ansi text ${more}{\\object\\objemb{\\*\\objdata ${hex}}}}`);
}

const compound = compoundFile({ streams: { 'Equation Native': Buffer.alloc(40, 1) } });
const good = documentOf(embedded('Equation.3', compound).toString('hex'));

describe('the format rtf', () => {
  it('decodes embedded objects from hexadecimal digits', async () => {
    const { tags, nested } = await inspect(rtf, good);
    assert.deepEqual([...tags.keys()], ['RTF', 'RTF_OBJECT', 'EQUATION_EDITOR']);
    assert.equal(tags.get('RTF_OBJECT')?.note, 'Equation.3');
    assert.deepEqual(nested, [{ name: 'Equation.3', bytes: compound }]);
  });

  it('extracts the file from a package', async () => {
    const data = embedded('Package', packageBody('a.vbs', Buffer.from('only a text')));
    const { tags, nested } = await inspect(rtf, documentOf(data.toString('hex')));
    assert.ok(tags.has('OLE_PACKAGE'));
    assert.deepEqual(nested, [{ name: 'a.vbs', bytes: Buffer.from('only a text') }]);
  });

  it('collects digits across white space and control words, and tags the obfuscation', async () => {
    const digits = embedded('Equation.3', compound).toString('hex');
    const hidden = (digits.match(/.{1,63}/g) ?? []).join('\\foo12 \r\n{}\t');
    const { tags, nested } = await inspect(rtf, documentOf(hidden));
    assert.ok(tags.has('RTF_OBFUSCATED'));
    assert.deepEqual(nested[0]?.bytes, compound);
  });

  it('reads raw bytes instead of digits', async () => {
    const data = embedded('Other', Buffer.from('raw}bytes'));
    const bytes = Buffer.concat([
      Buffer.from(`{\\rtf1{\\object{\\*\\objdata \\bin${data.length} `),
      data,
      Buffer.from('}}}'),
    ]);
    assert.equal((await inspect(rtf, bytes)).nested[0]?.bytes.toString(), 'raw}bytes');
  });

  it('tolerates line breaks between digits', async () => {
    const digits = embedded('Equation.3', compound).toString('hex');
    const { tags } = await inspect(rtf, documentOf((digits.match(/.{1,64}/g) ?? []).join('\r\n')));
    assert.ok(!tags.has('RTF_OBFUSCATED'));
  });

  it('tags an incomplete header, and objects that open automatically', async () => {
    const { tags } = await inspect(
      rtf,
      Buffer.from('{\\rt{\\object\\objupdate{\\*\\objdata 0102}}}'),
    );
    assert.ok(tags.has('RTF_OBFUSCATED'));
    assert.ok(tags.has('RTF_OBJECT_UPDATE'));
  });

  it('tags a template on another machine', async () => {
    const bytes = Buffer.from('{\\rtf1{\\*\\template http://docs.example.invalid/a.dotm}text}');
    const { tags, indicators } = await inspect(rtf, bytes);
    assert.equal(tags.get('REMOTE_TEMPLATE')?.note, 'http://docs.example.invalid/a.dotm');
    assert.equal(indicators[0]?.value, 'http://docs.example.invalid/a.dotm');
  });

  it('stays within its limits with many objects', async () => {
    const { nested, limits } = await inspect(
      rtf,
      Buffer.from(`{\\rtf1${'{\\objdata 0102030405}'.repeat(1000)}}`),
    );
    assert.equal(nested.length, 64);
    assert.deepEqual(limits, ['more than 64 objects']);
  });

  it('limits the number of control words', async () => {
    const { limits } = await inspect(rtf, Buffer.from(`{\\rtf1${'\\a'.repeat(4_000_001)}}`));
    assert.deepEqual(limits, ['4000000 control words']);
  });

  it('returns for any input', async () => {
    await fc.assert(
      fc.asyncProperty(hostileVariants(good), async (bytes) => void (await inspect(rtf, bytes))),
      fuzzSettings(),
    );
  });
});
