import type { Budget } from '../formats/format.ts';
import {
  contentOf,
  inflated,
  isOwnScript,
  modulesOf,
  type PyArchive,
  parsePyArchive,
} from '../formats/pyinstaller/archive.ts';
import { readMarshal } from '../formats/pyinstaller/marshal.ts';
import { type ExfiltrationChannel, mergeChannels } from './exfiltration/channels.ts';
import { channelsInCode } from './exfiltration/python-code.ts';
import { distinctChannels, MAX_CHANNELS, reportedChannels } from './exfiltration/webhooks.ts';
import type { Extractor } from './extractor.ts';

/**
 * Python programs packed with PyInstaller that send data to a webhook or a bot. The archive (layout
 * in `formats/pyinstaller/archive.ts`) has
 *
 * | entry | content |
 * |---|---|
 * | type `s` | a script of the author, as marshalled code |
 * | type `z`, `Z` | an archive of the imported modules, compressed marshalled code |
 *
 * The webhook or token is a constant of the code. It identifies no family, because any program may
 * have one.
 *
 * Reference: https://pyinstaller.org/en/stable/advanced-topics.html
 */
const MAX_SCRIPT_BYTES = 16 * 1024 * 1024;
const MAX_MODULE_BYTES = 4 * 1024 * 1024;
/** Limit of all modules together. */
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;
/** Parts of webhooks and tokens: plain, reversed, and base64 at each of the three alignments. */
const NEEDLES = [
  ...['/webhooks/', ':AA', 'hooks.slack.com', 'skoohbew'],
  ...['L3dlYmhvb2tz', '93ZWJob29rc', 'vd2ViaG9va3'],
];

export const pyinstaller: Extractor = {
  family: 'pyinstaller',
  namesFamily: false,
  tags: {
    PYTHON_DISCORD_WEBHOOK: [7, 'A packed Python program that reports to a Discord webhook'],
    PYTHON_TELEGRAM_BOT: [7, 'A packed Python program that reports to a Telegram bot'],
  },
  pages: {
    pyinstaller: {
      name: 'PyInstaller with a webhook',
      reads:
        'Discord, Slack and Guilded webhooks, Telegram tokens and chats in scripts and modules',
      versions:
        'PyInstaller 2.0 and later, Python 2.7 to 3.13; strings in base64, reversed or in packed layers',
      proof:
        'none for a family: the form of webhooks and tokens (reported as heuristic, without a family)',
      notCovered:
        'modules encrypted with a key; programs compiled with Nuitka or PyArmor; strings assembled at run time',
      references: ['https://pyinstaller.org/en/stable/advanced-topics.html'],
    },
  },

  matches: (subject) => subject.as(parsePyArchive) !== undefined,

  extract(subject, budget, reported = []) {
    const archive = subject.as(parsePyArchive);
    if (archive === undefined) return undefined;
    const all = distinctChannels([
      ...channelsInScripts(archive, budget),
      ...channelsInModules(archive, budget),
    ]);
    const isReported = reportedChannels(reported);
    const channels = all.filter((one) => !isReported(one)).slice(0, MAX_CHANNELS);
    const found = mergeChannels(channels);
    if (found === undefined) return undefined;
    return {
      ...found,
      capabilities: capabilitiesOf(channels),
      heuristic: true,
      offset: archive.offset,
    };
  },
};

function capabilitiesOf(channels: readonly ExfiltrationChannel[]): string[] {
  const has = (name: string) => channels.some(({ other }) => Object.hasOwn(other, name));
  return [
    ...(has('Discord Webhook') ? ['PYTHON_DISCORD_WEBHOOK'] : []),
    ...(has('Telegram Bot Token') ? ['PYTHON_TELEGRAM_BOT'] : []),
  ];
}

function channelsInScripts({ entries, version }: PyArchive, budget: Budget): ExfiltrationChannel[] {
  const channels: ExfiltrationChannel[] = [];
  for (const entry of entries) {
    if (entry.type !== 's' || isOwnScript(entry.name)) continue;
    if (channels.length >= MAX_CHANNELS || budget.isOver()) break;
    const content = contentOf(entry, MAX_SCRIPT_BYTES);
    if (content === undefined) continue;
    const limits = { maxBytes: MAX_SCRIPT_BYTES, isOver: () => budget.isOver() };
    channels.push(...channelsInCode(readMarshal(content, version), version, limits));
  }
  return channels;
}

function channelsInModules({ entries, version }: PyArchive, budget: Budget): ExfiltrationChannel[] {
  const channels: ExfiltrationChannel[] = [];
  const limits = { maxBytes: MAX_MODULE_BYTES, isOver: () => budget.isOver() };
  let bytesLeft = MAX_TOTAL_BYTES;
  for (const entry of entries.filter(({ type }) => type === 'z' || type === 'Z')) {
    const archive = contentOf(entry, MAX_TOTAL_BYTES);
    for (const { stored } of archive ? modulesOf(archive, version) : []) {
      if (bytesLeft <= 0 || channels.length >= MAX_CHANNELS || budget.isOver()) return channels;
      const code = inflated(stored, MAX_MODULE_BYTES);
      bytesLeft -= code?.length ?? 0;
      if (code === undefined || !isWorthReading(code)) continue;
      channels.push(...channelsInCode(readMarshal(code, version), version, limits));
    }
  }
  return channels;
}

function isWorthReading(code: Buffer): boolean {
  return (
    NEEDLES.some((needle) => code.includes(needle)) ||
    // A packed layer is unpacked and executed.
    (code.includes('decompress') && code.includes('exec'))
  );
}
