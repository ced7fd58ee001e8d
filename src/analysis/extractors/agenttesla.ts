import { pickTags, switchedOn } from './capability-tags.ts';
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
 * AgentTesla (OriginLogger) after unpacking has its settings as plain literals. Behind the user agent
 * (`Mozilla/5.0 …`) stands where it sends what it took, by one of
 *
 * | way | literals, one behind the other |
 * |---|---|
 * | Telegram | URL of the bot, chat id |
 * | Discord | URL of the webhook |
 * | FTP | `ftp://host/…`, user, password |
 * | SMTP | host, user (a mail address), password, then in either order port and recipient |
 *
 * Nothing here can be verified, so that a reading is a guess and says so. What it must have besides are the
 * headings of the family's own messages.
 *
 * References: https://malpedia.caad.fkie.fraunhofer.de/details/win.agent_tesla,
 * https://corelight.com/blog/detecting-agent-tesla-malware
 */
const AGENT = 'Mozilla/5.0';
/** How far behind the user agent settings are looked for. */
const WINDOW = 64;
const MOST_ANCHORS = 8;
/** The heading of its messages that others hardly have: the name of a property, as it is written in code. */
const TELLTALE = literals('<br>OSFullName: ');
/** Reports of crashes may have some of these headings; nearly all of them the program has from there. */
const HEADINGS = [
  ...TELLTALE,
  ...literals('<br>User Name: ', '<br>Computer Name: ', '<br>CPU: ', '<br>RAM: '),
];
const FEWEST_HEADINGS = 4;

export const agenttesla: Extractor = {
  family: 'agenttesla',
  category: 'STEALER',
  tags: pickTags('SETTING_KEYLOGGER', 'SETTING_TELEGRAM'),
  pages: {
    agenttesla: {
      name: 'AgentTesla',
      reads: 'Telegram bot and chat, Discord webhook, FTP and SMTP host, account, recipient',
      versions: 'unpacked builds of the third version (OriginLogger) with plain literals',
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
    HEADINGS.filter((heading) => hasLiteral(subject, [heading])).length >= FEWEST_HEADINGS,

  extract(subject, budget) {
    const settings = settingsOf(subject);
    if (settings === undefined) return undefined;
    for (const texts of windows(settings)) {
      if (budget.isOver()) return undefined;
      const found = mergeChannels(
        firstOfEachChannel(
          texts.map(({ text }) => text),
          READERS,
        ),
      );
      if (found === undefined) continue;
      const isTelegram = found.other?.['Telegram Bot Token'] !== undefined;
      return {
        ...found,
        capabilities: switchedOn({
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

/** From each user agent on: in the constructors first, where a text that stands there twice is met twice. */
function* windows({ blocks, strings }: DotnetSettings): Generator<readonly LocatedText[]> {
  for (const { fields } of blocks) {
    yield* fromAnchors(
      fields.flatMap(({ value, offset }) =>
        typeof value === 'string' ? [{ text: value, offset }] : [],
      ),
    );
  }
  yield* fromAnchors(strings);
}

function fromAnchors(texts: readonly LocatedText[]): (readonly LocatedText[])[] {
  const anchors = texts.flatMap(({ text }, place) => (text.startsWith(AGENT) ? [place] : []));
  return anchors.slice(0, MOST_ANCHORS).map((at) => texts.slice(at, at + WINDOW));
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
  ([host = '', user = '', password = '', ...rest]) => {
    if (!isHost(host) || !isMailAddress(user) || !isWord(password)) return undefined;
    const port = rest.slice(0, 2).map(parsePort).find(Boolean);
    const recipient = rest.slice(0, 2).find(isMailAddress);
    // One of the two must be there: a host and an account alone stand in any mail client.
    if (port === undefined && recipient === undefined) return undefined;
    return toMailbox({ host, port, user, password, recipient });
  },
];

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
