import { createHash, hash } from 'node:crypto';
import { decrypt } from '../codecs/block-ciphers.ts';
import { readableText } from '../codecs/readable-text.ts';
import type { Constant } from '../formats/dotnet/stack-values.ts';
import type { Budget } from '../formats/format.ts';
import { enabledTags, pickTags } from './capability-tags.ts';
import { decryptSettings } from './dotnet-settings/aes256-settings.ts';
import {
  type DotnetSettings,
  type SettingsBlock,
  settingsOf,
  textFields,
} from './dotnet-settings/dotnet-settings.ts';
import { type EncryptedField, encryptedBlocks } from './dotnet-settings/encrypted-blocks.ts';
import { firstUsed } from './dotnet-settings/field-uses.ts';
import { hasName, isDotnet } from './dotnet-settings/metadata-probes.ts';
import { MAX_ENDPOINTS, parseHostPort, parsePorts, splitList } from './endpoints/addresses.ts';
import type { Endpoint, Extraction, Extractor, Recognition } from './extractor.ts';
import { listOf, otherSettings } from './setting-texts.ts';

/**
 * Quasar: a class of static fields that its static constructor sets in this order. E is encrypted.
 *
 * | field | |
 * |---|---|
 * | VERSION, HOSTS | E |
 * | RECONNECTDELAY, SPECIALFOLDER | numbers |
 * | SUBDIRECTORY, INSTALLNAME | E |
 * | INSTALL, STARTUP | numbers 0 and 1 |
 * | MUTEX, STARTUPKEY | E |
 * | HIDEFILE, ENABLELOGGER | 0 and 1 |
 * | ENCRYPTIONKEY (1.0 to 1.2: PASSWORD) | plain |
 * | TAG, LOGDIRECTORYNAME | E |
 * | SERVERSIGNATURE, SERVERCERTIFICATESTR | E, from 1.4 on |
 *
 * HOSTS is `host:port;host:port;`. From 1.3 on values are encrypted as in `aes256-settings.ts`; the
 * password is ENCRYPTIONKEY. Earlier versions have no MAC:
 *
 *   base64( 16 bytes IV | AES-128-CBC (clones: CFB), PKCS #7, UTF-8 ), key = MD5 of the password
 *
 * For these, every value must decrypt to readable text under one key, and HOSTS must have its form.
 *
 * Reference: https://github.com/quasar/Quasar (open source).
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

const ENCRYPTED_ROLES: readonly Role[] = [
  ...(['version', 'hosts', 'subdirectory', 'installname', 'mutex', 'startupkey'] as const),
  ...(['tag', 'logdirectoryname', 'serversignature', 'servercertificatestr'] as const),
];
const MIN_DECRYPTED = 5;
/** The encrypted fields of the first versions. */
const MIN_IN_ORDER = 8;
const MAX_PASSWORD_LENGTH = 512;
const IV_BYTES = 16;
/** CBC, and CFB with a feedback of 128 or 8 bits in clones. */
const CIPHERS_WITHOUT_MAC = ['aes-128-cbc', 'aes-128-cfb', 'aes-128-cfb8'];
const AES_CLASSES = [
  'AesCryptoServiceProvider',
  'AesManaged',
  'RijndaelManaged',
  'Aes',
  'Rijndael',
] as const;
/** Names specific to Quasar; other programs have hosts, too. */
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
      versions:
        '1.0 to 1.2 (AES-128, MD5 of the password), 1.3 and 1.4 (PBKDF2), clones with CFB instead of CBC, template',
      proof:
        'from 1.3 on, HMAC-SHA256 over every reported value; before, padding and readable text of all values with one key, and the form of the hosts; with obfuscated names, version, hosts and install name at their indexes',
      notCovered:
        'clones with plain settings; programs whose strings or code a packer has encrypted; settings that no constructor stores, or that are compiled into the code as constants; obfuscated names in a changed order',
      references: ['https://github.com/quasar/Quasar'],
    },
  },
  category: 'RAT',
  tags: pickTags('SETTING_INSTALL', 'SETTING_KEYLOGGER'),

  // MAC or padding prove the settings, so no name is required: see `asyncrat.ts`.
  matches: isDotnet,

  extract(subject, budget) {
    const settings = settingsOf(subject);
    if (settings === undefined) return undefined;
    const found =
      decryptWithMac(settings, budget) ?? firstUsed(decryptedWithMd5(settings, budget), settings);
    if (found !== undefined) return extraction(found);
    return hasName(subject, ...AES_CLASSES) ? recogniseTemplate(settings) : undefined;
  },
};

interface DecryptedBlock {
  readonly block: SettingsBlock;
  /** The decrypted fields, in order. */
  readonly fields: readonly { readonly field: string; readonly text: string }[];
  readonly key: string;
}

function decryptWithMac(settings: DotnetSettings, budget: Budget): DecryptedBlock | undefined {
  const decrypted = decryptSettings(settings, budget);
  if (decrypted === undefined) return undefined;
  const fields = decrypted.fields.flatMap(({ field, isEncrypted, plain }) =>
    isEncrypted ? [{ field, text: plain ?? '' }] : [],
  );
  // A failed MAC means damage, or other code replaces the value: the order identifies no field.
  if (decrypted.fields.some(({ isEncrypted, plain }) => isEncrypted && plain === undefined))
    return undefined;
  return { block: decrypted.block, fields, key: decrypted.keyField.text };
}

function* decryptedWithMd5(settings: DotnetSettings, budget: Budget): Generator<DecryptedBlock> {
  const blocks = encryptedBlocks(settings, isCiphertext, MIN_DECRYPTED);
  for (const { block, fields, encrypted } of blocks) {
    for (const keyField of fields.filter(({ text }) => text.length <= MAX_PASSWORD_LENGTH)) {
      if (budget.isOver()) return;
      const key = createHash('md5').update(keyField.text).digest();
      const others = encrypted.filter((field) => field !== keyField);
      for (const cipher of CIPHERS_WITHOUT_MAC) {
        const decrypted = decryptAll(others, { cipher, key });
        if (decrypted === undefined || others.some((field) => isReplaced(field, settings)))
          continue;
        yield { block, fields: decrypted, key: keyField.text };
      }
    }
  }
}

function isReplaced(field: EncryptedField, { fieldUses }: DotnetSettings): boolean {
  return fieldUses.isReplaced({ ...field, value: field.text });
}

/** The first failure ends the attempt. Under a wrong key that is nearly always the first value. */
function decryptAll(
  encrypted: readonly EncryptedField[],
  { cipher, key }: { readonly cipher: string; readonly key: Buffer },
): DecryptedBlock['fields'] | undefined {
  const decrypted: { field: string; text: string }[] = [];
  for (const { field, bytes } of encrypted) {
    const iv = bytes.subarray(0, IV_BYTES);
    const text = readableText(decrypt({ cipher, key, iv, bytes: bytes.subarray(IV_BYTES) }));
    if (text === undefined) return undefined;
    decrypted.push({ field, text });
  }
  return decrypted.length >= MIN_DECRYPTED ? decrypted : undefined;
}

function isCiphertext(bytes: Buffer): boolean {
  return bytes.length >= IV_BYTES * 2 && bytes.length % IV_BYTES === 0;
}

function extraction({ block, fields, key }: DecryptedBlock): Extraction | undefined {
  const values = valuesOf(fields);
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
    capabilities: enabledTags({
      SETTING_INSTALL: isOn('INSTALL') || isOn('STARTUP'),
      SETTING_KEYLOGGER: isOn('ENABLELOGGER'),
    }),
    offset: block.fields[0]?.offset,
  };
}

/** By name, else by order, which requires all fields, and that three have their form and index. */
function valuesOf(fields: DecryptedBlock['fields']): Partial<Record<Role, string>> | undefined {
  const byName = new Map(fields.map(({ field, text }) => [field.toLowerCase(), text]));
  // AsyncRAT uses the same encryption and stores ports first; its IPv6 hosts look like `host:port`.
  if (byName.has('ports') || parsePorts(fields[0]?.text ?? '') !== undefined) return undefined;
  if (byName.has('hosts') && OWN_NAMES.some((name) => byName.has(name))) {
    return Object.fromEntries(ENCRYPTED_ROLES.map((role) => [role, byName.get(role)]));
  }
  const values = Object.fromEntries(
    ENCRYPTED_ROLES.map((role, index) => [role, fields[index]?.text]),
  );
  const hostsIndex = fields.findIndex(({ text }) => isListOfHosts(text));
  const isVersion = /^\D{0,16}\d+(?:\.\d+)+/.test(values['version'] ?? '');
  if (hostsIndex !== ENCRYPTED_ROLES.indexOf('hosts') || !isVersion) return undefined;
  // Other programs have a version and a server, too. The builder appends the extension.
  const isInstallName = /\.exe$/i.test(values['installname'] ?? '');
  return isInstallName && fields.length >= MIN_IN_ORDER ? values : undefined;
}

/** The client skips entries that are not `host:port`. */
function endpointsOf(hosts: string): Endpoint[] {
  return splitList(hosts, ';')
    .slice(0, MAX_ENDPOINTS)
    .flatMap((entry) => {
      const address = parseHostPort(entry);
      return address === undefined ? [] : [{ protocol: 'tcp', usage: 'c2', ...address }];
    });
}

/** Without a field name, every entry must be `host:port`. */
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

/** The unbuilt client: all field names, and every text empty. */
function recogniseTemplate(settings: DotnetSettings): Recognition | undefined {
  const block = settings.blocks.find((one) => {
    const texts = new Map(textFields(one).map(({ field, text }) => [field, text]));
    return TEMPLATE_NAMES.every((name) => texts.get(name) === '');
  });
  if (block === undefined) return undefined;
  return { unread: 'template that was never built', offset: block.fields[0]?.offset };
}
