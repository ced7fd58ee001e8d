import { pbkdf2Sync } from 'node:crypto';
import { base64Bytes } from '../codecs/base64.ts';
import { decrypt } from '../codecs/block-ciphers.ts';
import { readableLine } from '../codecs/readable-text.ts';
import type { Budget } from '../formats/format.ts';
import { enabledTags, isTrue, pickTags } from './capability-tags.ts';
import { deadDrop, eachHostAndPort, isUrl, parsePort } from './endpoints/addresses.ts';
import type { Endpoint, Extractor } from './extractor.ts';
import { otherSettings } from './setting-texts.ts';

/**
 * STRRAT, a Java archive, keeps its settings in the member `<package>/resources/config.txt`:
 *
 *   base64( 00 00 00 10 | 16 bytes IV | AES-128-CBC, PKCS #7 )
 *   key = PBKDF2-HMAC-SHA1( `strigoi`, salt = IV, 65,536 rounds )
 *
 * The plaintext is UTF-8, with `|` between the fields:
 *
 * | field | |
 * |---|---|
 * | 0, 1 | server, port |
 * | 2 | page of the seller's server |
 * | 3, 4 | second server, port |
 * | 5, 6 | `true` if it adds itself to the startup folders |
 * | 7 | `true` if it adds the scheduled task `Skype` |
 * | 8 | licence |
 *
 * If a server is a URL, the program downloads the address from there.
 *
 * The member is the subject: it contains everything but the password, which is the same in all
 * builds. So the settings are also read from an archive that is appended to another file, and from
 * the member alone. In an archive, only a member of that name is read: the program reads no other.
 * The proof is that the text decrypts with the right padding to readable text
 * of at least nine fields with ports and switches at their indexes.
 *
 * References:
 * https://www.jaiminton.com/reverse-engineering/strrat
 * https://forensicitguy.github.io/strrat-attached-to-msi/
 */
const PASSWORD = 'strigoi';
const ROUNDS = 65_536;
const IV_BYTES = 16;
const KEY_BYTES = 16;
/** The length of the IV as a big-endian u32, and the first bits of the IV, in base64. */
const START = /^AAAAE[A-P]/;
const START_LENGTH = 6;
const MEMBER = /(?:^|[\\/])config\.txt$/i;
const HEADER_BYTES = 4 + IV_BYTES;
/** Settings take some hundred characters. The limit bounds what is decoded for another text. */
const MAX_LENGTH = 8_192;
/** Per analysis: each takes tens of milliseconds, and archives may have a thousand members. */
const MAX_DERIVATIONS = 32;
const FIELD = {
  host: 0,
  port: 1,
  page: 2,
  secondHost: 3,
  secondPort: 4,
  startup: 5,
  secondStartup: 6,
  task: 7,
  licence: 8,
} as const;
const MIN_FIELDS = 9;
const SWITCH = /^(?:true|false)$/i;

export const strrat: Extractor = {
  family: 'strrat',
  category: 'RAT',
  tags: pickTags('SETTING_INSTALL', 'SETTING_DEAD_DROP'),
  pages: {
    strrat: {
      name: 'STRRAT',
      reads: 'both servers with their ports, page of the seller, licence, switches of the startup',
      versions: 'builds with the member config.txt; also the member alone, with any name',
      proof:
        'padding and readable text under the password of the family, and at least nine fields with ports and switches at their indexes',
      notCovered:
        'builds with another password or without the member; scripts that carry the archive in their own encoding; archives with more than 32 members of this form',
      references: [
        'https://www.jaiminton.com/reverse-engineering/strrat',
        'https://forensicitguy.github.io/strrat-attached-to-msi/',
      ],
    },
  },

  matches: ({ bytes, depth, name }) =>
    bytes.length <= MAX_LENGTH &&
    START.test(bytes.toString('latin1', 0, START_LENGTH)) &&
    (depth === 0 || MEMBER.test(name)),

  extract({ bytes }, budget) {
    const fields = fieldsOf(bytes, budget);
    if (fields === undefined) return undefined;
    const field = (name: keyof typeof FIELD) => fields[FIELD[name]] ?? '';
    const ports = [parsePort(field('port')), parsePort(field('secondPort'))];
    const switches = [field('startup'), field('secondStartup'), field('task')];
    if (ports.includes(undefined) || !switches.every((text) => SWITCH.test(text))) return undefined;
    const endpoints = [
      ...serverOf(field('host'), ports[0]),
      ...serverOf(field('secondHost'), ports[1]),
      ...pageOf(field('page')),
    ];
    const isDeadDrop = endpoints.some(({ usage }) => usage === 'dead-drop');
    return {
      endpoints,
      other: otherSettings({
        'Run On Startup': String(isTrue(field('startup')) || isTrue(field('secondStartup'))),
        'Scheduled Task': isTrue(field('task')) ? 'Skype' : undefined,
        License: field('licence'),
      }),
      capabilities: enabledTags({
        SETTING_INSTALL: switches.some(isTrue),
        SETTING_DEAD_DROP: isDeadDrop,
      }),
      offset: 0,
    };
  },
};

function fieldsOf(text: Buffer, budget: Budget): readonly string[] | undefined {
  const bytes = base64Bytes(text.toString('latin1').replace(/\s/g, ''));
  if (bytes === undefined || bytes.length <= HEADER_BYTES) return undefined;
  if (bytes.readUInt32BE(0) !== IV_BYTES) return undefined;
  const ciphertext = bytes.subarray(HEADER_BYTES);
  if (ciphertext.length % IV_BYTES !== 0 || !takeDerivation(budget)) return undefined;
  const iv = bytes.subarray(4, HEADER_BYTES);
  const key = pbkdf2Sync(PASSWORD, iv, ROUNDS, KEY_BYTES, 'sha1');
  const plain = decrypt({ cipher: 'aes-128-cbc', key, iv, bytes: ciphertext });
  const fields = plain && readableLine(plain)?.split('|');
  return fields !== undefined && fields.length >= MIN_FIELDS ? fields : undefined;
}

const derivationsLeft = new WeakMap<Budget, number>();

/** Each analysis has one budget. */
function takeDerivation(budget: Budget): boolean {
  const left = derivationsLeft.get(budget) ?? MAX_DERIVATIONS;
  if (left === 0 || budget.isOver()) return false;
  derivationsLeft.set(budget, left - 1);
  return true;
}

/** Nothing for an empty field. */
function serverOf(text: string, port: number | undefined): readonly Endpoint[] {
  const host = text.trim();
  if (host === '') return [];
  return isUrl(host) ? [deadDrop(host)] : eachHostAndPort([host], port === undefined ? [] : [port]);
}

function pageOf(text: string): readonly Endpoint[] {
  const url = text.trim();
  return isUrl(url) ? [{ ...deadDrop(url), usage: 'other' }] : [];
}
