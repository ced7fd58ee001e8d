import { pbkdf2Sync } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { decrypt, decryptBlocks } from '../../codecs/block-ciphers.ts';
import { type DotnetFile, parseDotnet } from '../../formats/dotnet/file.ts';
import { typeLibraryId } from '../../formats/dotnet/traits.ts';
import type { Budget } from '../../formats/format.ts';
import { parsePe } from '../../formats/pe/pe.ts';
import { Reader } from '../../reader.ts';
import type { Subject } from '../../subject.ts';
import { pickTags, switchedOn } from '../capability-tags.ts';
import { settingsOf } from '../dotnet-settings/dotnet-settings.ts';
import { hasName, isDotnet } from '../dotnet-settings/metadata-probes.ts';
import type { Endpoint, Extraction, Extractor } from '../extractor.ts';
import { listOf, otherSettings } from '../setting-texts.ts';
import { readValues, type Value } from './values.ts';

/**
 * NanoCore keeps its settings in the resource RCDATA 1 of the program, or in the embedded resource `Data.bin`:
 *
 * | at | what |
 * |---|---|
 * | 0 | u32 size of the key: 16 (from 1.2 on) or 8 (1.1); of another size it says nothing, and the key is a fixed one |
 * | 4 | the key; of 16 bytes it is wrapped |
 * | then | u32 size of what follows |
 * | then | DES-CBC with the key as IV, padded as PKCS #7 says |
 *
 * The wrapped key opens by AES-128-CBC; IV and key of that are the 32 bytes of PBKDF2-HMAC-SHA1 with eight rounds,
 * password and salt both being the GUID that the assembly gives itself. The first eight bytes of what comes out are
 * the key of DES. Builds of a leaked builder all have the key 722018788c294897. The oldest have no key in front,
 * but one byte, and the fixed key 010305080d152237.
 *
 * Inside: u8 whether packed, then if so u32 size unpacked and a raw deflate stream; then u8, u8 (kind of message),
 * u8 whether a GUID follows (16 bytes), and typed values up to the end (`nanocore-values.ts`), among them pairs of
 * a name and its value.
 *
 * Proof: the padding, the size unpacked, every value of a known type up to the very last byte, and the names.
 *
 * Reference: https://github.com/nict-csl/NanoCoreRAT-Analysis.
 */
const KEY_OF_LEAK = Buffer.from('722018788c294897', 'hex');
const KEY_OF_OLDEST = Buffer.from('010305080d152237', 'hex');
const WRAPPED_BYTES = 16;
const DES_BYTES = 8;
const LONGEST_KEY = 256;
const GUID_ROUNDS = 8;
const MOST_RESOURCES = 16;
const SMALLEST = 64;
/** Plugins lie in it too: some hundred kilobytes each. */
const LARGEST = 32 * 1024 * 1024;
const FEWEST_NAMES = 5;

export const nanocore: Extractor = {
  family: 'nanocore',
  pages: {
    nanocore: {
      name: 'NanoCore',
      reads:
        'hosts, port, version, group, mutex, time of the build, delays, name servers, switches',
      versions:
        '1.0 and 1.1 (key in the resource or fixed), 1.2 (key wrapped with the GUID of the assembly)',
      proof: 'padding, size unpacked, and every value of a known type up to the last byte',
      notCovered: 'programs inside of a packer; plugins are not looked into',
      references: ['https://github.com/nict-csl/NanoCoreRAT-Analysis'],
    },
  },
  category: 'RAT',
  tags: pickTags(
    'SETTING_INSTALL',
    'SETTING_CRITICAL_PROCESS',
    'SETTING_KEYLOGGER',
    'SETTING_UAC_BYPASS',
  ),

  matches: (subject) => isDotnet(subject) && hasName(subject, 'DESCryptoServiceProvider', 'DES'),

  extract(subject, budget) {
    for (const resource of resourcesOf(subject)) {
      if (budget.isOver()) return undefined;
      const values = openResource(resource.bytes, subject.as(parseDotnet), budget);
      const found = values && extraction(values, resource.offset);
      if (found !== undefined) return found;
    }
    return undefined;
  },
};

interface Resource {
  readonly bytes: Buffer;
  readonly offset: number;
}

function resourcesOf(subject: Subject): Resource[] {
  const reader = new Reader(subject.bytes);
  const native = (subject.as(parsePe)?.resources ?? [])
    .filter(({ type }) => type === 'RCDATA')
    .flatMap(({ offset, size }) => {
      const bytes = reader.slice(offset, size);
      return bytes === undefined ? [] : [{ bytes, offset }];
    });
  const embedded = settingsOf(subject)?.resources ?? [];
  return [...native, ...embedded]
    .filter(({ bytes }) => bytes.length >= SMALLEST && bytes.length <= LARGEST)
    .slice(0, MOST_RESOURCES);
}

function openResource(
  bytes: Buffer,
  file: DotnetFile | undefined,
  budget: Budget,
): readonly Value[] | undefined {
  for (const { key, sealed } of keysFor(bytes, file)) {
    const inside = decryptDes(key, sealed);
    const message = inside && unpacked(inside, budget);
    const values = message && readMessage(message);
    if (values !== undefined) return values;
  }
  return undefined;
}

interface Attempt {
  readonly key: Buffer;
  readonly sealed: Buffer;
}

function keysFor(bytes: Buffer, file: DotnetFile | undefined): Attempt[] {
  const reader = new Reader(bytes);
  const keySize = reader.u32(0) ?? 0;
  const oldest = { key: KEY_OF_OLDEST, sealed: bytes.subarray(1) };
  const key = keySize > LONGEST_KEY ? undefined : reader.slice(4, keySize);
  const at = 4 + keySize;
  const sealed = reader.slice(at + 4, reader.u32(at) ?? 0);
  if (key === undefined || sealed === undefined) return [oldest];
  const fixed = { key: KEY_OF_LEAK, sealed };
  if (keySize === DES_BYTES) return [{ key, sealed }];
  if (keySize !== WRAPPED_BYTES) return [fixed, oldest];
  const own = unwrapKey(key, file && typeLibraryId(file));
  return own === undefined ? [fixed] : [{ key: own, sealed }, fixed];
}

/** What stands behind the eight bytes is not asked: settings that open prove the key. */
function unwrapKey(wrapped: Buffer, guid: string | undefined): Buffer | undefined {
  if (guid === undefined) return undefined;
  const secret = guidBytes(guid);
  const stream = pbkdf2Sync(secret, secret, GUID_ROUNDS, 32, 'sha1');
  const [iv, key] = [stream.subarray(0, 16), stream.subarray(16)];
  return decryptBlocks({ cipher: 'aes-128-cbc', key, iv, bytes: wrapped })?.subarray(0, DES_BYTES);
}

/** As .NET has it: the first three groups little-endian. */
function guidBytes(text: string): Buffer {
  const bytes = Buffer.from(text.replaceAll('-', ''), 'hex');
  for (const [from, to] of [
    [0, 4],
    [4, 6],
    [6, 8],
  ])
    bytes.subarray(from, to).reverse();
  return bytes;
}

/** Single DES has left OpenSSL; three times the same key is the same thing. */
function decryptDes(key: Buffer, bytes: Buffer): Buffer | undefined {
  if (key.length !== DES_BYTES || bytes.length === 0 || bytes.length % DES_BYTES !== 0)
    return undefined;
  return decrypt({ cipher: 'des-ede3-cbc', key: Buffer.concat([key, key, key]), iv: key, bytes });
}

function unpacked(inside: Buffer, budget: Budget): Buffer | undefined {
  if (inside[0] === 0) return inside.subarray(1);
  const size = new Reader(inside).u32(1) ?? 0;
  if (inside[0] !== 1 || size === 0 || size > LARGEST || !budget.takeBytes(size)) return undefined;
  try {
    const bytes = inflateRawSync(inside.subarray(5), { maxOutputLength: size });
    return bytes.length === size ? bytes : undefined;
  } catch {
    // Damaged, or longer than it says: zlib has no other way to tell.
    return undefined;
  }
}

function readMessage(message: Buffer): readonly Value[] | undefined {
  const hasGuid = message[2];
  if (hasGuid !== 0 && hasGuid !== 1) return undefined;
  return readValues(new Reader(message), hasGuid === 1 ? 19 : 3);
}

/** Names of 1.1 and 1.2, and those of the oldest. */
const NAMES: readonly string[] = [
  ...['BuildTime', 'Version', 'Mutex', 'DefaultGroup', 'PrimaryConnectionHost'],
  ...['BackupConnectionHost', 'ConnectionPort', 'RunOnStartup', 'RequestElevation'],
  ...['BypassUserAccountControl', 'ClearZoneIdentifier', 'ClearAccessControl'],
  ...['SetCriticalProcess', 'PreventSystemSleep', 'ActivateAwayMode', 'EnableDebugMode'],
  ...['RunDelay', 'ConnectDelay', 'RestartDelay', 'KeyboardLogging', 'UseCustomDnsServer'],
  ...['PrimaryDnsServer', 'BackupDnsServer'],
  ...['HOST', 'PORT', 'GROUP', 'DELAY', 'OFFLINE_KEYLOGGING'],
];

/** Names that stand before a value of their own; plugins among the values have other texts. */
function pairsOf(values: readonly Value[]): ReadonlyMap<string, Value> {
  const names = new Set(NAMES);
  const pairs = new Map<string, Value>();
  for (const [place, { type, text }] of values.entries()) {
    const value = values[place + 1];
    if (type === 'string' && names.has(text) && value !== undefined) pairs.set(text, value);
  }
  return pairs;
}

function extraction(values: readonly Value[], offset: number): Extraction | undefined {
  const pairs = pairsOf(values);
  const text = (...names: readonly string[]) =>
    names.map((name) => pairs.get(name)?.text).find((one) => one !== undefined);
  const port = pairs.get('ConnectionPort') ?? pairs.get('PORT');
  const hosts = ['PrimaryConnectionHost', 'HOST', 'BackupConnectionHost'].flatMap(
    (name) => pairs.get(name) ?? [],
  );
  if (pairs.size < FEWEST_NAMES || port?.type !== 'number' || hosts.length === 0) return undefined;
  const isOn = (name: string) => pairs.get(name)?.text === 'True';
  return {
    version: listOf(text('Version'))?.[0],
    campaign: listOf(text('DefaultGroup', 'GROUP')),
    mutex: listOf(text('Mutex')),
    endpoints: endpointsOf(hosts, Number(port.text)),
    other: otherSettings({
      'Build Time': text('BuildTime'),
      'Run On Startup': text('RunOnStartup'),
      'Request Elevation': text('RequestElevation'),
      'Bypass UAC': text('BypassUserAccountControl'),
      'Clear Zone Identifier': text('ClearZoneIdentifier'),
      'Critical Process': text('SetCriticalProcess'),
      'Keyboard Logging': text('KeyboardLogging', 'OFFLINE_KEYLOGGING'),
      'Connect Delay': text('ConnectDelay', 'DELAY'),
      'Restart Delay': text('RestartDelay'),
      'Primary DNS': text('PrimaryDnsServer'),
      'Backup DNS': text('BackupDnsServer'),
    }),
    capabilities: switchedOn({
      SETTING_INSTALL: isOn('RunOnStartup'),
      SETTING_CRITICAL_PROCESS: isOn('SetCriticalProcess'),
      SETTING_KEYLOGGER: isOn('KeyboardLogging') || isOn('OFFLINE_KEYLOGGING'),
      SETTING_UAC_BYPASS: isOn('BypassUserAccountControl'),
    }),
    offset,
  };
}

function endpointsOf(hosts: readonly Value[], port: number): Endpoint[] {
  const named = hosts.map(({ text }) => text.trim()).filter((host) => host !== '');
  return [...new Set(named)].map((host) => ({ protocol: 'tcp', usage: 'c2', host, port }));
}
