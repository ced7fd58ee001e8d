import assert from 'node:assert/strict';
import type { Answer } from '../contract.ts';
import type { Asked, Rig } from '../http-rig.ts';

const COOKIE = /^(?<name>(?:__Host-)?rapsheet_session)=(?<value>[^;]*)/;

/** A browser with the cookie of one session, on a page of the server. */
export class Browser {
  readonly #rig: Rig;
  readonly #origin: string;
  cookie: string | undefined;

  constructor(rig: Rig, origin = new URL(rig.deps.baseUrl()).origin) {
    this.#rig = rig;
    this.#origin = origin;
  }

  /** What the application sends with every call. */
  headers(): Record<string, string> {
    return {
      'x-rapsheet-request': '1',
      origin: this.#origin,
      'sec-fetch-site': 'same-origin',
      ...(this.cookie !== undefined && { cookie: `theme=dark; ${this.cookie}; other=1` }),
    };
  }

  async ask(method: string, url: string, asked: Asked = {}): Promise<Answer> {
    const headers = { ...this.headers(), ...asked.headers };
    const answer = await this.#rig.ask(method, url, { ...asked, headers });
    const { name, value } = COOKIE.exec(answer.headers['set-cookie'] ?? '')?.groups ?? {};
    if (name !== undefined) this.cookie = value === '' ? undefined : `${name}=${value}`;
    return answer;
  }

  /** Signs in, which must succeed. */
  async signIn(asked: Pick<Asked, 'token' | 'body'>): Promise<Answer> {
    const answer = await this.ask('POST', '/session', asked);
    assert.equal(answer.status, 200, answer.text);
    return answer;
  }

  async isSignedIn(): Promise<boolean> {
    return (await this.ask('GET', '/session')).status === 200;
  }
}

export async function signedIn(rig: Rig, token: string): Promise<Browser> {
  const browser = new Browser(rig);
  await browser.signIn({ token });
  return browser;
}

/** The secret of a new sign-in link. */
export async function newLink(rig: Rig, accountId: string, body: unknown = {}): Promise<string> {
  const url = `/admin/accounts/${accountId}/links`;
  const { status, json, text } = await rig.ask('POST', url, { token: rig.admin, body });
  assert.equal(status, 201, text);
  return new URL(json['link'] as string).hash.slice(1);
}
