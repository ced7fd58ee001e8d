import assert from 'node:assert/strict';
import { it } from 'node:test';
import { csvOf } from './csv.ts';

it('a table has a line for each row, and no cell is a formula', () =>
  assert.equal(
    csvOf([
      ['a', 'b "c"'],
      ['=1+1', ' @x', 'two\nlines', '\uff1dx'],
    ]),
    '"a","b ""c"""\r\n"\'=1+1","\' @x","two lines","\'\uff1dx"\r\n',
  ));
