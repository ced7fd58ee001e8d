import { hash } from 'node:crypto';
import {
  type Answer,
  addressesOf,
  addressOf,
  isAnswer,
  type Settings,
  textsOf,
} from './settings.ts';

/** Our names of settings, and the names that builds of the families have. */
const NAMES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  asyncrat: {
    Version: ['Version'],
    Campaign: ['Group'],
    Mutex: ['Mutex'],
    Install: ['Install'],
    'Install Folder': ['InstallFolder'],
    'Install File': ['InstallFile'],
    Key: ['Key'],
    Delay: ['Delay'],
    Anti: ['Anti'],
  },
  xworm: {
    Campaign: ['Group'],
    Mutex: ['Mutex'],
    Key: ['KEY', 'Key'],
    Delimiter: ['SPL'],
    Sleep: ['Sleep'],
    'USB File': ['USBNM'],
    'Install Folder': ['InstallDir'],
    'Install File': ['InstallStr'],
    'Telegram Bot Token': ['Token'],
    'Telegram Chat ID': ['ChatID'],
  },
  quasar: {
    Version: ['Version'],
    Campaign: ['Group'],
    Mutex: ['Mutex'],
    'Install Folder': ['SUBDIRECTORY'],
    'Install File': ['INSTALLNAME'],
    'Startup Key': ['STARTUPKEY'],
    'Log Folder': ['LOGDIRECTORYNAME'],
    'Reconnect Delay': ['RECONNECTDELAY'],
    Key: ['Key'],
  },
  xenorat: {
    Mutex: ['Mutex'],
    'Connect Delay': ['delay'],
  },
};

/** The names in the order of the source, which are unknown to the parser if they are obfuscated. */
const ORDERS: Readonly<Record<string, readonly string[]>> = {
  asyncrat: [
    ...['Ports', 'Hosts', 'Version', 'Install', 'InstallFolder', 'InstallFile', 'Key', 'Mutex'],
    ...['Certificate', 'Serversignature', 'Anti', 'Pastebin', 'BDOS', 'Delay', 'Group'],
  ],
  quasar: [
    ...['Version', 'Hosts', 'RECONNECTDELAY', 'SPECIALFOLDER', 'SUBDIRECTORY', 'INSTALLNAME'],
    ...['INSTALL', 'STARTUP', 'Mutex', 'STARTUPKEY', 'HIDEFILE', 'ENABLELOGGER', 'Key', 'Group'],
    ...['LOGDIRECTORYNAME', 'SERVERSIGNATURE', 'SERVERCERTIFICATESTR'],
  ],
};
const OBFUSCATED = /^obfuscated_key_(\d+)$/;

/** Families whose settings are not encrypted. */
const PLAIN: ReadonlySet<string> = new Set(['XenoRAT']);

const LAYOUTS: Readonly<Record<string, keyof typeof NAMES>> = {
  AsyncRAT: 'asyncrat',
  DcRat: 'asyncrat',
  VenomRAT: 'asyncrat',
  XWorm: 'xworm',
  QuasarRAT: 'quasar',
  XenoRAT: 'xenorat',
};

export function ratKingReads(family: string): boolean {
  return LAYOUTS[family] !== undefined;
}

/** A build without a dead drop has this text. */
const NO_TEXT = 'null';

/**
 * The settings are in `config`, which is the text of an error if there are none. Without a `key`
 * they are still encrypted.
 */
export function ratKingSettings(answer: Answer, family: string): Settings | undefined {
  const layout = LAYOUTS[family] ?? '';
  const names = NAMES[layout];
  if (names === undefined || !isAnswer(answer['config'])) return undefined;
  const config = named(answer['config'], ORDERS[layout]);
  const { key } = answer;
  if ((key === '' || key === 'None') && !PLAIN.has(family)) return undefined;
  const textsIn = (name: string) => textsOf(config[name]).filter((text) => text !== NO_TEXT);
  const settings = Object.entries(names).map(([own, theirs]): [string, readonly string[]] => [
    own,
    theirs.flatMap(textsIn),
  ]);
  const ports = textsIn('Ports');
  // A page that holds the address stands where the hosts do, or has a setting of its own.
  const servers = textsIn('Hosts').flatMap((text) => text.split(';').filter((one) => one !== ''));
  const { pages = [], hosts = [] } = Object.groupBy(servers, (text) =>
    text.includes('://') ? 'pages' : 'hosts',
  );
  return {
    C2s: ports.length === 0 ? hosts.map(addressOf) : addressesOf(hosts, ports),
    'Dead Drops': [...pages, ...textsIn('Pastebin')],
    ...Object.fromEntries(settings),
    ...certificateOf(config),
  };
}

/** Gives settings with obfuscated names those of the source, by their order. */
function named(config: Answer, order: readonly string[] = []): Answer {
  return Object.fromEntries(
    Object.entries(config).map(([name, value]) => {
      const number = OBFUSCATED.exec(name)?.[1];
      return [(number && order[Number(number) - 1]) ?? name, value];
    }),
  );
}

/** Only the families with a certificate have the setting. */
function certificateOf(config: Answer): Settings {
  const texts = textsOf(config['Certificate'] ?? config['SERVERCERTIFICATESTR']);
  if (texts.length === 0) return {};
  return {
    'Certificate SHA-256': texts.map((text) => hash('sha256', Buffer.from(text, 'base64'))),
  };
}
