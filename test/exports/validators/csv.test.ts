import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import { csv } from '../../../src/exports/csv.ts';
import { outputsOf } from './outputs.ts';

const END = /^# END rows=(\d+) sha256=[0-9a-f]{64}\r\n$/;

/** More than any reader takes as the end of a line. */
const LINE_ENDS = /\r\n|[\p{Cc}\p{Zl}\p{Zp}]/u;

/** Where the end mark begins; the end of the text if it has none. */
function endOf(text: string): number {
  const start = text.lastIndexOf('\r\n# END');
  return start === -1 ? text.length : start + 2;
}

/** The records, parsed strictly: as many fields in each, quotes only around whole fields. */
function recordsOf(text: string): readonly (readonly string[])[] {
  return parse(text.slice(0, endOf(text)), {
    record_delimiter: '\r\n',
    relax_column_count: false,
    relax_quotes: false,
  });
}

describe('a strict parser of CSV', () => {
  for (const { label, text, reports, options } of outputsOf(csv)) {
    const hasEnd = options['end'] !== '0';

    it(`reads a record per report of ${label}, and the end mark if it has one`, () => {
      const records = recordsOf(text);
      assert.equal(records.length, reports.length + 1);
      for (const record of records) assert.equal(record.length, 23);
      const [, rows] = END.exec(text.slice(endOf(text))) ?? [];
      assert.equal(rows, hasEnd ? String(reports.length) : undefined);
    });

    it(`finds one line per record of ${label}, whatever ends a line`, () => {
      const lines = text.split(LINE_ENDS);
      assert.equal(lines.length, reports.length + (hasEnd ? 3 : 2));
      for (const line of lines.slice(0, reports.length + 1))
        assert.match(line, /^"(?:[^"]|"")*"(?:,"(?:[^"]|"")*")*$/);
    });

    if (options['flavour'] === 'spreadsheet')
      it(`finds no formula in ${label}`, () => {
        for (const field of recordsOf(text).flat())
          assert.doesNotMatch(field, /^\s*[=+\-@＝＋－＠]/);
      });
  }

  it('reads tags, names and links as they were reported', () => {
    const { reports = [], text = '' } =
      outputsOf(csv).find(({ label }) => label === 'one-report') ?? {};
    const [, record = []] = recordsOf(text);
    const [report] = reports;
    assert.deepEqual(
      (record[2] ?? '')
        .split(/(?<!(?:^|[^\\])(?:\\\\)*\\)\|/)
        .map((tag) => tag.replace(/\\(.)/g, '$1')),
      report?.tags,
    );
    assert.deepEqual([record[5], record[8]], [report?.reportedBy, report?.reference]);
  });
});
