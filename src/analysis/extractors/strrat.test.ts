import assert from 'node:assert/strict';
import { createCipheriv, pbkdf2Sync } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { extracted } from '../../../test/analysis/extraction.ts';
import { recordFindings } from '../../../test/analysis/findings.ts';
import { fixture } from '../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../test/analysis/fuzz.ts';
import { Subject } from '../subject.ts';
import { strrat } from './strrat.ts';

const member = fixture('analysis/families/strrat-member.txt');
const IV = Buffer.from('an iv, 16 bytes.');
// Derived once: it takes as long as the rest of this file.
const KEY = pbkdf2Sync('strigoi', IV, 65_536, 16, 'sha1');

function encrypted(text: string | Buffer): Buffer {
  const cipher = createCipheriv('aes-128-cbc', KEY, IV);
  const bytes = [Buffer.from([0, 0, 0, 16]), IV, cipher.update(text), cipher.final()];
  return Buffer.from(Buffer.concat(bytes).toString('base64'));
}

const FIELDS = [
  'a.example.invalid',
  '1',
  '',
  'b.example.invalid',
  '2',
  'true',
  'true',
  'true',
  'L',
];

/** The settings with other texts at some indexes. */
function settingsWith(changes: Readonly<Record<number, string>>): Buffer {
  return encrypted(FIELDS.map((text, index) => changes[index] ?? text).join('|'));
}

describe('settings of STRRAT', () => {
  it('are decrypted from the member', () => {
    assert.deepEqual(extracted(strrat, member), {
      endpoints: [
        { protocol: 'tcp', usage: 'c2', host: 'str.example.invalid', port: 7888 },
        { protocol: 'tcp', usage: 'c2', host: '192.0.2.88', port: 7889 },
        {
          protocol: 'http',
          usage: 'other',
          url: 'http://seller.example.invalid/server/?hwid=1&lid=m&ht=5',
        },
      ],
      other: { 'Run On Startup': 'true', 'Scheduled Task': 'Skype', License: 'FIXT-URES-ONLY' },
      capabilities: ['SETTING_INSTALL'],
      offset: 0,
    });
  });

  it('are decrypted with line breaks and more fields, and give a page with the address', () => {
    const text = encrypted(
      'https://paste.example.invalid/raw/1|4343||127.0.0.1|4343|false|False|false|L2|more',
    ).toString();
    const broken = Buffer.from(`${text.slice(0, 76)}\r\n${text.slice(76)}\r\n`);
    assert.deepEqual(extracted(strrat, broken), {
      endpoints: [
        { protocol: 'https', usage: 'dead-drop', url: 'https://paste.example.invalid/raw/1' },
        { protocol: 'tcp', usage: 'c2', host: '127.0.0.1', port: 4343 },
      ],
      other: { 'Run On Startup': 'false', License: 'L2' },
      capabilities: ['SETTING_DEAD_DROP'],
      offset: 0,
    });
  });

  it('are decrypted from a member of its name only, which is the one that the program reads', () => {
    const isRead = (name: string) =>
      strrat.matches(new Subject(member, name, `a.jar → ${name}`, 1));
    for (const name of ['config.txt', 'carLambo/resources/config.txt', 'a\\Config.txt'])
      assert.equal(isRead(name), true, name);
    for (const name of ['old-config.txt', 'docs/notes.txt', 'config.txt.bak'])
      assert.equal(isRead(name), false, name);
  });

  it('are nothing with fewer fields, or without ports and switches at their indexes', () => {
    assert.equal(extracted(strrat, encrypted(FIELDS.slice(0, 8).join('|'))), undefined);
    for (const change of [{ 1: '0' }, { 4: 'x' }, { 5: 'yes' }, { 7: '' }])
      assert.equal(extracted(strrat, settingsWith(change)), undefined, JSON.stringify(change));
    assert.ok(extracted(strrat, settingsWith({})));
  });

  it('are nothing under another key, with wrong padding, and if not text', () => {
    const changed = Buffer.from(member);
    // The IV is the salt of the key, too.
    changed[10] = changed[10] === 0x41 ? 0x42 : 0x41;
    assert.equal(extracted(strrat, changed), undefined);
    assert.equal(extracted(strrat, encrypted(Buffer.alloc(64, 0xff))), undefined);
    const cut = Buffer.from(member.toString(), 'base64').subarray(0, -16).toString('base64');
    assert.equal(extracted(strrat, Buffer.from(cut)), undefined);
  });

  it('are nothing in a text of another form, without a key derivation', () => {
    const isOver = () => assert.fail('the key would be derived');
    for (const text of [
      '',
      'AAAAE',
      'AAAAEA==',
      `AAAAEA${'A'.repeat(22)}`,
      'AAAAE2VjZHNhLXNoYTItbmlzdHAyNTY= a public key',
      `AAAAEA${'-'.repeat(60)}`,
      `AAAAEA${'A'.repeat(10_000)}`,
      Buffer.from([0, 0, 0, 16, ...Buffer.alloc(33, 7)]).toString('base64'),
    ])
      assert.equal(extracted(strrat, Buffer.from(text), { isOver }), undefined, text.slice(0, 40));
  });

  it('stop when the time budget is used up', () => {
    assert.equal(extracted(strrat, member, { isOver: () => true }), undefined);
  });

  it('are decrypted for a limited number of members of one file', () => {
    const { budget } = recordFindings();
    const read = (bytes: Buffer) => strrat.extract(new Subject(bytes, 'config.txt'), budget);
    assert.notEqual(read(member), undefined);
    const decoy = Buffer.from(Buffer.from([0, 0, 0, 16, ...Buffer.alloc(32)]).toString('base64'));
    for (let count = 1; count < 32; count += 1) assert.equal(read(decoy), undefined);
    assert.equal(read(member), undefined);
  });

  it('stay limited if they are hostile', () => {
    const shown = JSON.stringify(
      extracted(strrat, settingsWith({ 0: `\u202e${'a.'.repeat(2_000)}`, 8: '__proto__\u202e' })),
    );
    assert.ok(shown.length < 5_000);
    assert.doesNotMatch(shown, /\u202e/);
    assert.match(shown, /__proto__/);
  });

  it('do not fail on hostile files', () => {
    fc.assert(
      fc.property(hostileVariants(member), (bytes) => {
        extracted(strrat, bytes);
      }),
      fuzzSettings(),
    );
  });
});
