import { hash } from 'node:crypto';
import { readableLine } from '../../codecs/readable-text.ts';
import { searchXored, unXor, type XorHit } from '../../codecs/xor-search.ts';
import type { Budget } from '../../formats/format.ts';
import { printableText } from '../../printable-text.ts';
import type { Subject } from '../../subject.ts';
import { MAX_ENDPOINTS } from '../endpoints/addresses.ts';
import { agreedSettings } from '../endpoints/agreed-settings.ts';
import type { Endpoint, Extraction, Extractor, Recognition } from '../extractor.ts';
import { otherSettings } from '../setting-texts.ts';
import { BEACON_NEEDLES, STAGER_NEEDLES, xorHits } from '../xor-needles.ts';
import { findGuardrails, type Guardrails } from './guardrails.ts';
import { type BeaconSettings, beaconSettingsAt, settingBytes, settingNumber } from './settings.ts';
import { decodeXorChain, findXorChain } from './stage.ts';
import { readStager, STAGER_BYTES } from './stager.ts';

/**
 * A Cobalt Strike beacon has its settings in its data (see `settings.ts`), XORed with 2E (version
 * 4), 69 (version 3) or another byte:
 *
 * | number | content | number | content |
 * |---|---|---|---|
 * | 1 | protocol | 15 | pipe name |
 * | 2 | port | 26, 27 | HTTP verbs |
 * | 3, 5 | sleep in ms, jitter in % | 29, 30 | spawn-to programs, 32-bit and 64-bit |
 * | 7 | public key | 37 | watermark, which identifies the licence |
 * | 8 | "host,/uri,host,/uri" | 40 | kill date, as the number YYYYMMDD |
 * | 9, 10 | user agent, submit URI | 54 | "Host: …" |
 *
 * A stub may encode the beacon (`stage.ts`), and a stager may download it (`stager.ts`). Since 4.8
 * guardrails may encrypt the settings with values of the target machine (`guardrails.ts`).
 *
 * References: https://github.com/Sentinel-One/CobaltStrikeParser (its description),
 * https://blog.didierstevens.com/programs/cobalt-strike-tools/,
 * https://dissect-cobaltstrike.readthedocs.io/
 */
const SETTING = {
  protocol: 1,
  port: 2,
  sleep: 3,
  jitter: 5,
  publicKey: 7,
  servers: 8,
  userAgent: 9,
  submitUri: 10,
  pipe: 15,
  getVerb: 26,
  postVerb: 27,
  spawnTo32: 29,
  spawnTo64: 30,
  watermark: 37,
  killDate: 40,
  hostHeader: 54,
} as const;

/** Settings by type: 1 short, 2 int, 3 bytes. */
const NUMBERS_BY_TYPE: Readonly<Record<number, readonly number[]>> = {
  1: [SETTING.protocol, SETTING.port, SETTING.jitter],
  2: [SETTING.sleep, SETTING.watermark, SETTING.killDate],
  3: [SETTING.publicKey, SETTING.servers, SETTING.userAgent, SETTING.submitUri, SETTING.spawnTo32],
};

const MIN_SETTINGS = 8;
const MAX_HOST_LENGTH = 512;
/** Bounds the decoys. */
const MAX_ATTEMPTS = 1_000;

interface Protocol {
  readonly name: string;
  /** Absent if the beacon waits for connections. */
  readonly protocol?: Endpoint['protocol'];
}

const PROTOCOLS: Readonly<Record<number, Protocol>> = {
  0: { name: 'HTTP', protocol: 'http' },
  1: { name: 'DNS', protocol: 'dns' },
  2: { name: 'SMB' },
  4: { name: 'TCP' },
  8: { name: 'HTTPS', protocol: 'https' },
  16: { name: 'TCP bind' },
};

export const cobaltStrike: Extractor = {
  family: 'cobaltstrike',
  category: 'RAT',
  pages: {
    cobaltstrike: {
      name: 'Cobalt Strike',
      reads:
        'servers, port, URIs, sleep and jitter, user agent, pipe, spawn-to programs, watermark, kill date, MD5 of the public key; of HTTP stagers: server, port, URI, watermark',
      versions:
        '3 and 4 with any XOR byte, plain or behind the XOR stub, also with a user agent or requests of a profile that exceed their nominal size; beacons with guardrails (4.8 and later) if the settings have unused space. Other beacons with guardrails, DNS stagers and pipe stagers are only recognised',
      proof: 'at least eight settings, each with the length of its type, up to the end marker',
      notCovered:
        'settings with a mask of several bytes, or rewritten by a loader; memory dumps with a changed layout of the settings; stages inside other loaders; guardrails with a mask other than 8A; stagers without a user agent. DNS and pipe stagers of old Metasploit versions cannot be distinguished',
      references: [
        'https://blog.didierstevens.com/programs/cobalt-strike-tools/',
        'https://dissect-cobaltstrike.readthedocs.io/',
        'https://decoded.avast.io/threatintel/decoding-cobalt-strike-understanding-payloads/',
      ],
    },
  },

  matches(subject) {
    return (
      xorHits(subject, NEEDLES).length > 0 ||
      subject.as(findXorChain) !== undefined ||
      subject.as(findGuardrails) !== undefined
    );
  },

  extract(subject, budget) {
    const beacons = [
      beaconIn(subject.bytes, xorHits(subject, BEACON_NEEDLES)),
      encodedBeacon(subject, budget),
    ];
    return (
      agreedSettings(beacons.filter((one) => one !== undefined)) ??
      guardrailedBeacon(subject.as(findGuardrails)) ??
      stagerIn(subject)
    );
  },
};

const NEEDLES = [...BEACON_NEEDLES, ...STAGER_NEEDLES];

function beaconIn(bytes: Buffer, hits: readonly XorHit[]): Extraction | Recognition | undefined {
  return agreedSettings(
    hits.slice(0, MAX_ATTEMPTS).flatMap(({ offset, key }) => {
      const settings = beaconSettingsAt(bytes, offset, key);
      if (settings === undefined || settings.size < MIN_SETTINGS) return [];
      return extraction(settings, offset) ?? [];
    }),
  );
}

function encodedBeacon(subject: Subject, budget: Budget): Extraction | Recognition | undefined {
  const chain = subject.as(findXorChain);
  if (chain === undefined || !budget.takeBytes(chain.sizeBytes)) return undefined;
  const program = decodeXorChain(subject.bytes, chain);
  const hits = searchXored(program, BEACON_NEEDLES, { plain: true, maxHits: MAX_ATTEMPTS });
  const found = beaconIn(program, hits) ?? guardrailedBeacon(findGuardrails(program));
  return found && { ...found, offset: chain.offset };
}

function extraction(
  settings: BeaconSettings,
  offset: number,
): Extraction | Recognition | undefined {
  const kind = PROTOCOLS[settingNumber(settings, SETTING.protocol) ?? -1];
  if (kind === undefined || !hasExpectedTypes(settings)) return undefined;
  const pairs = serversOf(settings);
  const port = settingNumber(settings, SETTING.port) || undefined;
  if (kind.protocol !== undefined && pairs.length === 0)
    return { unread: 'the settings name no server', offset };
  const endpoints = kind.protocol === undefined ? [] : endpointsOf(kind.protocol, pairs, port);
  return {
    endpoints,
    other: otherSettings({
      'Beacon Type': kind.name,
      ...(kind.protocol === undefined && { Port: port?.toString() }),
      'C2 URIs': [...new Set(pairs.map(({ uri }) => uri))].join(', '),
      ...otherOf(settings),
    }),
    offset,
  };
}

/** Other lists of numbered values start with the same bytes. */
function hasExpectedTypes(settings: BeaconSettings): boolean {
  return Object.entries(NUMBERS_BY_TYPE).every(([type, numbers]) =>
    numbers.every((number) => (settings.get(number)?.type ?? Number(type)) === Number(type)),
  );
}

interface Server {
  readonly host: string;
  readonly uri: string;
}

/** A host may occur several times, with different URIs. */
function serversOf(settings: BeaconSettings): Server[] {
  const text = textOf(settingBytes(settings, SETTING.servers)) ?? '';
  const parts = text.split(',', MAX_ENDPOINTS * 2).map((part) => part.trim());
  return parts.flatMap((host, index) =>
    index % 2 === 0 && host !== ''
      ? [{ host: printableText(host, MAX_HOST_LENGTH), uri: parts[index + 1] ?? '' }]
      : [],
  );
}

function endpointsOf(
  protocol: Endpoint['protocol'],
  servers: readonly Server[],
  port: number | undefined,
): Endpoint[] {
  const hosts = new Set(servers.map(({ host }) => host));
  return [...hosts].map((host) => ({ protocol, usage: 'c2', host, port }));
}

function otherOf(settings: BeaconSettings): Readonly<Record<string, string | undefined>> {
  const text = (setting: number) => textOf(settingBytes(settings, setting));
  const number = (setting: number) => settingNumber(settings, setting)?.toString();
  return {
    'Sleep Time': number(SETTING.sleep),
    Jitter: number(SETTING.jitter),
    'User Agent': text(SETTING.userAgent),
    'Submit URI': text(SETTING.submitUri),
    'GET Verb': text(SETTING.getVerb),
    'POST Verb': text(SETTING.postVerb),
    'Host Header': text(SETTING.hostHeader),
    'Pipe Name': text(SETTING.pipe),
    'Spawn To x86': text(SETTING.spawnTo32),
    'Spawn To x64': text(SETTING.spawnTo64),
    Watermark: number(SETTING.watermark),
    'Kill Date': killDateOf(settingNumber(settings, SETTING.killDate)),
    'Public Key MD5': publicKeyDigest(settingBytes(settings, SETTING.publicKey)),
  };
}

/** The text before the first zero byte; `undefined` if it is not readable. */
function textOf(value: Buffer | undefined): string | undefined {
  if (value === undefined) return undefined;
  const end = value.indexOf(0);
  return readableLine(end === -1 ? value : value.subarray(0, end))?.trim();
}

function killDateOf(value: number | undefined): string | undefined {
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})$/.exec(String(value ?? 0)) ?? [];
  return year === undefined ? undefined : `${year}-${month}-${day}`;
}

/** Other tools compute the digest without the trailing zeros, too. */
function publicKeyDigest(value: Buffer | undefined): string | undefined {
  if (value === undefined) return undefined;
  let end = value.length;
  while (end > 0 && value[end - 1] === 0) end -= 1;
  return end === 0 ? undefined : hash('md5', value.subarray(0, end));
}

/** The settings if the guardrail key could be recovered, else a recognition. */
function guardrailedBeacon(
  guardrails: Guardrails | undefined,
): Extraction | Recognition | undefined {
  if (guardrails === undefined) return undefined;
  const { settings, conditions, offset } = guardrails;
  const found =
    settings && settings.size >= MIN_SETTINGS ? extraction(settings, offset) : undefined;
  if (found !== undefined && 'endpoints' in found)
    return { ...found, other: { ...found.other, Guardrails: conditions.join(', ') } };
  return {
    unread: 'guardrailed: its settings open only on the machine they are meant for',
    offset,
  };
}

/** The code of a stager ends where the next one starts. */
function stagerIn(subject: Subject): Extraction | Recognition | undefined {
  const hits = xorHits(subject, STAGER_NEEDLES).slice(0, MAX_ATTEMPTS);
  return agreedSettings(
    hits.flatMap(({ offset, key }, index) => {
      const end = Math.min(offset + STAGER_BYTES, hits[index + 1]?.offset ?? subject.bytes.length);
      const found = readStager(unXor(subject.bytes.subarray(offset, end), key));
      return found === undefined ? [] : { ...found, offset };
    }),
  );
}
