import type { Subject } from '../subject.ts';
import { hasLiteral, literals } from './dotnet-settings/metadata-probes.ts';
import type { Extraction, FamilyPage } from './extractor.ts';

/**
 * Keyloggers with the code of Snake Keylogger: the same channels, markers and encryption. The proof
 * of `snake.ts` holds for all of them and cannot tell them apart. The name does, which each writes
 * into its logs and into the subject of its mails (`Pc Name: … | VIP Recovery`):
 *
 * | family | literal that contains |
 * |---|---|
 * | Snake Keylogger | `Snake Keylogger`, `Snake Tracker` |
 * | VIP Keylogger | `VIP Recovery`, `VIP Keylogger` |
 * | MassLogger | `MassLogger` |
 *
 * A program with the markers and no name is Snake Keylogger, whose markers they are. A program with
 * the names of several families is also reported as Snake Keylogger, together with these names.
 *
 * References:
 * https://note.f5.pm/go-356132.html
 * https://www.forcepoint.com/blog/x-labs/vipkeylogger-infostealer-malware
 * https://fr3d.hk/blog/masslogger-frankenstein-s-creation
 */
interface Namesake {
  /** `undefined` for Snake Keylogger, the extractor's own family. */
  readonly family: string | undefined;
  readonly name: string;
  readonly literals: readonly Buffer[];
}

const NAMESAKES: readonly Namesake[] = [
  {
    family: undefined,
    name: 'Snake Keylogger',
    literals: literals('Snake Keylogger', 'Snake Tracker'),
  },
  {
    family: 'vip_keylogger',
    name: 'VIP Keylogger',
    literals: literals('VIP Recovery', 'VIP Keylogger'),
  },
  { family: 'masslogger', name: 'MassLogger', literals: literals('MassLogger') },
];

/** The names of all these families, as literals. */
export const KIN_LITERALS: readonly Buffer[] = NAMESAKES.flatMap((one) => one.literals);

const READS =
  'SMTP host, port, account and recipient; FTP address and account; Telegram bot and chat';
const PROOF =
  'as for Snake Keylogger, padding and readable text of the values with one key, and the expected form of each; the name among the literals decides the family';

export const kinPages: Readonly<Record<string, FamilyPage>> = {
  vip_keylogger: {
    name: 'VIP Keylogger',
    reads: READS,
    versions:
      'builds with the name of the family among their literals; settings encrypted with DES as in Snake Keylogger, or plain with its markers',
    proof: PROOF,
    notCovered:
      'packed builds; encrypted literals; other encryptions of the settings; plain settings without a marker of Snake Keylogger',
    references: [
      'https://note.f5.pm/go-356132.html',
      'https://www.forcepoint.com/blog/x-labs/vipkeylogger-infostealer-malware',
    ],
  },
  masslogger: {
    name: 'MassLogger',
    reads: READS,
    versions:
      'builds with the code of Snake Keylogger and the name of the family among their literals; a rule recognises the texts of 1.x to 3.x',
    proof: PROOF,
    notCovered:
      'the settings of 1.x to 3.x, whose encryption we have no detailed description of; packed builds; encrypted literals',
    references: ['https://fr3d.hk/blog/masslogger-frankenstein-s-creation'],
  },
};

/** The family of a program that has the settings, by the names among its literals. */
export function namedFamily(subject: Subject): Pick<Extraction, 'family' | 'other'> {
  const named = NAMESAKES.filter((one) => hasLiteral(subject, one.literals));
  if (named.length > 1)
    return { other: { 'Family Names': named.map(({ name }) => name).join(', ') } };
  const family = named[0]?.family;
  return family === undefined ? {} : { family };
}
