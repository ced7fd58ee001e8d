import assert from 'node:assert/strict';
import { it } from 'node:test';
import { addressOfIndicator } from './indicator-address.ts';

const addressOf = (kind: string, value: string) =>
  addressOfIndicator({ kind, value, offset: 0 })?.address;

it('reads the address of links, addresses and hosts in the bytes', () => {
  assert.equal(addressOf('url', 'http://One.example.invalid/a?b'), 'one.example.invalid:80');
  assert.equal(addressOf('url', 'https://u:p@192.0.2.1:8443/x'), '192.0.2.1:8443');
  assert.equal(addressOf('discord-webhook', 'https://chat.example/api/1'), 'chat.example:443');
  assert.equal(addressOf('address', '203.0.113.9:4444'), '203.0.113.9:4444');
  assert.equal(addressOf('address', '[2001:db8::1]:80'), '[2001:db8::1]:80');
});

it('has no port where the bytes have none', () => {
  assert.deepEqual(addressOfIndicator({ kind: 'host', value: 'mail.example', offset: 0 }), {
    address: 'mail.example',
    hasPort: false,
  });
  assert.equal(addressOf('address', '[2001:db8::1]'), '2001:db8::1');
});

it('takes nothing else for an address', () => {
  assert.equal(addressOf('wallet', 'bc1qexample'), undefined);
  assert.equal(addressOf('email', 'a@mail.example'), undefined);
  assert.equal(addressOf('telegram-token', '123:abc'), undefined);
  assert.equal(addressOf('url', 'http://[broken/'), undefined);
  assert.equal(addressOf('address', ':'), undefined);
});
