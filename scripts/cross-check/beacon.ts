import { hash } from 'node:crypto';
import { addressesOf, type Settings, textsOf } from './settings.ts';

/** The settings of a Cobalt Strike beacon as a parser names them. */
interface Beacon {
  readonly protocol: unknown;
  /** `host,/uri,host,/uri`. */
  readonly servers: unknown;
  readonly port: unknown;
  readonly sleep: unknown;
  readonly jitter: unknown;
  readonly userAgent: unknown;
  readonly submitUri: unknown;
  readonly getVerb: unknown;
  readonly postVerb: unknown;
  readonly hostHeader: unknown;
  readonly pipe: unknown;
  readonly spawnTo32: unknown;
  readonly spawnTo64: unknown;
  readonly watermark: unknown;
  readonly killDate: unknown;
  /** As hexadecimal digits, with or without its padding. */
  readonly publicKey: unknown;
}

export function beaconSettings(beacon: Beacon): Settings {
  const [pairs = ''] = textsOf(beacon.servers);
  const parts = pairs.split(',').filter((part) => part !== '');
  return {
    'Beacon Type': textsOf(beacon.protocol),
    C2s: addressesOf(
      parts.filter((_, index) => index % 2 === 0),
      textsOf(beacon.port),
    ),
    'C2 URIs': parts.filter((_, index) => index % 2 === 1),
    'Sleep Time': textsOf(beacon.sleep),
    Jitter: textsOf(beacon.jitter),
    'User Agent': textsOf(beacon.userAgent),
    'Submit URI': textsOf(beacon.submitUri),
    'GET Verb': textsOf(beacon.getVerb),
    'POST Verb': textsOf(beacon.postVerb),
    'Host Header': textsOf(beacon.hostHeader),
    'Pipe Name': textsOf(beacon.pipe),
    'Spawn To x86': textsOf(beacon.spawnTo32),
    'Spawn To x64': textsOf(beacon.spawnTo64),
    Watermark: textsOf(beacon.watermark),
    'Kill Date': textsOf(beacon.killDate).map(dateOf).filter(isDate),
    'Public Key MD5': textsOf(beacon.publicKey).map(digestOf),
  };
}

/** `20271231` as `2027-12-31`. */
function dateOf(text: string): string {
  return text.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3');
}

/** Without a kill date, the setting is 0. */
function isDate(text: string): boolean {
  return text !== '0';
}

/** Over the key without the zeros that fill its setting. */
function digestOf(hex: string): string {
  const bytes = Buffer.from(hex, 'hex');
  return hash('md5', bytes.subarray(0, bytes.findLastIndex((byte) => byte !== 0) + 1));
}
