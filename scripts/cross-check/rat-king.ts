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
export function ratKingSettings({ config, key }: Answer, family: string): Settings | undefined {
  const names = NAMES[LAYOUTS[family] ?? ''];
  if (names === undefined || !isAnswer(config)) return undefined;
  if ((key === '' || key === 'None') && !PLAIN.has(family)) return undefined;
  const textsIn = (name: string) => textsOf(config[name]).filter((text) => text !== NO_TEXT);
  const settings = Object.entries(names).map(([own, theirs]): [string, readonly string[]] => [
    own,
    theirs.flatMap(textsIn),
  ]);
  const ports = textsIn('Ports');
  // A page that holds the address stands where the hosts do, or has a setting of its own.
  const { pages = [], hosts = [] } = Object.groupBy(textsIn('Hosts'), (text) =>
    text.includes('://') ? 'pages' : 'hosts',
  );
  return {
    C2s: ports.length === 0 ? hosts.map(addressOf) : addressesOf(hosts, ports),
    'Dead Drops': [...pages, ...textsIn('Pastebin')],
    ...Object.fromEntries(settings),
    ...certificateOf(config),
  };
}

/** Only the families with a certificate have the setting. */
function certificateOf(config: Answer): Settings {
  const texts = textsOf(config['Certificate'] ?? config['SERVERCERTIFICATESTR']);
  if (texts.length === 0) return {};
  return {
    'Certificate SHA-256': texts.map((text) => hash('sha256', Buffer.from(text, 'base64'))),
  };
}
