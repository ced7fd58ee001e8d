import assert from 'node:assert/strict';
import type { BrowserContextOptions } from 'playwright-core';

export type StorageState = Exclude<BrowserContextOptions['storageState'], string | undefined>;

/** What a browser holds after signing in with a token: the cookie, and the note of the page. */
export async function newSession(url: string, token: string): Promise<StorageState> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}/session`, { method: 'POST', headers });
  assert.equal(answer.status, 200);
  const [cookie = ''] = answer.headers.getSetCookie();
  const [, name = '', value = ''] = /^([^=]+)=([^;]+)/.exec(cookie) ?? [];
  const { id } = (await answer.json()) as { readonly id: string };
  const { hostname, origin } = new URL(url);
  return {
    cookies: [
      {
        name,
        value,
        domain: hostname,
        path: '/',
        expires: -1,
        httpOnly: true,
        secure: false,
        sameSite: 'Strict',
      },
    ],
    origins: [{ origin, localStorage: [{ name: 'rapsheet.signed-in', value: id }] }],
  };
}
