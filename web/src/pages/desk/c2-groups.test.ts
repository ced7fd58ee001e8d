import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { ExtendedReport } from '../../../../src/client/wire.ts';
import { type InboxRow, rowsOf } from './c2-groups.ts';

const report = (id: string, c2Address: string) => ({ id, c2Address }) as ExtendedReport;
const REPORTS = [report('1', 'a:1'), report('2', 'b:1'), report('3', 'a:1'), report('4', 'a:1')];

const shown = (rows: readonly InboxRow[]) =>
  rows.map(({ report: { id }, reports, isMember }) => [
    isMember ? `  ${id}` : id,
    reports.map((one) => one.id).join(' '),
  ]);

it('shows the reports of a C2 in one row, where the newest is', () =>
  assert.deepEqual(shown(rowsOf(REPORTS, new Set())), [
    ['1', '1 3 4'],
    ['2', '2'],
  ]));

it('shows each report of an opened C2, to act on it alone', () =>
  assert.deepEqual(shown(rowsOf(REPORTS, new Set(['a:1', 'b:1']))), [
    ['1', '1'],
    ['  3', '3'],
    ['  4', '4'],
    ['2', '2'],
  ]));
