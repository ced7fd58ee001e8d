import { hash } from 'node:crypto';
import type { Endpoint, Extraction, Extractor, FamilyPage, Recognition } from './extractor.ts';
import {
  deadDrop,
  eachHostAndPort,
  isUrl,
  listOf,
  otherSettings,
  parsePorts,
  portsAmong,
} from './shared/addresses.ts';
import { isTrue, pickTags, switchedOn } from './shared/capability-tags.ts';
import { type DotnetSettings, hasName, settingsOf, textFields } from './shared/dotnet-settings.ts';
import { type OpenedSettings, openSealed } from './shared/sealed-settings.ts';
import { listedHosts } from './shared/value-shapes.ts';

/**
 * AsyncRAT and what was made of it (DcRat, VenomRAT and other clones): a class of static texts, filled by its
 * static constructor, in this order. S is sealed (see `sealed-settings.ts`), P is plain.
 *
 * | AsyncRAT | | DcRat, VenomRAT | |
 * |---|---|---|---|
 * | Ports, Hosts, Version, Install | S | Por_ts, Hos_ts, Ver_sion, In_stall | S |
 * | InstallFolder, InstallFile | P | Install_Folder, Install_File | P |
 * | Key: base64 of the password | P | Key | P |
 * | MTX, Certificate, Serversignature | S | MTX, Certifi_cate, Server_signa_ture | S |
 * | Anti, Pastebin, BDOS | S | Paste_bin, BS_OD | S |
 * | Hwid: null until it runs | | Hw_id | |
 * | Delay | P | De_lay | P |
 * | Group | S | Group, Anti_Process, An_ti | S |
 *
 * Hosts and ports are lists with commas. `Pastebin` is `null`, or the page that tells host and port. Before the
 * builder fills it in, a value is its own name: `%Hosts%`. Clones are told apart by the salt.
 *
 * Reference: https://github.com/NYAN-x-CAT/AsyncRAT-C-Sharp and https://github.com/qwqdanchun/DcRat (both are
 * open source), https://github.com/jeFF0Falltrades/Tutorials/tree/master/asyncrat_config_parser.
 */
type Role =
  | 'ports'
  | 'hosts'
  | 'version'
  | 'install'
  | 'installfolder'
  | 'installfile'
  | 'key'
  | 'mtx'
  | 'certificate'
  | 'serversignature'
  | 'anti'
  | 'antiprocess'
  | 'pastebin'
  | 'bdos'
  | 'bsod'
  | 'delay'
  | 'group';

const BEGINNING: readonly Role[] = [
  ...(['ports', 'hosts', 'version', 'install', 'installfolder', 'installfile'] as const),
  ...(['key', 'mtx', 'certificate', 'serversignature'] as const),
];
/** Orders in which texts stand, for programs whose names are gone. */
const ORDERS: readonly (readonly Role[])[] = [
  [...BEGINNING, 'anti', 'pastebin', 'bdos', 'delay', 'group'],
  [...BEGINNING, 'pastebin', 'bsod', 'delay', 'group', 'antiprocess', 'anti'],
];
const PLAIN: ReadonlySet<Role> = new Set(['installfolder', 'installfile', 'key', 'delay']);
const FEWEST_TEMPLATES = 4;

type Values = Partial<Record<Role, string>>;

const PAGE: Omit<FamilyPage, 'name' | 'versions'> = {
  reads:
    'hosts, ports, version, group, mutex, install folder and file, switches, digest of the certificate, page with the address',
  proof: 'HMAC-SHA256 over every value that is told',
  notCovered:
    'programs whose texts or code are encrypted by a packer; values sealed with another scheme, or by more than 200,000 rounds; settings that no constructor stores, or that are compiled into the code as constants; names gone and the order changed; names gone and fields added, as to group and switches',
  references: [
    'https://github.com/NYAN-x-CAT/AsyncRAT-C-Sharp',
    'https://github.com/jeFF0Falltrades/Tutorials/tree/master/asyncrat_config_parser',
  ],
};

export const asyncrat: Extractor = {
  family: 'asyncrat',
  pages: {
    asyncrat: {
      ...PAGE,
      name: 'AsyncRAT',
      versions: '0.4 to 0.5.8 and clones with other salts or names, template',
    },
    dcrat: { ...PAGE, name: 'DcRat', versions: '1.0 (told by its salt or its names), template' },
    venomrat: { ...PAGE, name: 'VenomRAT', versions: '5 and 6 (told by its salt), template' },
  },
  category: 'RAT',
  tags: pickTags(
    'SETTING_INSTALL',
    'SETTING_ANTI_ANALYSIS',
    'SETTING_CRITICAL_PROCESS',
    'SETTING_DEAD_DROP',
  ),

  matches: (subject) => hasName(subject, 'Rfc2898DeriveBytes') && hasName(subject, 'HMACSHA256'),

  extract(subject, budget) {
    const settings = settingsOf(subject);
    if (settings === undefined) return undefined;
    const opened = openSealed(settings, budget);
    return opened === undefined ? recogniseTemplate(settings) : extraction(opened);
  },
};

function extraction(opened: OpenedSettings): Extraction | undefined {
  const values = valuesByName(opened) ?? valuesByOrder(opened);
  // Without hosts whose MAC is right there is nothing that is worth telling.
  if (values?.hosts === undefined) return undefined;
  const endpoints = endpointsOf(values);
  return {
    family: familyOf(opened, values),
    version: listOf(values.version?.trim())?.[0],
    campaign: listOf(values.group),
    mutex: listOf(values.mtx),
    endpoints,
    other: otherSettings({
      Install: values.install,
      'Install Folder': values.installfolder,
      'Install File': values.installfile,
      Anti: values.anti,
      'Anti Process': values.antiprocess,
      BDOS: values.bdos,
      BSOD: values.bsod,
      Delay: values.delay,
      Key: values.key,
      'Certificate SHA-256': certificateDigest(values.certificate),
    }),
    capabilities: switchedOn({
      SETTING_INSTALL: isTrue(values.install),
      SETTING_ANTI_ANALYSIS: isTrue(values.anti) || isTrue(values.antiprocess),
      SETTING_CRITICAL_PROCESS: isTrue(values.bdos) || isTrue(values.bsod),
      SETTING_DEAD_DROP: endpoints.some(({ usage }) => usage === 'dead-drop'),
    }),
    offset: opened.block.fields[0]?.offset,
  };
}

/** DcRat cuts the names with underscores, so that they are not searched for. */
function roleName(field: string): string {
  return field.replaceAll('_', '').toLowerCase();
}

function valuesByName({ fields, keyField }: OpenedSettings): Values | undefined {
  const byName = new Map(fields.map((field) => [roleName(field.field), field]));
  if (!byName.has('ports') || !byName.has('hosts')) return undefined;
  const roles = new Set(ORDERS.flat());
  const values: Values = { key: keyField.text };
  for (const role of roles) {
    const field = byName.get(role);
    // What looks sealed and does not open is damaged, not plain.
    const value = field?.isSealed === false && PLAIN.has(role) ? field.text : field?.opened;
    if (value !== undefined) values[role] = value;
  }
  return values;
}

/** The pattern of sealed and plain texts, and the place of the key, tell which order it is. */
function valuesByOrder({ fields, keyField }: OpenedSettings): Values | undefined {
  const order = ORDERS.find(
    (roles) =>
      roles.length === fields.length &&
      roles.every((role, place) => fields[place]?.isSealed !== PLAIN.has(role)) &&
      fields[roles.indexOf('key')]?.fieldToken === keyField.fieldToken,
  );
  if (order === undefined) return valuesByShape({ fields, keyField });
  return Object.fromEntries(
    order.map((role, place) => [
      role,
      PLAIN.has(role) ? fields[place]?.text : fields[place]?.opened,
    ]),
  );
}

/**
 * Clones add and leave out fields. A list of ports is known by its form; what is sealed next are the hosts. In
 * Quasar, which seals alike, the version comes first.
 */
function valuesByShape({
  fields,
  keyField,
}: Pick<OpenedSettings, 'fields' | 'keyField'>): Values | undefined {
  const [ports, hosts, version] = fields.flatMap(({ opened }) => opened ?? []);
  if (ports === undefined || parsePorts(ports) === undefined || hosts === undefined)
    return undefined;
  const keyAt = fields.findIndex(({ fieldToken }) => fieldToken === keyField.fieldToken);
  const mutex = fields.slice(keyAt + 1).find(({ opened }) => opened !== undefined)?.opened;
  return {
    ...{ key: keyField.text, ports, hosts },
    ...(version && { version }),
    ...(mutex && { mtx: mutex }),
  };
}

function endpointsOf({ hosts = '', ports = '', pastebin = '' }: Values): readonly Endpoint[] {
  const drops = isUrl(pastebin) ? [deadDrop(pastebin)] : [];
  return [...eachHostAndPort(listedHosts(hosts), portsAmong(ports)), ...drops];
}

function familyOf({ salt, fields }: OpenedSettings, { version = '' }: Values): string {
  const bySalt = familyBySalt(salt);
  if (bySalt !== undefined) return bySalt;
  if (/venom/i.test(version)) return 'venomrat';
  return fields.some(({ field }) => field === 'Por_ts') ? 'dcrat' : 'asyncrat';
}

function familyBySalt(salt: Buffer): string | undefined {
  const text = salt.toString('latin1');
  if (/dcrat/i.test(text)) return 'dcrat';
  return /venom/i.test(text) ? 'venomrat' : undefined;
}

/** The certificate itself is of no use to anyone who reads the report, and long. */
function certificateDigest(certificate: string | undefined): string | undefined {
  const bytes = Buffer.from(certificate ?? '', 'base64');
  return bytes.length === 0 ? undefined : hash('sha256', bytes);
}

function recogniseTemplate(settings: DotnetSettings): Recognition | undefined {
  for (const block of settings.blocks) {
    const fields = textFields(block);
    const unfilled = fields.filter(({ text }) => /^%[A-Za-z_]{2,32}%$/.test(text));
    const names = new Set(unfilled.map(({ text }) => roleName(text)));
    if (unfilled.length < FEWEST_TEMPLATES || !names.has('%hosts%') || !names.has('%ports%'))
      continue;
    return {
      family: templateFamily(
        settings,
        fields.map(({ field }) => field),
      ),
      unread: 'template that was never built',
      offset: block.fields[0]?.offset,
    };
  }
  return undefined;
}

function templateFamily({ strings, file }: DotnetSettings, names: readonly string[]): string {
  const texts = [...strings.map(({ text }) => text), file.assembly?.name ?? ''];
  if (texts.some((text) => /venom(?:rat|by)/i.test(text))) return 'venomrat';
  const isDcRat = names.includes('Por_ts') || texts.some((text) => /dcratby/i.test(text));
  return isDcRat ? 'dcrat' : 'asyncrat';
}
