import type { Subject } from '../../subject.ts';
import { enabledTags, pickTags } from '../capability-tags.ts';
import {
  type DotnetSettings,
  type SettingsBlock,
  settingsOf,
  textFields,
} from '../dotnet-settings/dotnet-settings.ts';
import { hasName, isDotnet } from '../dotnet-settings/metadata-probes.ts';
import { deadDrop, eachHostAndPort, isUrl } from '../endpoints/addresses.ts';
import { listedHosts } from '../endpoints/hosts.ts';
import type { Endpoint, Extraction, Extractor, Recognition } from '../extractor.ts';
import { listOf, otherSettings } from '../setting-texts.ts';
import { type DecryptedBlock, decryptBlock, MIN_DECRYPTED } from './decryption.ts';
import { assignValues, type XwormValues } from './values.ts';

/**
 * XWorm: a class of static strings that its static constructor sets. E is encrypted (see
 * `decryption.ts`), P plain.
 *
 * | field | content | |
 * |---|---|---|
 * | Host (2, 3), Hosts (from 4 on) | comma-separated hosts, or the URL of a dead drop | E |
 * | Port | ports | E |
 * | KEY, SPL | traffic key, message delimiter | E |
 * | Groub | `XWorm V5.6` | E |
 * | USBNM | file name on removable drives | E |
 * | InstallDir, InstallStr | install folder and file | E |
 * | Mutex | mutex, from which the key is derived | P |
 * | Sleep | seconds, a number | P |
 * | LoggerPath | set at run time | |
 * | BTC, ETH, TRC | wallets | E |
 * | Token, ChatID | Telegram | E |
 *
 * References: https://github.com/jeFF0Falltrades/rat_king_parser,
 * https://malpedia.caad.fkie.fraunhofer.de/details/win.xworm
 */
export const xworm: Extractor = {
  family: 'xworm',
  pages: {
    xworm: {
      name: 'XWorm',
      reads:
        'hosts, port, version, mutex, traffic key, delay, install folder and file, file name on other drives, wallets, Telegram chat',
      versions: '2 to 5.6 and clones with AES-128, CBC, CFB or 3DES, template',
      proof:
        'padding and readable text of most values (at least three) with a key derived from another value of the block; and names of the family, or hosts, port and delimiter in their order',
      notCovered:
        'programs whose strings or code a packer has encrypted; versions that encrypt with another scheme; settings that no constructor stores, or that are compiled into the code as constants; obfuscated names in a changed order',
      references: [
        'https://github.com/jeFF0Falltrades/rat_king_parser',
        'https://malpedia.caad.fkie.fraunhofer.de/details/win.xworm',
      ],
    },
  },
  category: 'RAT',
  tags: pickTags('SETTING_DEAD_DROP', 'SETTING_TELEGRAM', 'SETTING_CLIPPER', 'SETTING_USB_SPREAD'),

  // Padding, text and form prove the settings, so no name is required.
  matches: isDotnet,

  extract(subject, budget) {
    const settings = settingsOf(subject);
    if (settings === undefined) return undefined;
    const decrypted = decryptBlock(settings, budget);
    if (decrypted !== undefined) return extraction(decrypted);
    return namesEncryption(subject) ? recogniseTemplate(settings) : undefined;
  },
};

/** Placeholders prove little, so a template must also name the classes of the encryption. */
function namesEncryption(subject: Subject): boolean {
  return (
    hasName(subject, 'MD5CryptoServiceProvider', 'MD5') &&
    hasName(
      subject,
      ...['RijndaelManaged', 'AesManaged', 'AesCryptoServiceProvider', 'Aes', 'Rijndael'],
      'TripleDESCryptoServiceProvider',
    )
  );
}

function extraction({
  block,
  values: decrypted,
  keyField,
}: DecryptedBlock): Extraction | undefined {
  const values = assignValues(decrypted);
  if (values === undefined) return undefined;
  const { named } = values;
  const endpoints = [...endpointsOf(values), ...dropsOf(named)];
  const telegram = named.get('token');
  return {
    version: versionOf(values.group),
    campaign: listOf(values.group),
    mutex: listOf(keyField.text),
    endpoints,
    other: otherSettings({
      Key: named.get('key'),
      Delimiter: named.get('spl'),
      Sleep: sleepIn(block),
      'USB File': named.get('usbnm'),
      'Install Folder': named.get('installdir'),
      'Install File': named.get('installstr'),
      ...wallets(named),
      'Telegram Bot Token': telegram,
      'Telegram Chat ID': named.get('chatid'),
    }),
    capabilities: enabledTags({
      SETTING_DEAD_DROP: endpoints.some(({ usage }) => usage === 'dead-drop'),
      SETTING_TELEGRAM: telegram !== undefined && /^\d+:/.test(telegram),
      SETTING_CLIPPER: Object.keys(wallets(named)).length > 0,
      SETTING_USB_SPREAD: /\.\w+$/.test(named.get('usbnm') ?? ''),
    }),
    offset: block.fields[0]?.offset,
  };
}

function endpointsOf({ hosts, ports }: XwormValues): readonly Endpoint[] {
  const listed = listedHosts(hosts);
  const drops = listed.filter(isUrl).map(deadDrop);
  const named = listed.filter((host) => !isUrl(host));
  return [...eachHostAndPort(named, ports), ...drops];
}

/** Some versions have a separate field for the dead drop. */
function dropsOf(named: XwormValues['named']): Endpoint[] {
  return [...named].flatMap(([name, text]) =>
    name.startsWith('paste') && isUrl(text) ? [deadDrop(text)] : [],
  );
}

function sleepIn({ fields }: SettingsBlock): string | undefined {
  const value = fields.find(({ field }) => field === 'Sleep')?.value;
  return typeof value === 'number' ? value.toString() : undefined;
}

function versionOf(group: string | undefined): string | undefined {
  return /^xworm\s+v?(\d+(?:\.\d+)*)/i.exec(group ?? '')?.[1];
}

const WALLETS = ['btc', 'eth', 'trc', 'ltc', 'xmr'];

/** An unset wallet holds the name of the coin. */
function wallets(named: XwormValues['named']): Record<string, string> {
  return Object.fromEntries(
    WALLETS.flatMap((coin) => {
      const address = named.get(coin) ?? '';
      return /^[A-Za-z0-9]{25,120}$/.test(address)
        ? [[`${coin.toUpperCase()} Address`, address]]
        : [];
    }),
  );
}

function recogniseTemplate(settings: DotnetSettings): Recognition | undefined {
  const block = settings.blocks.find((one) => {
    const texts = textFields(one);
    const names = new Set(texts.map(({ field }) => field.toLowerCase()));
    const unfilled = texts.filter(({ text }) => /^%[A-Za-z_]{2,32}%$/.test(text)).length;
    return unfilled >= MIN_DECRYPTED && names.has('spl') && names.has('usbnm');
  });
  if (block === undefined) return undefined;
  return { unread: 'template that was never built', offset: block.fields[0]?.offset };
}
