import { RapsheetError } from '../../client/error.ts';
import type { CommandOptions } from '../command.ts';

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

/** The prefix of the filters of `desk set`. */
const PREFIXES = ['', 'where-'];

/** What a refusal says of the API, in words of the command line. */
const HINTS: readonly (readonly [api: string, commandLine: string])[] = [
  ['GET /api/balance shows', '`rapsheet balance` shows'],
  ['or null for none', 'or never'],
  [
    'Names are lower-case and matched exactly.',
    'Names are lower-case and matched exactly: `rapsheet services` lists them.',
  ],
];

/** Names the option instead of the member of the API: `--c2 must be` for `c2Address must be`. */
export function inOptionNames(message: string, options: CommandOptions = {}): string {
  const named = message.replace(
    /(?<=^|[.;] )([a-z]\w+)(?=:? (?:must|is|has)\b|: )/gi,
    (member: string) => {
      const name = OPTION_NAMES[member] ?? member;
      const option = PREFIXES.map((prefix) => prefix + name).find((it) =>
        Object.hasOwn(options, it),
      );
      return option === undefined ? member : `--${option}`;
    },
  );
  return HINTS.reduce((text, [api, commandLine]) => text.replace(api, commandLine), named);
}

export function refusalInOptionNames(
  cause: RapsheetError,
  options: CommandOptions | undefined,
): RapsheetError {
  return new RapsheetError(inOptionNames(cause.message, options), cause);
}
