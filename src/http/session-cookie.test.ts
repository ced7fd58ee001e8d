import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readSessionCookie, removedCookie, sessionCookie } from './session-cookie.ts';

const HTTP = 'http://127.0.0.1:8080';
const HTTPS = 'https://abuse.example';

describe('the session cookie', () => {
  it('is found among others, by its exact name', () => {
    for (const header of [
      'rapsheet_session=s',
      'a=1; rapsheet_session=s; b=2',
      'a=1;rapsheet_session=s;b=2',
      'rapsheet_session=s; rapsheet_session=other',
      'xrapsheet_session=no; rapsheet_session=s',
    ])
      assert.equal(readSessionCookie(header, HTTP), 's', header);
    for (const header of [
      '',
      '=',
      ';;;',
      'rapsheet_session',
      'Rapsheet_Session=s',
      'a=rapsheet_session=s',
    ])
      assert.equal(readSessionCookie(header, HTTP), undefined, header);
    assert.equal(readSessionCookie('rapsheet_session=', HTTP), '');
  });

  it('needs the prefix over https, so that no other host of the domain can set it', () => {
    assert.equal(readSessionCookie('rapsheet_session=s', HTTPS), undefined);
    assert.equal(readSessionCookie('__Host-rapsheet_session=s', HTTPS), 's');
    assert.equal(readSessionCookie('__Host-rapsheet_session=s', HTTP), undefined);
  });

  it('lasts as long as the session', () => {
    const now = new Date('2026-08-26T10:00:00Z');
    const lasting = (expiresAt: string) =>
      sessionCookie(HTTP, 's', { expiresAt: new Date(expiresAt), now });
    assert.equal(
      lasting('2026-08-26T10:01:00.900Z'),
      'rapsheet_session=s; Max-Age=60; Path=/; HttpOnly; SameSite=Strict',
    );
    assert.match(lasting('2026-08-26T09:00:00Z'), /Max-Age=0;/);
    assert.equal(
      removedCookie(HTTPS),
      '__Host-rapsheet_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict; Secure',
    );
  });
});
