import { randomBytes } from 'node:crypto';
import type { AttackCase } from '../case.ts';
import { type RequestCase, requestCase } from '../request-case.ts';
import { cookieOf, nameOf, newLink, signIn, spend } from '../sessions.ts';
import type { Role, Target } from '../target.ts';
import { exchange } from '../wire.ts';

const SHA256 = 'a'.repeat(64);
const MARK = 'X-Rapsheet-Request: 1';
const EVIL = 'Origin: https://evil.example';
const CROSS_ORIGIN = { status: 403, code: 'cross_origin', mustNotMatch: /access-control-|rap_/i };
const PARALLEL = 30;
/** Above the 100 bad tokens per minute and address that are answered with 401. */
const GUESSES = 150;

/** A request that a page of another site makes the browser of a signed-in user send. */
function forged(
  name: string,
  headers: readonly string[],
  { as = 'admin', method = 'POST', path = '/api/tokens', body = '{}' }: Forged = {},
): RequestCase {
  return {
    name: `${method} ${path} with a session, ${name}`,
    send: async (target) => ({
      method,
      path,
      headers: [`Cookie: ${await signIn(target, as)}`, ...headers],
      ...(method !== 'GET' && { body }),
    }),
    safe: CROSS_ORIGIN,
  };
}

interface Forged {
  readonly as?: Role;
  readonly method?: string;
  readonly path?: string;
  readonly body?: string;
}

const FORM = 'Content-Type: application/x-www-form-urlencoded';
const MULTIPART = 'Content-Type: multipart/form-data; boundary=b';
const FILE =
  '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nMZ\r\n--b--\r\n';
const IMAGE = ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: no-cors', 'Sec-Fetch-Dest: image'];

const REQUESTS: readonly RequestCase[] = [
  forged('without the header', []),
  forged('with another value of the header', ['X-Rapsheet-Request: true']),
  forged('from another origin', [EVIL, MARK]),
  forged('from an opaque origin', ['Origin: null', MARK]),
  forged('from the same host by another scheme', ['Origin: https://x', MARK]),
  forged('from another site', ['Sec-Fetch-Site: cross-site', MARK]),
  forged('from another host of the site', ['Sec-Fetch-Site: same-site', MARK]),
  forged('as a form', [FORM, EVIL], { path: '/admin/accounts', body: 'name=mallory' }),
  forged('as a form of text', ['Content-Type: text/plain', EVIL], {
    path: '/admin/accounts',
    body: '{"name":"mallory","roles":["admin"],"x":"="}',
  }),
  forged('as a form with a file', [MULTIPART, EVIL], {
    as: 'researcher',
    path: '/private/upload',
    body: FILE,
  }),
  forged('as an image', IMAGE, { method: 'GET', path: `/private/sample/${SHA256}` }),
  forged('as a stream of another origin', [EVIL, MARK], {
    method: 'GET',
    path: '/feed/all/stream',
  }),
  forged('as a sign-out by another page', [EVIL], { method: 'DELETE', path: '/session' }),
  {
    name: 'a sign-in from another origin, which would make the user act for the attacker',
    as: 'reader',
    send: { method: 'POST', path: '/session', headers: [EVIL, MARK] },
    safe: { ...CROSS_ORIGIN, mustNotMatch: /set-cookie/i },
  },
  {
    name: 'a preflight from another origin',
    send: {
      method: 'OPTIONS',
      path: '/api/tokens',
      headers: [
        EVIL,
        'Access-Control-Request-Method: POST',
        `Access-Control-Request-Headers: ${MARK.split(':')[0]}`,
      ],
    },
    safe: { status: 405, mustNotMatch: /access-control-/i },
  },
  {
    name: 'a session of an administrator with the token of a reader',
    as: 'reader',
    send: async (target) => ({
      path: '/admin/accounts',
      headers: [`Cookie: ${await signIn(target, 'admin')}`, MARK],
    }),
    safe: { status: 403, code: 'role_missing' },
  },
  {
    name: 'a session with a bad token, which must not fall back to the session',
    send: async (target) => ({
      path: '/api/balance',
      headers: [`Cookie: ${await signIn(target, 'admin')}`, 'Authorization: rap_bad', MARK],
    }),
    safe: { status: 401, code: 'token_invalid' },
  },
  {
    name: 'the secret of a session as a token',
    send: async (target) => ({
      path: '/api/balance',
      headers: [`Authorization: ${(await signIn(target, 'reader')).split('=')[1]}`],
    }),
    safe: { status: 401, code: 'token_invalid' },
  },
  {
    name: 'a token as the cookie of a session',
    send: ({ tokens }) => ({
      path: '/api/balance',
      headers: [`Cookie: rapsheet_session=${tokens.get('admin')}`, MARK],
    }),
    safe: { status: 401, code: 'session_expired' },
  },
  {
    name: 'an asset outside of the folder of the application',
    send: { path: '/assets/..%2f..%2f..%2f..%2f..%2f..%2fetc%2fpasswd' },
    safe: { status: [400, 404], mustNotMatch: /root:/ },
  },
  {
    name: 'a page with markup in its path',
    send: { path: '/files/%3Cscript%3Ealert(1)%3C/script%3E' },
    safe: {
      status: [200, 503],
      mustMatch: /^content-security-policy: default-src 'none'/im,
      mustNotMatch: /alert\(1\)/,
    },
  },
];

const FIXATION: AttackCase = {
  name: 'a session cookie that the attacker has set in the browser of the victim',
  safe: 'signing in gives a new secret; the old one stays the attacker’s or ends',
  async run(target) {
    const planted = await signIn(target, 'reader');
    const link = await newLink(target, 'owner');
    const cookies = [
      await signIn(target, 'researcher', { cookie: planted }),
      await signIn(target, 'owner', { cookie: planted, link }),
    ];
    const invented = `rapsheet_session=ras_${'a'.repeat(40)}`;
    cookies.push(await signIn(target, 'researcher', { cookie: invented }));
    const names = [await nameOf(target, planted), await nameOf(target, invented)];
    return [
      ...(cookies.some((cookie) => cookie === planted || cookie === invented)
        ? ['the planted secret was kept']
        : []),
      ...(names.some((name) => name !== undefined && name !== 'reader')
        ? [`the planted cookie is the session of ${names.join(', ')}`]
        : []),
    ];
  },
};

const REPLAY: AttackCase = {
  name: `a sign-in link, sent ${PARALLEL} times at once`,
  safe: 'one session',
  async run(target) {
    const link = await newLink(target, 'reader');
    const answers = await Promise.all(Array.from({ length: PARALLEL }, () => spend(target, link)));
    const signedIn = answers.filter(({ status }) => status === 200);
    const refused = answers.filter((answer) => answer.status !== 200);
    const later = await spend(target, link);
    return [
      ...(signedIn.length === 1 ? [] : [`${signedIn.length} sessions were started`]),
      ...(refused.some((answer) => cookieOf(answer).startsWith('rapsheet_session=ras_'))
        ? ['a refusal has a cookie']
        : []),
      ...(later.status === 401 || later.status === 429 ? [] : [`used again: ${later.status}`]),
    ];
  },
};

/** Sends guesses until the server throttles them. Returns the statuses. */
async function guess(
  target: Target,
  attempt: (secret: string) => Promise<Response>,
): Promise<readonly string[]> {
  const statuses: number[] = [];
  for (let count = 0; count < GUESSES; count += 1) {
    const answer = await attempt(randomBytes(30).toString('base64url'));
    await answer.text();
    statuses.push(answer.status);
  }
  const limited = statuses.filter((status) => status === 429).length;
  const own = await nameOf(target, await signIn(target, 'reader'));
  return [
    ...(statuses.some((status) => status < 400) ? ['a guess was accepted'] : []),
    ...(limited >= GUESSES - 100 ? [] : [`only ${limited} of ${GUESSES} guesses were throttled`]),
    ...(own === 'reader' ? [] : ['a valid session on the same address is refused']),
  ];
}

const GUESSED: readonly AttackCase[] = [
  {
    name: `${GUESSES} guessed sign-in links`,
    safe: '429 after 100 of them, and valid sessions still work',
    isLoad: true,
    run: (target) => guess(target, (secret) => spend(target, `ral_${secret}`)),
  },
  {
    name: `${GUESSES} guessed session cookies`,
    safe: '429 after 100 of them, and valid sessions still work',
    isLoad: true,
    run: (target) =>
      guess(target, (secret) =>
        fetch(`${target.server.url}/session`, {
          headers: { cookie: `rapsheet_session=ras_${secret}` },
        }),
      ),
  },
];

const WEBSOCKET: AttackCase = {
  name: 'a WebSocket of another origin with a session',
  safe: '403, and no upgrade',
  isLoad: true,
  settings: { RAPSHEET_COMPAT_WEBSOCKET: '1' },
  async run(target) {
    const cookie = await signIn(target, 'researcher');
    const unsafe: string[] = [];
    for (const foreign of [EVIL, 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Site: same-site']) {
      const lines = [
        `GET /websocket?hash=${SHA256} HTTP/1.1`,
        'Host: x',
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
        `Cookie: ${cookie}`,
        foreign,
      ];
      const { statuses } = await exchange(target.port, `${lines.join('\r\n')}\r\n\r\n`);
      if (statuses.join() !== '403') unsafe.push(`${foreign}: ${statuses.join() || 'no response'}`);
    }
    return unsafe;
  },
};

/** Abuse of the sessions of browsers: by other pages, by guessing, and by replay. */
export const sessions: readonly AttackCase[] = [
  ...REQUESTS.map(requestCase),
  FIXATION,
  REPLAY,
  ...GUESSED,
  WEBSOCKET,
];
