import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { xarfProblems } from '../../../test/exports/xarf-schema.ts';
import { parseUuid } from '../../domain/uuid.ts';
import { contactOf, type XarfReport, xarfIdOf, xarfOf } from './xarf-object.ts';

const REPORT: XarfReport = {
  id: '01890a5d-ac96-774b-bcce-b302099a8057',
  name: 'AsyncRAT',
  tags: ['AsyncRAT', 'rat', 'Campaign 7'],
  c2: { host: 'tunnel.ply.example', port: 4444 },
  sha256: '275a021bbfb6489e54d471899f7db9d1663fc695ec2fe2a2c4538aabf651fd0f',
  reportedBy: 'ada',
  reportedAt: '2026-11-16T10:00:00.000Z',
  reference: 'https://research.example/asyncrat',
  confidence: 4,
  confirmation: 'unknown',
};
const CONTEXT = { confidenceScale: 5, contact: 'abuse@feeds.example' };

describe('the XARF object of a report', () => {
  it('follows the schema', () => {
    const object = xarfOf(REPORT, CONTEXT);
    assert.deepEqual(xarfProblems(object), []);
    assert.equal(object.source_identifier, 'tunnel.ply.example');
    assert.equal(object.source_port, 4444);
    assert.deepEqual(object.sender, {
      org: 'Rapsheet',
      contact: 'abuse@feeds.example',
      domain: 'feeds.example',
    });
  });

  it('has the confidence on the scale from 0 to 1', () => {
    assert.equal(xarfOf(REPORT, CONTEXT).confidence, 0.8);
    assert.equal(
      xarfOf({ ...REPORT, confidence: 1 }, { ...CONTEXT, confidenceScale: 3 }).confidence,
      0.3333,
    );
    assert.equal(
      xarfOf({ ...REPORT, confidence: 100 }, { ...CONTEXT, confidenceScale: 100 }).confidence,
      1,
    );
  });

  it('has an id that depends on the report alone', () => {
    const id = xarfIdOf(REPORT.id);
    assert.equal(id, xarfIdOf(REPORT.id));
    assert.notEqual(id, xarfIdOf('01890a5d-ac96-774b-bcce-b302099a8058'));
    assert.equal(parseUuid(id), id);
    assert.equal(id.charAt(14), '4');
  });

  it('has tags with a namespace, first the file and the name', () => {
    assert.deepEqual(xarfOf(REPORT, CONTEXT).tags, [
      `sha256:${REPORT.sha256}`,
      'malware:asyncrat',
      'custom:rat',
      'custom:campaign-7',
    ]);
  });

  it('states the capabilities that its tags name, each once', () => {
    const capabilities = (...tags: string[]) =>
      xarfOf({ ...REPORT, tags }, CONTEXT).bot_capabilities;
    assert.deepEqual(capabilities('AsyncRAT', 'RAT', 'backdoor', 'keylogger'), [
      'remote_shell',
      'keylogger',
    ]);
    assert.deepEqual(capabilities('Campaign 7', '__proto__'), []);
  });

  it('calls the family of an unnamed report unknown', () => {
    const object = xarfOf({ ...REPORT, name: 'unknown', tags: [] }, CONTEXT);
    assert.equal(object.malware_family, 'unknown');
    assert.deepEqual(object.tags, [`sha256:${REPORT.sha256}`]);
    assert.deepEqual(xarfProblems(object), []);
  });

  it('follows the schema whatever the text of a report is', () => {
    const hostile = [
      'x\r\nBcc: all@evil.example',
      '=cmd()',
      '"},{"',
      '日本',
      '😀'.repeat(64),
      '..',
      '-',
    ];
    const many = Array.from({ length: 32 }, (_, index) => `tag ${index}`);
    for (const text of [...hostile, '\u2028']) {
      const tags = [text, ...hostile, ...many].slice(0, 32);
      const object = xarfOf(
        { ...REPORT, name: `a ${text}`, tags, reportedBy: `b ${text}` },
        CONTEXT,
      );
      assert.deepEqual(xarfProblems(object), [], text);
      const { evidence: _, ...shown } = object;
      assert.doesNotMatch(JSON.stringify(shown), /\\r|\\n|\u2028/);
    }
  });

  it('has an IPv6 address without brackets', () => {
    const object = xarfOf({ ...REPORT, c2: { host: '2001:db8::7', port: 443 } }, CONTEXT);
    assert.equal(object.source_identifier, '2001:db8::7');
    assert.match(object.compromise_evidence, /\[2001:db8::7\]:443/);
  });
});

describe('the contact in an XARF object', () => {
  it('is the configured one, else one at the host of the server', () => {
    assert.equal(contactOf('abuse@feeds.example', 'https://x.example'), 'abuse@feeds.example');
    assert.equal(contactOf(undefined, 'https://x.example:8443/base'), 'noreply@x.example');
    assert.equal(contactOf(undefined, 'http://127.0.0.1:8080'), 'noreply@rapsheet.invalid');
    assert.equal(contactOf(undefined, 'http://[::1]:8080'), 'noreply@rapsheet.invalid');
  });
});
