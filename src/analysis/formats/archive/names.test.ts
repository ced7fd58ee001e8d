import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startStopwatch } from '../../../../test/stopwatch.ts';
import { isProgramName, nameTags } from './names.ts';

describe("a member's name", () => {
  it('is not suspicious in most archives', () => {
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

  it('may traverse directories', () => {
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

  it('may disguise a program with the extension of a document', () => {
    for (const name of [
      'invoice.pdf.exe',
      'Photo.JPG.Scr',
      'a.docx      .js',
      'x.txt____.lnk',
      'a.pdf.exe ',
    ])
      assert.deepEqual(nameTags(name), ['DOUBLE_EXTENSION'], name);
  });

  it('may contain a right-to-left override', () => {
    assert.deepEqual(nameTags('invoice\u202efdp.exe'), ['RTLO_NAME']);
  });

  it('is judged quickly at any length', () => {
    const spent = startStopwatch();
    nameTags(`${'.pdf '.repeat(10_000)}${' '.repeat(50_000)}x`);
    assert.ok(spent() < 5000);
  });

  it('is recognised as that of a program', () => {
    assert.equal(isProgramName('start.EXE'), true);
    assert.equal(isProgramName('exe.txt'), false);
  });
});
