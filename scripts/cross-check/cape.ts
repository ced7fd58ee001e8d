import { beaconSettings } from './beacon.ts';
import {
  type Answer,
  addressesOf,
  addressOf,
  isAnswer,
  type Settings,
  textsOf,
  urlsOf,
} from './settings.ts';

/**
 * CAPE-parsers has a module for each family. Most answers have the members `CNCs`, `campaign`,
 * `botnet`, `version` and `mutex`, and the others in `raw`.
 */
interface CapeModule {
  readonly module: string;
  read(answer: Answer, raw: Answer): Settings;
}

const SNAKE: CapeModule = { module: 'community.Snake', read: readSnake };

/** Families that it reads with rat_king_parser are left out: that would be one opinion twice. */
const MODULES: Readonly<Record<string, CapeModule>> = {
  AgentTesla: { module: 'community.AgentTesla', read: readUploads },
  Amadey: {
    module: 'community.Amadey',
    read: (answer, raw) => ({
      ...readServers(answer),
      Version: textsOf(answer['version']),
      'Install Folder': textsOf(raw['install_dir']),
      'Install File': textsOf(raw['install_file']),
    }),
  },
  'Cobalt Strike': { module: 'community.CobaltStrikeBeacon', read: (_, raw) => readBeacon(raw) },
  'Cobalt Strike stager': {
    module: 'community.CobaltStrikeStager',
    read: (_, raw) => readStager(raw),
  },
  Lumma: { module: 'community.Lumma', read: readServers },
  NanoCore: {
    module: 'community.NanoCore',
    read: (answer, raw) => ({
      ...readCommon(answer),
      'Connect Delay': textsOf(raw['ConnectDelay']),
      'Restart Delay': textsOf(raw['RestartDelay']),
      'Keyboard Logging': textsOf(raw['KeyboardLogging']),
      'Primary DNS': textsOf(raw['PrimaryDnsServer']),
      'Backup DNS': textsOf(raw['BackupDnsServer']),
    }),
  },
  njRAT: {
    module: 'community.Njrat',
    read: (answer) => ({
      ...readServers(answer),
      Campaign: textsOf(answer['campaign']),
      Version: textsOf(answer['version']),
    }),
  },
  RedLine: {
    module: 'core.RedLine',
    read: (answer) => ({
      C2s: textsOf(answer['CNCs'])
        .flatMap((text) => text.split('|'))
        .map(addressOf),
      Campaign: textsOf(answer['botnet']),
    }),
  },
  Remcos: {
    module: 'core.Remcos',
    read: (answer, raw) => ({
      ...readServers(answer),
      Version: textsOf(answer['version']),
      Campaign: textsOf(raw['Botnet']),
      Mutex: textsOf(raw['Mutex']),
      License: textsOf(raw['License']).filter((text) => text !== 'Disable'),
    }),
  },
  STRRAT: { module: 'core.Strrat', read: readStrrat },
  'Snake Keylogger': SNAKE,
  'VIP Keylogger': SNAKE,
  MassLogger: SNAKE,
  Vidar: {
    module: 'community.Vidar',
    read: (answer) => ({ 'Dead Drops': textsOf(answer['CNCs']) }),
  },
  Winos: {
    module: 'community.WinosStager',
    read: (answer, raw) => ({
      ...readServers(answer),
      Version: textsOf(answer['version']),
      Campaign: textsOf(answer['campaign']),
      Comment: textsOf(raw['comment']),
    }),
  },
  StealC: {
    module: 'community.Stealc',
    read: (answer) => ({ ...readServers(answer), Campaign: textsOf(answer['botnet']) }),
  },
};

export function capeModule(family: string): string | undefined {
  return MODULES[family]?.module;
}

export function capeSettings(answer: Answer, family: string): Settings | undefined {
  const raw = isAnswer(answer['raw']) ? answer['raw'] : {};
  return MODULES[family]?.read(answer, raw);
}

function readServers(answer: Answer): Settings {
  const servers = textsOf(answer['CNCs']);
  return { C2s: servers.map(addressOf), URLs: urlsOf(servers) };
}

function readCommon(answer: Answer): Settings {
  return {
    ...readServers(answer),
    Version: textsOf(answer['version']),
    Campaign: textsOf(answer['campaign']),
    Mutex: textsOf(answer['mutex']),
  };
}

/** Mail and file servers have the account before an `@`, and accounts have one, too. */
function readUploads(answer: Answer): Settings {
  const targets = textsOf(answer['CNCs']).map((text) => {
    const target = text.slice(text.lastIndexOf('@') + 1);
    return text.startsWith('smtp://') ? addressOf(target.replace('smtp://', '')) : target;
  });
  return { Uploads: targets };
}

function readStager(raw: Answer): Settings {
  const headers = isAnswer(raw['headers']) ? raw['headers'] : {};
  return {
    C2s: addressesOf(textsOf(raw['netloc']), textsOf(raw['port'])),
    'C2 URIs': textsOf(raw['path']),
    'User Agent': textsOf(headers['User-Agent']),
    Watermark: textsOf(raw['watermark']),
  };
}

function readSnake(answer: Answer, raw: Answer): Settings {
  const of = (type: string) => (raw['Type'] === type ? raw : {});
  const [bot, chat] = textsOf(answer['CNCs']).flatMap((text) => text.split('sendMessage?chat_id='));
  const isBot = raw['Type'] === 'Telegram';
  return {
    Uploads: [
      ...addressesOf(textsOf(of('SMTP')['Host']), textsOf(of('SMTP')['Port'])),
      ...textsOf(of('FTP')['Host']),
      ...(isBot ? textsOf(bot) : []),
    ],
    'SMTP User': textsOf(of('SMTP')['From Address']),
    'SMTP Password': textsOf(of('SMTP')['Password']),
    'SMTP Recipient': textsOf(of('SMTP')['To Address']),
    'FTP User': textsOf(of('FTP')['Username']),
    'FTP Password': textsOf(of('FTP')['Password']),
    'Telegram Chat ID': isBot ? textsOf(chat) : [],
  };
}

/** One text: `host|port|page|host|port|…|licence`. */
function readStrrat({ raw }: Answer): Settings {
  const parts = textsOf(raw).flatMap((text) => text.split('|'));
  const [host = '', port = '', page = '', host2 = '', port2 = ''] = parts;
  const isPage = host.includes('://');
  return {
    C2s: [...(isPage ? [] : addressesOf([host], [port])), ...addressesOf([host2], [port2])].filter(
      (text) => text !== ':',
    ),
    'Dead Drops': isPage ? [host] : [],
    'Other Addresses': textsOf(page),
    License: textsOf(parts[8]),
  };
}

/** Settings that are absent have this value. */
const ABSENT = 'Not Found';

function readBeacon(raw: Answer): Settings {
  const found = (name: string) => (raw[name] === ABSENT ? undefined : raw[name]);
  return beaconSettings({
    protocol: found('BeaconType'),
    servers: found('C2Server'),
    port: found('Port'),
    sleep: found('SleepTime'),
    jitter: found('Jitter'),
    userAgent: found('UserAgent'),
    submitUri: found('HttpPostUri'),
    getVerb: found('HttpGet_Verb'),
    postVerb: found('HttpPost_Verb'),
    hostHeader: found('HostHeader'),
    pipe: found('PipeName'),
    spawnTo32: found('Spawnto_x86'),
    spawnTo64: found('Spawnto_x64'),
    watermark: found('Watermark'),
    killDate: found('KillDate'),
    publicKey: found('PublicKey'),
  });
}
