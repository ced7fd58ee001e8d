import { RapsheetError } from '../../client/error.ts';
import type { Command } from '../command.ts';
import { connectionOptions } from '../options/connection-options.ts';

type Described = Pick<Command, 'options' | 'arguments'>;

/** The members and parameters of the API whose option has another name. */
const OPTION_NAMES: Readonly<Record<string, string>> = {
  c2Address: 'c2',
  file256Hash: 'hash',
  referenceLink: 'link',
  confidenceScore: 'confidence',
  tags: 'tag',
  created_after: 'since',
  created_before: 'until',
  min_confidence: 'min-confidence',
  expiresAt: 'expires',
};

/** The parameters of the API whose argument has another name. */
const ARGUMENT_NAMES: Readonly<Record<string, string>> = { report: 'id', q: 'text' };

/** The prefix of the filters of `report set`. */
const PREFIXES = ['', 'where-'];

/** What a refusal says of the API, in words of the command line. */
const HINTS: readonly (readonly [api: string, commandLine: string])[] = [
  ['GET /api/balance shows', '`rapsheet usage show --balance` shows'],
  ['or null for none', 'or never'],
  [', given once.', '.'],
  ['The ssdeep value must', '--ssdeep must'],
  ['The tlsh value must', '--tlsh must'],
  [' Send either ssdeep or tlsh.', ''],
  [
    'Names are lower-case and matched exactly.',
    'Names are lower-case and matched exactly: `rapsheet service list` lists them.',
  ],
];

/**
 * Names the option or the argument instead of the member of the API: `--c2 must be` for
 * `c2Address must be`.
 */
export function inCommandTerms(message: string, command: Described = {}): string {
  const named = message.replace(
    /(^|[.;] )([a-z]\w{0,63})(: | must\b| is\b| has\b)/gi,
    (_, before: string, member: string, after: string) =>
      `${before}${nameIn(command, member)}${after}`,
  );
  return HINTS.reduce((text, [api, commandLine]) => text.replace(api, commandLine), named);
}

function nameIn({ options = {}, arguments: described = {} }: Described, member: string): string {
  const name = OPTION_NAMES[member] ?? member;
  const option = PREFIXES.map((prefix) => prefix + name).find(
    // The member `url` of a webhook is not the address of the server.
    (it) => Object.hasOwn(options, it) && !Object.hasOwn(connectionOptions, it),
  );
  if (option !== undefined) return `--${option}`;
  const argument = `<${ARGUMENT_NAMES[member] ?? member}>`;
  const isDescribed = [argument, `${argument}…`].some((it) => Object.hasOwn(described, it));
  return isDescribed ? argument : member;
}

export function refusalInCommandTerms(cause: RapsheetError, command: Command): RapsheetError {
  return new RapsheetError(inCommandTerms(cause.message, command), cause);
}
