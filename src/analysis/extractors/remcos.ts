import { hash } from 'node:crypto';
import { trimEndOf } from '../../domain/trim.ts';
import { rc4 } from '../codecs/rc4.ts';
import { readableLine } from '../codecs/readable-text.ts';
import type { Budget } from '../formats/format.ts';
import { isMz } from '../formats/pe/headers.ts';
import { parsePe } from '../formats/pe/pe.ts';
import type { PeResource } from '../formats/pe/resources.ts';
import { printableText } from '../printable-text.ts';
import { Reader } from '../reader.ts';
import type { Subject } from '../subject.ts';
import { pickTags } from './capability-tags.ts';
import { MAX_ENDPOINTS, parsePort } from './endpoints/addresses.ts';
import { agreedSettings } from './endpoints/agreed-settings.ts';
import type { Endpoint, Extraction, Extractor, Recognition } from './extractor.ts';
import { listOf, otherSettings } from './setting-texts.ts';

/**
 * Remcos keeps its settings in the resource SETTINGS of type RCDATA:
 *
 *   key length u8 | key | RC4 of all fields, separated by 7C 1E 1E 1F 7C or 7C 1F 1E 1E 7C
 *
 * | field | content |
 * |---|---|
 * | 0 | servers: `host:port:TLS or password`, separated by 1E, `|` or FF FF FF FF |
 * | 1 | botnet |
 * | 3 | switch: install |
 * | 9, 10, 48 | install path: number of a known folder, file, folder (both UTF-16LE) |
 * | 14 | mutex |
 * | 15 | keylogger: 0 off, 1 all, 2 some windows |
 * | 20, 35, 46 | switches: screenshots, microphone, UAC bypass |
 * | 52 | licence |
 * | 54 to 58 | TLS certificates and keys; their order depends on the version |
 *
 * A switch is on if its field is the byte 1 or the digit `1`; the number of a folder is a byte or a
 * digit, too. The version is a string in the program: `4.9.4 Pro`.
 *
 * References: https://www.elastic.co/security-labs/dissecting-remcos-rat-part-three (and part one),
 * https://www.fortinet.com/blog/threat-research/latest-remcos-rat-phishing
 */
const FIELD = {
  servers: 0,
  botnet: 1,
  isInstalled: 3,
  folderNumber: 9,
  file: 10,
  mutex: 14,
  keylogger: 15,
  screenshots: 20,
  microphone: 35,
  uacBypass: 46,
  folder: 48,
  licence: 52,
  tls: 54,
  behindTls: 59,
} as const;

/** Published analyses disagree on the order of the bytes. */
const DELIMITERS = ['7c1e1e1f7c', '7c1f1e1e7c'].map((hex) => Buffer.from(hex, 'hex'));
/** Fifteen separators of five bytes do not occur by chance, so they prove the key. */
const MIN_FIELDS = FIELD.mutex + 1;
const MAX_FIELDS = 256;
/**
 * Real settings have some kilobytes. The limit is higher, so that padding does not prevent reading.
 */
const MAX_RESOURCE_BYTES = 32 * 1024 * 1024;
const MAX_HOST_LENGTH = 512;
const MAX_SERVERS_BYTES = MAX_ENDPOINTS * 300;

const FOLDERS = [
  '%Temp%',
  '(its own)',
  '%SystemDrive%',
  '%WinDir%',
  '%WinDir%\\System32',
  '%ProgramFiles%',
  '%AppData%',
  '%UserProfile%',
  '%ProgramData%',
];

const tags = {
  ...pickTags('SETTING_INSTALL', 'SETTING_KEYLOGGER', 'SETTING_UAC_BYPASS'),
  SETTING_MICROPHONE: [5, 'Configured to record with the microphone'],
  SETTING_SCREENSHOTS: [5, 'Configured to take screenshots'],
} as const;

type Fields = readonly Buffer[];

export const remcos: Extractor = {
  family: 'remcos',
  category: 'RAT',
  tags,
  pages: {
    remcos: {
      name: 'Remcos',
      reads:
        'servers and ports, botnet, mutex, install path, licence, version, digest of the certificate',
      versions: '2.x to 7.x with the resource SETTINGS, encrypted with RC4',
      proof: 'a separator of five bytes splits the settings into at least fifteen fields',
      notCovered:
        '1.x with other separators; settings that were moved out of the resource; IPv6 addresses without brackets; packed samples',
      references: [
        'https://www.elastic.co/security-labs/dissecting-remcos-rat-part-three',
        'https://www.fortinet.com/blog/threat-research/latest-remcos-rat-phishing',
      ],
    },
  },

  matches: (subject) => isMz(subject.bytes) && resourcesOf(subject).length > 0,

  extract(subject, budget) {
    const read = resourcesOf(subject).flatMap((one) => readResource(subject, one, budget) ?? []);
    return agreedSettings(read);
  },
};

const MAX_RESOURCES = 16;

/** There may be one for each of several languages. */
function resourcesOf(subject: Subject): PeResource[] {
  const resources = subject.as(parsePe)?.resources ?? [];
  return resources
    .filter(({ type, name }) => type === 'RCDATA' && name === 'SETTINGS')
    .slice(0, MAX_RESOURCES);
}

function readResource(
  { bytes }: Subject,
  { offset, size }: PeResource,
  budget: Budget,
): Extraction | Recognition | undefined {
  if (size > MAX_RESOURCE_BYTES || !budget.takeBytes(size)) return undefined;
  const encrypted = new Reader(bytes).slice(offset, size);
  const fields = encrypted && fieldsOf(encrypted);
  if (fields === undefined) return undefined;
  const endpoints = serversOf(fields);
  if (endpoints.length === 0) return { unread: 'the settings name no server', offset };
  return {
    version: versionIn(bytes),
    campaign: listOf(textOf(fields[FIELD.botnet])),
    mutex: listOf(textOf(fields[FIELD.mutex])),
    endpoints,
    other: otherOf(fields),
    capabilities: capabilitiesOf(fields),
    offset,
  };
}

function fieldsOf(encrypted: Buffer): Fields | undefined {
  const keyLength = encrypted[0] ?? 0;
  const key = encrypted.subarray(1, 1 + keyLength);
  const body = encrypted.subarray(1 + keyLength);
  if (keyLength === 0 || body.length === 0) return undefined;
  const plain = rc4(key, body);
  return DELIMITERS.map((delimiter) => split(plain, delimiter, MAX_FIELDS)).find(
    (fields) => fields.length >= MIN_FIELDS,
  );
}

function split(bytes: Buffer, delimiter: Buffer, maxParts: number): Buffer[] {
  const parts: Buffer[] = [];
  let start = 0;
  while (parts.length < maxParts) {
    const end = bytes.indexOf(delimiter, start);
    if (end === -1) break;
    parts.push(bytes.subarray(start, end));
    start = end + delimiter.length;
  }
  return [...parts, bytes.subarray(start)];
}

function serversOf(fields: Fields): Endpoint[] {
  const field = fields[FIELD.servers]?.subarray(0, MAX_SERVERS_BYTES).toString('latin1') ?? '';
  const entries = field
    .replaceAll('\x1e', '|')
    .replaceAll('\xff\xff\xff\xff', '|')
    .split('|', MAX_ENDPOINTS);
  return entries.flatMap(serverOf);
}

/**
 * `host:port:rest`; the rest is a TLS switch, or a password in old versions. The field count has
 * proved the settings, so an invalid host is reported unchanged.
 */
function serverOf(entry: string): Endpoint[] {
  const [, host = '', portText = ''] =
    /^(\[[0-9a-f:.]+\]|[^:]{1,255}):(\d{1,5})(?::|$)/i.exec(entry.trim()) ?? [];
  const port = parsePort(portText);
  if (port === undefined) return [];
  return [{ protocol: 'tcp', usage: 'c2', host: printableText(host, MAX_HOST_LENGTH), port }];
}

function otherOf(fields: Fields): Readonly<Record<string, string>> {
  const installs = isOn(fields[FIELD.isInstalled]);
  return otherSettings({
    'Install Path': installs ? folderOf(fields[FIELD.folderNumber]) : undefined,
    'Install Folder': installs ? wideTextOf(fields[FIELD.folder]) : undefined,
    'Install File': installs ? wideTextOf(fields[FIELD.file]) : undefined,
    License: textOf(fields[FIELD.licence]),
    'Certificate SHA-256': digestOf(fields.slice(FIELD.tls, FIELD.behindTls).find(isCertificate)),
  });
}

function capabilitiesOf(fields: Fields): string[] {
  const keylogger = fields[FIELD.keylogger];
  const switches: Readonly<Record<string, boolean>> = {
    SETTING_INSTALL: isOn(fields[FIELD.isInstalled]),
    SETTING_KEYLOGGER: isOn(keylogger) || isOn(keylogger, 2),
    SETTING_MICROPHONE: isOn(fields[FIELD.microphone]),
    SETTING_SCREENSHOTS: isOn(fields[FIELD.screenshots]),
    SETTING_UAC_BYPASS: isOn(fields[FIELD.uacBypass]),
  };
  return Object.keys(switches).filter((name) => switches[name]);
}

function isOn(field: Buffer | undefined, value = 1): boolean {
  return field?.length === 1 && (field[0] === value || field.toString() === String(value));
}

function textOf(field: Buffer | undefined): string | undefined {
  return field === undefined ? undefined : readableLine(withoutTerminator(field));
}

/** UTF-16LE, or one byte for each character in old versions. Zero bytes and readability decide. */
function wideTextOf(field: Buffer | undefined): string | undefined {
  if (field === undefined || field.length % 2 !== 0) return textOf(field);
  const wide = textOf(Buffer.from(trimEndOf(field.toString('utf16le'), '\0')));
  return hasZeroHighByte(field) ? wide : (textOf(field) ?? wide);
}

/** The last byte is ignored: it may be the terminator of a single-byte text. */
function hasZeroHighByte(field: Buffer): boolean {
  return field.subarray(0, -1).some((byte, index) => byte === 0 && index % 2 === 1);
}

function withoutTerminator(field: Buffer): Buffer {
  const end = field.indexOf(0);
  return end === -1 ? field : field.subarray(0, end);
}

const DIGIT_ZERO = 0x30;

function folderOf(field: Buffer | undefined): string | undefined {
  const number = field?.[0] ?? -1;
  return FOLDERS[number >= DIGIT_ZERO ? number - DIGIT_ZERO : number];
}

/** A DER sequence with a two-byte length. A private key starts with its version, an integer. */
function isCertificate(field: Buffer): boolean {
  return field[0] === 0x30 && field[1] === 0x82 && !(field[4] === 0x02 && field[5] === 0x01);
}

function digestOf(certificate: Buffer | undefined): string | undefined {
  return certificate && hash('sha256', certificate);
}

const EDITIONS = [' Pro\0', ' Free\0', ' Light\0'];
const MAX_ATTEMPTS = 100;

function versionIn(bytes: Buffer): string | undefined {
  for (const edition of EDITIONS) {
    let at = bytes.indexOf(edition, 0, 'latin1');
    for (let tries = 0; at !== -1 && tries < MAX_ATTEMPTS; tries += 1) {
      const before = bytes.toString('latin1', Math.max(0, at - 9), at);
      const version = /(?<![\w.])\d{1,2}\.\d{1,2}\.\d{1,2}$/.exec(before)?.[0];
      if (version !== undefined) return `${version}${edition.slice(0, -1)}`;
      at = bytes.indexOf(edition, at + 1, 'latin1');
    }
  }
  return undefined;
}
