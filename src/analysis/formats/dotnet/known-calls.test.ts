import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startStopwatch } from '../../../../test/stopwatch.ts';
import { ENCODINGS, KnownCalls } from './known-calls.ts';

const result = (...[title, given]: Parameters<KnownCalls['resultOf']>) =>
  new KnownCalls().resultOf(title, given);
const UTF8 = ENCODINGS.get('System.Text.Encoding::get_UTF8');

describe('evaluated framework calls', () => {
  it('concatenate texts and arrays of texts', () => {
    assert.equal(result('System.String::Concat', ['a', 'b', 'c']), 'abc');
    assert.equal(result('System.String::Concat', [['a', 'b']]), 'ab');
  });

  it('replace texts and characters, reverse and trim', () => {
    assert.equal(result('System.String::Replace', ['#.#', '#', '1']), '1.1');
    assert.equal(result('System.String::Replace', ['$&a', 0x61, 0x62]), '$&b');
    assert.equal(result('System.String::Trim', [' a ']), 'a');
    assert.equal(result('Microsoft.VisualBasic.Strings::StrReverse', ['abc']), 'cba');
  });

  it('encode and decode text', () => {
    const bytes = Buffer.from('ä');
    assert.deepEqual(result('System.Convert::FromBase64String', ['w6Q=']), bytes);
    assert.equal(result('System.Text.Encoding::GetString', [UTF8, bytes]), 'ä');
    assert.deepEqual(result('System.Text.Encoding::GetBytes', [UTF8, 'ä']), bytes);
  });

  it('give undefined for unknown arguments and other overloads', () => {
    assert.equal(result('System.String::Concat', ['half', undefined]), undefined);
    assert.equal(result('System.String::Concat', [['half', null]]), undefined);
    assert.equal(result('System.Text.Encoding::GetString', [undefined, Buffer.of(65)]), undefined);
    const part = [UTF8, Buffer.of(65, 66), 0, 1];
    assert.equal(result('System.Text.Encoding::GetString', part), undefined);
    assert.equal(result('System.Convert::FromBase64String', ['no base64']), undefined);
    assert.equal(result('System.String::Substring', ['text', 1]), undefined);
  });

  it('stop at the limit of characters', () => {
    const calls = new KnownCalls();
    const elapsedMs = startStopwatch();
    let text: unknown = 'a'.repeat(1024);
    for (let round = 0; round < 1_000_000 && typeof text === 'string'; round += 1)
      text = calls.resultOf('System.String::Concat', [text, text]);
    assert.equal(text, undefined);
    assert.equal(calls.resultOf('System.String::Trim', ['a']), undefined);
    assert.ok(elapsedMs() < 2_000);
  });
});
