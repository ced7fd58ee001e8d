import { trimEndOf } from '../../domain/trim.ts';
import { CommandError, EXIT } from '../command.ts';

/** Reads `--url`. The text is not quoted with its password, which it may contain by mistake. */
export function readServerUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && isBase(url))
    return trimEndOf(url.href, '/');
  const example = `http://${text}`;
  const lacksScheme = !/^[a-z]+:\/\//i.test(text) && URL.canParse(example);
  const hint = lacksScheme && isBase(new URL(example)) ? `, such as ${example}` : '';
  throw new CommandError(
    lacksScheme
      ? `--url must begin with http:// or https://${hint}`
      : '--url must be an http or https URL without user name, password and query',
    EXIT.usage,
  );
}

function isBase({ username, password, search, hash }: URL): boolean {
  return username + password + search + hash === '';
}

/** Scheme, host and port: a token for one origin is not sent to another. */
export function isSameOrigin(one: string, other: string): boolean {
  return new URL(one).origin === new URL(other).origin;
}

/** Whether the server is on this machine. */
export function isLocalServer(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
