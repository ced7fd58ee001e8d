import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { inspect } from '../../../test/analysis/findings.ts';
import { fuzzSettings, hostileVariants } from '../../../test/analysis/fuzz.ts';
import { ooxmlRelations } from './ooxml.ts';

const BASE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const name = 'word/_rels/settings.xml.rels';

function relationsOf(...elements: string[]): Buffer {
  return Buffer.from(`<?xml version="1.0"?>\n<Relationships>${elements.join('')}</Relationships>`);
}

const template = relationsOf(
  `<Relationship Id="r1" Type="${BASE}/attachedTemplate" Target="https://docs.example.invalid/a.dotm?x=1&amp;y=2" TargetMode="External"/>`,
);

describe('the format ooxml', () => {
  it('tags a template on another machine', async () => {
    const { tags, indicators } = await inspect(ooxmlRelations, template, { name });
    assert.equal(tags.get('REMOTE_TEMPLATE')?.note, 'https://docs.example.invalid/a.dotm?x=1&y=2');
    assert.equal(indicators[0]?.value, 'https://docs.example.invalid/a.dotm?x=1&y=2');
  });

  it('tags an object on another machine and Excel 4 macro sheets', async () => {
    const bytes = relationsOf(
      `<Relationship Type='${BASE}/oleObject' Target='mhtml:http://192.0.2.1/x!y' TargetMode='External'/>`,
      '<Relationship Type="http://schemas.microsoft.com/office/2006/relationships/xlMacrosheet" Target="macrosheets/sheet1.xml"/>',
    );
    const { tags } = await inspect(ooxmlRelations, bytes, { name });
    assert.deepEqual([...tags.keys()], ['REMOTE_OBJECT', 'XLM_MACROS']);
  });

  it('reports links without a suspicious tag', async () => {
    const bytes = relationsOf(
      `<Relationship Type="${BASE}/hyperlink" Target="https://docs.example.invalid/" TargetMode="External"/>`,
      `<Relationship Type="${BASE}/attachedTemplate" Target="file.dotm" TargetMode="External"/>`,
      `<Relationship Type="${BASE}/styles" Target="styles.xml"/>`,
    );
    const { tags, indicators } = await inspect(ooxmlRelations, bytes, { name });
    assert.equal(tags.size, 0);
    assert.equal(indicators.length, 1);
  });

  it('inspects relationships only', async () => {
    const { tags } = await inspect(ooxmlRelations, template, { name: 'word/settings.xml' });
    assert.equal(tags.size, 0);
  });

  it('stays within its limits', async () => {
    const many = relationsOf('<Relationship Type="a" Target="b"/>'.repeat(3000));
    assert.deepEqual((await inspect(ooxmlRelations, many, { name })).limits, [
      'too many relations',
    ]);
    const endless = Buffer.from('<Relationship '.repeat(70_000));
    await inspect(ooxmlRelations, endless, { name });
  });

  it('returns for any input', async () => {
    await fc.assert(
      fc.asyncProperty(
        hostileVariants(template),
        async (bytes) => void (await inspect(ooxmlRelations, bytes, { name })),
      ),
      fuzzSettings(),
    );
  });
});
