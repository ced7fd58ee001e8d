import { createHash, hash } from 'node:crypto';
import type { Constant } from '../formats/dotnet/constants.ts';
import type { Budget } from '../formats/format.ts';
import type { Endpoint, Extraction, Extractor, Recognition } from './extractor.ts';
import {
  listOf,
  MOST_ENDPOINTS,
  otherSettings,
  parseHostPort,
  parsePorts,
  splitList,
} from './shared/addresses.ts';
import { pickTags, switchedOn } from './shared/capability-tags.ts';
import { decrypted } from './shared/ciphers.ts';
import {
  type DotnetSettings,
  hasName,
  type SettingsBlock,
  settingsOf,
  textFields,
} from './shared/dotnet-settings.ts';
import { readableText } from './shared/readable.ts';
import { type SealedField, sealedBlocks } from './shared/sealed-blocks.ts';
import { openSealed } from './shared/sealed-settings.ts';

/**
 * Quasar: a class of static fields, filled by its static constructor, in this order. S is sealed.
 *
 * | field | |
 * |---|---|
 * | VERSION, HOSTS | S |
 * | RECONNECTDELAY, SPECIALFOLDER | numbers |
 * | SUBDIRECTORY, INSTALLNAME | S |
 * | INSTALL, STARTUP | numbers 0 and 1 |
 * | MUTEX, STARTUPKEY | S |
 * | HIDEFILE, ENABLELOGGER | 0 and 1 |
 * | ENCRYPTIONKEY (1.0 to 1.2: PASSWORD) | plain |
 * | TAG, LOGDIRECTORYNAME | S |
 * | SERVERSIGNATURE, SERVERCERTIFICATESTR | S, from 1.4 on |
 *
 * HOSTS is `host:port;host:port;`. From 1.3 on values are sealed as `sealed-settings.ts` says, the password being
 * the text of ENCRYPTIONKEY as it is. Before that there was no MAC:
 *
 *   base64( 16 bytes IV | AES-128-CBC, PKCS #7, UTF-8 inside ), key = MD5 of the password
 *
 * There the paddings and the form of HOSTS are the proof: every value must open to readable text under one key.
 *
 * Reference: https://github.com/quasar/Quasar (the program is open source).
 */
type Role =
  | 'version'
  | 'hosts'
  | 'subdirectory'
  | 'installname'
  | 'mutex'
  | 'startupkey'
  | 'tag'
  | 'logdirectoryname'
  | 'serversignature'
  | 'servercertificatestr';

const SEALED_ROLES: readonly Role[] = [
  ...(['version', 'hosts', 'subdirectory', 'installname', 'mutex', 'startupkey'] as const),
  ...(['tag', 'logdirectoryname', 'serversignature', 'servercertificatestr'] as const),
];
const FEWEST_OPENED = 5;
const LONGEST_PASSWORD = 512;
const IV_BYTES = 16;
const AES_CLASSES = [
  'AesCryptoServiceProvider',
  'AesManaged',
  'RijndaelManaged',
  'Aes',
  'Rijndael',
] as const;
/** Other programs have hosts, too. */
const OWN_NAMES: readonly Role[] = [
  'subdirectory',
  'installname',
  'startupkey',
  'logdirectoryname',
];
const TEMPLATE_NAMES = ['HOSTS', 'SUBDIRECTORY', 'INSTALLNAME', 'STARTUPKEY', 'ENCRYPTIONKEY'];

export const quasar: Extractor = {
  family: 'quasarrat',
  pages: {
    quasarrat: {
      name: 'QuasarRAT',
      reads:
        'hosts with their ports, version, tag, mutex, install folder and file, startup key, log folder, switches, digest of the certificate',
      versions: '1.0 to 1.2 (AES-128, MD5 of the password), 1.3 and 1.4 (PBKDF2), template',
      proof:
        'from 1.3 on HMAC-SHA256 over every value that is told; before, padding and readable text of all values under one key, and the form of the hosts',
      notCovered:
        'clones with plain settings; programs whose texts or code are encrypted by a packer; settings that no constructor stores, or that are compiled into the code as constants; names gone and the order changed',
      references: ['https://github.com/quasar/Quasar'],
    },
  },
  category: 'RAT',
  tags: pickTags('SETTING_INSTALL', 'SETTING_KEYLOGGER'),

  matches: (subject) =>
    hasName(subject, ...AES_CLASSES) &&
    hasName(subject, 'Rfc2898DeriveBytes', 'MD5CryptoServiceProvider', 'MD5'),

  extract(subject, budget) {
    const settings = settingsOf(subject);
    if (settings === undefined) return undefined;
    // Deriving keys takes long, and is in vain where nothing in the program does it.
    const hasMac = hasName(subject, 'Rfc2898DeriveBytes');
    const sealed = hasMac ? openWithMac(settings, budget) : undefined;
    const found = sealed ?? openWithMd5(settings, budget);
    return found === undefined ? recogniseTemplate(settings) : extraction(found);
  },
};

interface Found {
  readonly block: SettingsBlock;
  /** Of fields that were opened, in order. */
  readonly opened: readonly { readonly field: string; readonly text: string }[];
  readonly key: string;
}

function openWithMac(settings: DotnetSettings, budget: Budget): Found | undefined {
  const sealed = openSealed(settings, budget);
  if (sealed === undefined) return undefined;
  const opened = sealed.fields.flatMap(({ field, isSealed, opened: text }) =>
    isSealed ? [{ field, text: text ?? '' }] : [],
  );
  // A value that does not pass is damage, and the order would no longer tell which is which.
  if (sealed.fields.some(({ isSealed, opened: text }) => isSealed && text === undefined))
    return undefined;
  return { block: sealed.block, opened, key: sealed.keyField.text };
}

function openWithMd5(settings: DotnetSettings, budget: Budget): Found | undefined {
  for (const { block, fields, sealed } of sealedBlocks(settings, isSealedForm, FEWEST_OPENED)) {
    for (const keyField of fields.filter(({ text }) => text.length <= LONGEST_PASSWORD)) {
      if (budget.isOver()) return undefined;
      const opened = openAll(
        sealed.filter((field) => field !== keyField),
        createHash('md5').update(keyField.text).digest(),
      );
      if (opened !== undefined) return { block, opened, key: keyField.text };
    }
  }
  return undefined;
}

/** One text that does not open ends the attempt: nearly always it is the first. */
function openAll(sealed: readonly SealedField[], key: Buffer): Found['opened'] | undefined {
  const opened: { field: string; text: string }[] = [];
  for (const { field, bytes } of sealed) {
    const iv = bytes.subarray(0, IV_BYTES);
    const inside = decrypted({ cipher: 'aes-128-cbc', key, iv, bytes: bytes.subarray(IV_BYTES) });
    const value = readableText(inside);
    if (value === undefined) return undefined;
    opened.push({ field, text: value });
  }
  return opened.length >= FEWEST_OPENED ? opened : undefined;
}

function isSealedForm(bytes: Buffer): boolean {
  return bytes.length >= IV_BYTES * 2 && bytes.length % IV_BYTES === 0;
}

function extraction({ block, opened, key }: Found): Extraction | undefined {
  const values = valuesOf(opened);
  const endpoints = endpointsOf(values?.hosts ?? '');
  if (values === undefined || endpoints.length === 0) return undefined;
  const isOn = (name: string) => numberIn(block, name) === 1;
  return {
    version: listOf(values.version)?.[0],
    campaign: listOf(values.tag),
    mutex: listOf(values.mutex),
    endpoints,
    other: otherSettings({
      'Install Folder': values.subdirectory,
      'Install File': values.installname,
      'Startup Key': values.startupkey,
      'Log Folder': values.logdirectoryname,
      'Reconnect Delay': numberIn(block, 'RECONNECTDELAY')?.toString(),
      Key: key,
      'Certificate SHA-256': certificateDigest(values.servercertificatestr),
    }),
    capabilities: switchedOn({
      SETTING_INSTALL: isOn('INSTALL') || isOn('STARTUP'),
      SETTING_KEYLOGGER: isOn('ENABLELOGGER'),
    }),
    offset: block.fields[0]?.offset,
  };
}

/** By name; where names are gone by order, which only counts if version and hosts look like such in their places. */
function valuesOf(opened: Found['opened']): Partial<Record<Role, string>> | undefined {
  const byName = new Map(opened.map(({ field, text }) => [field.toLowerCase(), text]));
  // AsyncRAT seals alike, has a list of ports before the hosts, and its IPv6 addresses look like `host:port`.
  if (byName.has('ports') || parsePorts(opened[0]?.text ?? '') !== undefined) return undefined;
  if (byName.has('hosts') && OWN_NAMES.some((name) => byName.has(name))) {
    return Object.fromEntries(SEALED_ROLES.map((role) => [role, byName.get(role)]));
  }
  const hostsAt = opened.findIndex(({ text }) => isListOfHosts(text));
  const isVersion = /^\D{0,16}\d+(?:\.\d+)+/.test(opened[0]?.text ?? '');
  if (hostsAt !== SEALED_ROLES.indexOf('hosts') || !isVersion) return undefined;
  return Object.fromEntries(SEALED_ROLES.map((role, place) => [role, opened[place]?.text]));
}

/** The client passes over what is no `host:port`, so that one such entry must not hide the others. */
function endpointsOf(hosts: string): Endpoint[] {
  return splitList(hosts, ';')
    .slice(0, MOST_ENDPOINTS)
    .flatMap((entry) => {
      const place = parseHostPort(entry);
      return place === undefined ? [] : [{ protocol: 'tcp', usage: 'c2', ...place }];
    });
}

/** Where no name says what it is, every entry has to. */
function isListOfHosts(text: string): boolean {
  const entries = splitList(text, ';');
  return entries.length > 0 && entries.every((entry) => parseHostPort(entry) !== undefined);
}

function numberIn({ fields }: SettingsBlock, name: string): number | undefined {
  const value: Constant | undefined = fields.find(({ field }) => field === name)?.value;
  return typeof value === 'number' ? value : undefined;
}

function certificateDigest(certificate: string | undefined): string | undefined {
  const bytes = Buffer.from(certificate ?? '', 'base64');
  return bytes.length === 0 ? undefined : hash('sha256', bytes);
}

/** The client as it comes with the builder: every name in its place, every text empty. */
function recogniseTemplate(settings: DotnetSettings): Recognition | undefined {
  const block = settings.blocks.find((one) => {
    const texts = new Map(textFields(one).map(({ field, text }) => [field, text]));
    return TEMPLATE_NAMES.every((name) => texts.get(name) === '');
  });
  if (block === undefined) return undefined;
  return { unread: 'template that was never built', offset: block.fields[0]?.offset };
}
