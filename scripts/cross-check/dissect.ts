import { beaconSettings } from './beacon.ts';
import type { Answer, Settings } from './settings.ts';

const PROTOCOLS: Readonly<Record<number, string>> = {
  0: 'HTTP',
  1: 'DNS',
  2: 'SMB',
  4: 'TCP',
  8: 'HTTPS',
  16: 'TCP bind',
};

/** dissect.cobaltstrike has the settings under the names of its enumeration. */
export function dissectSettings(answer: Answer): Settings {
  const setting = (name: string) => answer[`SETTING_${name}`];
  const protocol = setting('PROTOCOL');
  return beaconSettings({
    protocol: typeof protocol === 'number' ? (PROTOCOLS[protocol] ?? protocol) : undefined,
    servers: setting('DOMAINS'),
    port: setting('PORT'),
    sleep: setting('SLEEPTIME'),
    jitter: setting('JITTER'),
    userAgent: setting('USERAGENT'),
    submitUri: setting('SUBMITURI'),
    getVerb: setting('C2_VERB_GET'),
    postVerb: setting('C2_VERB_POST'),
    hostHeader: setting('HOST_HEADER'),
    pipe: setting('PIPENAME'),
    spawnTo32: setting('SPAWNTO_X86'),
    spawnTo64: setting('SPAWNTO_X64'),
    watermark: setting('WATERMARK'),
    killDate: setting('KILLDATE'),
    publicKey: answer['public_key'],
  });
}
