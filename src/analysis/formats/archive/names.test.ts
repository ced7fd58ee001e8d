import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startStopwatch } from '../../../../test/stopwatch.ts';
import { isProgramName, nameTags } from './names.ts';

describe("a member's name", () => {
  it('is honest in most archives', () => {
    for (const name of [
      'a.txt',
      'folder/b.exe',
      'jquery.min.js',
      'v1.2..3/x',
      '..hidden',
      'פתק.txt',
    ])
      assert.deepEqual(nameTags(name), [], name);
  });

  it('may lead out of the folder', () => {
    for (const name of [
      '../a',
      'a/../../b',
      '..\\a',
      'a\\..',
      '/etc/x',
      '\\\\host\\x',
      'C:\\x',
      'd:x',
    ])
      assert.deepEqual(nameTags(name), ['PATH_TRAVERSAL'], name);
  });

  it('may hide that it is a program behind the ending of a document', () => {
    for (const name of [
      'invoice.pdf.exe',
      'Photo.JPG.Scr',
      'a.docx      .js',
      'x.txt____.lnk',
      'a.pdf.exe ',
    ])
      assert.deepEqual(nameTags(name), ['DOUBLE_EXTENSION'], name);
  });

  it('may turn the reading direction', () => {
    assert.deepEqual(nameTags('invoice\u202efdp.exe'), ['RTLO_NAME']);
  });

  it('is judged quickly however long it is', () => {
    const spent = startStopwatch();
    nameTags(`${'.pdf '.repeat(10_000)}${' '.repeat(50_000)}x`);
    assert.ok(spent() < 5000);
  });

  it('tells what a double click would run', () => {
    assert.equal(isProgramName('start.EXE'), true);
    assert.equal(isProgramName('exe.txt'), false);
  });
});
