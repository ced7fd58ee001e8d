import { findSequences } from '../formats/dotnet/code.ts';
import { qualifiedName } from '../formats/dotnet/members.ts';
import type { ConstantStore } from '../formats/dotnet/stack-values.ts';
import { enabledTags, pickTags } from './capability-tags.ts';
import {
  type DotnetSettings,
  type LocatedText,
  settingsOf,
} from './dotnet-settings/dotnet-settings.ts';
import { hasLiteral, literals } from './dotnet-settings/metadata-probes.ts';
import { parsePort } from './endpoints/addresses.ts';
import { isHost, isMailAddress } from './endpoints/hosts.ts';
import {
  type ChannelReader,
  firstOfEachChannel,
  isChatId,
  isDiscordWebhook,
  isFtpUrl,
  mergeChannels,
  telegramToken,
  toDiscord,
  toFileServer,
  toMailbox,
  toTelegram,
} from './exfiltration/channels.ts';
import type { Extractor } from './extractor.ts';

/**
 * Unpacked AgentTesla (OriginLogger) has plain literals. After the user agent (`Mozilla/5.0 …`)
 * follow the settings of one exfiltration channel:
 *
 * | channel | literals, in this order |
 * |---|---|
 * | Telegram | URL of the bot, chat id |
 * | Discord | URL of the webhook |
 * | FTP | `ftp://host/…`, user, password |
 * | SMTP | host, user (a mail address), password, then port and recipient in either order |
 *
 * The port may be a number instead: in a field next to the others, or in the code, as the constant
 * that `SmtpClient` receives.
 *
 * Nothing can be verified, so the result is marked heuristic. Headings of the family's messages are
 * required as well.
 *
 * References: https://malpedia.caad.fkie.fraunhofer.de/details/win.agent_tesla,
 * https://corelight.com/blog/detecting-agent-tesla-malware
 */
const USER_AGENT = 'Mozilla/5.0';
/** Literals after the user agent that are searched. */
const WINDOW = 64;
const MAX_ANCHORS = 8;
/** The heading that is rare in other programs: a property name as it appears in code. */
const TELLTALE = literals('<br>OSFullName: ');
/** Crash reporters have some of these headings, so most of them are required. */
const HEADINGS = [
  ...TELLTALE,
  ...literals('<br>User Name: ', '<br>Computer Name: ', '<br>CPU: ', '<br>RAM: '),
];
const MIN_HEADINGS = 4;

export const agenttesla: Extractor = {
  family: 'agenttesla',
  category: 'STEALER',
  tags: pickTags('SETTING_KEYLOGGER', 'SETTING_TELEGRAM'),
  pages: {
    agenttesla: {
      name: 'AgentTesla',
      reads: 'Telegram bot and chat, Discord webhook, FTP and SMTP host, account, recipient',
      versions:
        'unpacked builds of the third version (OriginLogger) with plain literals; the SMTP port as a text or a number',
      proof: 'none: a heuristic, by headings of its messages and the order and form of literals',
      notCovered: 'packed builds; encrypted literals; HTTP panels; passwords with blanks',
      references: [
        'https://malpedia.caad.fkie.fraunhofer.de/details/win.agent_tesla',
        'https://corelight.com/blog/detecting-agent-tesla-malware',
      ],
    },
  },

  matches: (subject) =>
    hasLiteral(subject, TELLTALE) &&
    HEADINGS.filter((heading) => hasLiteral(subject, [heading])).length >= MIN_HEADINGS,

  extract(subject, budget) {
    const settings = settingsOf(subject);
    if (settings === undefined) return undefined;
    const readers = [...READERS, mailboxReader(settings)];
    for (const texts of windows(settings)) {
      if (budget.isOver()) return undefined;
      const found = mergeChannels(
        firstOfEachChannel(
          texts.map(({ text }) => text),
          readers,
        ),
      );
      if (found === undefined) continue;
      const isTelegram = found.other?.['Telegram Bot Token'] !== undefined;
      return {
        ...found,
        capabilities: enabledTags({
          SETTING_KEYLOGGER: isOn(settings, 'EnableKeylogger'),
          SETTING_TELEGRAM: isTelegram,
        }),
        heuristic: true,
        offset: texts[0]?.offset,
      };
    }
    return undefined;
  },
};

/**
 * The texts after each user agent: first of constructors, which keep repeated texts, then of the
 * heap.
 */
function* windows({ blocks, strings }: DotnetSettings): Generator<readonly LocatedText[]> {
  for (const { fields } of blocks) {
    yield* fromAnchors(fields.flatMap(textOf));
  }
  yield* fromAnchors(strings);
}

function fromAnchors(texts: readonly LocatedText[]): (readonly LocatedText[])[] {
  const anchors = texts.flatMap(({ text }, index) => (text.startsWith(USER_AGENT) ? [index] : []));
  return anchors.slice(0, MAX_ANCHORS).map((start) => texts.slice(start, start + WINDOW));
}

const READERS: readonly ChannelReader[] = [
  ([url = '', chat = '']) => {
    const token = url.startsWith('https:') ? telegramToken(url) : undefined;
    return token === undefined || !isChatId(chat) ? undefined : toTelegram(token, chat);
  },
  ([url = '']) => (isDiscordWebhook(url) ? toDiscord(url) : undefined),
  ([url = '', user = '', password = '']) => {
    if (!isFtpUrl(url) || !isWord(user) || !isWord(password)) return undefined;
    return toFileServer(url, user, password);
  },
];

/** Ports of mail servers. Another number before the host may be a delay or a switch. */
const MAIL_PORTS: ReadonlySet<number> = new Set([465, 587, 2525]);

/** A text as it is; a number if it is a port of a mail server, or that of a field of that name. */
function textOf({ field, value, offset }: ConstantStore): LocatedText[] {
  if (typeof value === 'string') return [{ text: value, offset }];
  const isPort = typeof value === 'number' && (MAIL_PORTS.has(value) || /port$/i.test(field));
  return isPort ? [{ text: value.toString(), offset }] : [];
}

function mailboxReader(settings: DotnetSettings): ChannelReader {
  let inCode: { readonly port: number | undefined } | undefined;
  return ([first = '', ...others]) => {
    const before = MAIL_PORTS.has(Number(first)) ? Number(first) : undefined;
    const [host = '', user = '', password = '', ...rest] =
      before === undefined ? [first, ...others] : others;
    if (!isHost(host) || !isMailAddress(user) || !isWord(password)) return undefined;
    const stated = rest.slice(0, 2).map(parsePort).find(Boolean) ?? before;
    // All code is searched, at most once.
    if (stated === undefined) inCode ??= { port: portInCode(settings) };
    const port = stated ?? inCode?.port;
    const recipient = rest.slice(0, 2).find(isMailAddress);
    // One of the two is required: any mail client has a host and an account.
    if (port === undefined && recipient === undefined) return undefined;
    return toMailbox({ host, port, user, password, recipient });
  };
}

const MAIL_CLIENT = new Set([
  'System.Net.Mail.SmtpClient::set_Port',
  'System.Net.Mail.SmtpClient::.ctor',
]);

/** The constant that `SmtpClient` receives; `undefined` if there are several. */
function portInCode({ file }: DotnetSettings): number | undefined {
  const isClient = ({ operand = 0 }: { readonly operand: number | undefined }) =>
    MAIL_CLIENT.has(qualifiedName(file, operand));
  const found = [...findSequences(file, ['ldc.i4', isClient])].flatMap(
    ({ steps }) => parsePort(`${steps[0]?.operand}`) ?? [],
  );
  return new Set(found).size === 1 ? found[0] : undefined;
}

function isWord(text: string): boolean {
  return /^\S{1,128}$/.test(text);
}

function isOn({ blocks }: DotnetSettings, name: string): boolean {
  return blocks.some(({ fields }) =>
    fields.some(
      ({ field, value }) =>
        field === name && (value === 1 || (typeof value === 'string' && /^true$/i.test(value))),
    ),
  );
}
