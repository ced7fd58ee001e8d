import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readableLine } from '../../codecs/readable-text.ts';
import { isPlaceholder } from '../setting-texts.ts';
import { isHost, isMailAddress, parseCheckedHostPort } from './hosts.ts';

describe('forms of settings', () => {
  it('tell hosts from other texts', () => {
    for (const host of ['a.invalid', 'A-b.Example.invalid', '192.0.2.1', '2001:db8::1', '[::1]'])
      assert.ok(isHost(host), host);
    assert.ok(isHost('localhost') && isHost('a.invalid.') && !isHost('a.invalid..'));
    for (const text of ['', 'word', '0.7d', '1.2.3', '256.1.1.1', 'a b.invalid', 'a[.]invalid'])
      assert.ok(!isHost(text), text);
    for (const text of [
      'http://a.invalid',
      'a.invalid:80',
      'x'.repeat(1e6),
      `${'a.'.repeat(1e6)}b`,
    ])
      assert.ok(!isHost(text), text.slice(0, 40));
  });

  it('split a host and its port, and leave a bare IPv6 address whole', () => {
    assert.deepEqual(parseCheckedHostPort('a.invalid:80'), { host: 'a.invalid', port: 80 });
    assert.deepEqual(parseCheckedHostPort('[2001:db8::1]:80'), { host: '2001:db8::1', port: 80 });
    for (const text of ['2001:db8::1:80', 'a.invalid', 'a.invalid:0', 'a.invalid:65536', ':80'])
      assert.equal(parseCheckedHostPort(text), undefined, text);
  });

  it('tell mail addresses from other texts', () => {
    assert.ok(isMailAddress('some.one+tag@mail.example.invalid'));
    for (const text of ['a@b', '@a.invalid', 'a@a.invalid@b.invalid', 'a b@c.invalid', 'a.invalid'])
      assert.ok(!isMailAddress(text), text);
  });

  it('tell what a builder replaces from what it puts there', () => {
    for (const text of ['%Hosts%', '[H]', '#IP#', '{host}', '$%SMTPEmail$'])
      assert.ok(isPlaceholder(text), text);
    for (const text of ['%AppData%\\x', '[2001:db8::1]', '', 'H', '%%', `%${'x'.repeat(100)}%`])
      assert.ok(!isPlaceholder(text), text);
  });

  it('tell text from bytes that are none', () => {
    assert.equal(readableLine(Buffer.from('Grüße')), 'Grüße');
    for (const hex of ['ff', '41001f', '0a', 'c3'])
      assert.equal(readableLine(Buffer.from(hex, 'hex')), undefined);
  });
});
