import type { Role, Target } from './target.ts';

const SIGNED_IN = 200;

/** Signs in as a browser does, with `cookie` if it has one already. Returns the new cookie. */
export async function signIn(
  target: Target,
  role: Role,
  { cookie, link }: { readonly cookie?: string; readonly link?: string } = {},
): Promise<string> {
  const answer = await post(target, {
    ...(cookie !== undefined && { cookie }),
    ...(link === undefined && { authorization: target.tokenOf(role) }),
    ...(link !== undefined && { link }),
  });
  if (answer.status !== SIGNED_IN) throw new Error(`signing in failed: ${await answer.text()}`);
  return cookieOf(answer);
}

/** One attempt to sign in with a link. */
export function spend(target: Target, link: string): Promise<Response> {
  return post(target, { link });
}

/** The secret of a new sign-in link for an account. */
export async function newLink(target: Target, account: string): Promise<string> {
  const answer = await target.call('admin', `/admin/accounts/${account}/links`, { method: 'POST' });
  const { link } = (await answer.json()) as { link: string };
  return new URL(link).hash.slice(1);
}

/** Whether the server accepts the session, and whose it is. */
export async function nameOf(target: Target, cookie: string): Promise<string | undefined> {
  const answer = await fetch(`${target.server.url}/session`, { headers: { cookie } });
  const { name } = (await answer.json()) as { name?: string };
  return answer.status === SIGNED_IN ? name : undefined;
}

export function cookieOf(answer: Response): string {
  return (answer.headers.get('set-cookie') ?? '').replace(/;.*$/s, '');
}

interface Attempt {
  readonly cookie?: string;
  readonly authorization?: string;
  readonly link?: string;
}

function post(target: Target, { link, ...credentials }: Attempt): Promise<Response> {
  return fetch(`${target.server.url}/session`, {
    method: 'POST',
    headers: {
      ...credentials,
      'x-rapsheet-request': '1',
      ...(link !== undefined && { 'content-type': 'application/json' }),
    },
    ...(link !== undefined && { body: JSON.stringify({ link }) }),
  });
}
