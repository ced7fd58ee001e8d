import { hash } from 'node:crypto';
import { base64Bytes } from '../codecs/base64.ts';
import type { Subject } from '../subject.ts';
import { enabledTags, isTrue, pickTags } from './capability-tags.ts';
import { type DecryptedSettings, decryptSettings } from './dotnet-settings/aes256-settings.ts';
import { type DotnetSettings, settingsOf, textFields } from './dotnet-settings/dotnet-settings.ts';
import { hasName, isDotnet } from './dotnet-settings/metadata-probes.ts';
import {
  deadDrop,
  eachHostAndPort,
  isUrl,
  parsePorts,
  splitList,
  validPorts,
} from './endpoints/addresses.ts';
import { isHost, listedHosts } from './endpoints/hosts.ts';
import type { Endpoint, Extraction, Extractor, FamilyPage, Recognition } from './extractor.ts';
import { listOf, otherSettings } from './setting-texts.ts';

/**
 * AsyncRAT and its derivatives (DcRat, VenomRAT and other clones): a class of static strings that
 * its static constructor sets in this order. E is encrypted (see `aes256-settings.ts`), P is plain.
 *
 * | AsyncRAT | | DcRat, VenomRAT | |
 * |---|---|---|---|
 * | Ports, Hosts, Version, Install | E | Por_ts, Hos_ts, Ver_sion, In_stall | E |
 * | InstallFolder, InstallFile | P | Install_Folder, Install_File | P |
 * | Key: base64 of the password | P | Key | P |
 * | MTX, Certificate, Serversignature | E | MTX, Certifi_cate, Server_signa_ture | E |
 * | Anti, Pastebin, BDOS | E | Paste_bin, BS_OD | E |
 * | Hwid: null until it runs | | Hw_id | |
 * | Delay | P | De_lay | P |
 * | Group | E | Group, Anti_Process, An_ti | E |
 *
 * Hosts and ports are comma-separated lists. `Pastebin` is `null` or the URL of a page with host
 * and port; the client then connects to these and not to `Hosts`. In an unbuilt template each
 * value is a placeholder such as `%Hosts%`. The salt identifies the derivative.
 *
 * References: https://github.com/NYAN-x-CAT/AsyncRAT-C-Sharp and
 * https://github.com/qwqdanchun/DcRat (both open source),
 * https://github.com/jeFF0Falltrades/Tutorials/tree/master/asyncrat_config_parser.
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
/** Orders of the fields, for programs with obfuscated names. */
const ORDERS: readonly (readonly Role[])[] = [
  [...BEGINNING, 'anti', 'pastebin', 'bdos', 'delay', 'group'],
  [...BEGINNING, 'pastebin', 'bsod', 'delay', 'group', 'antiprocess', 'anti'],
];
const PLAIN: ReadonlySet<Role> = new Set(['installfolder', 'installfile', 'key', 'delay']);
/** Other programs have hosts and ports, too. */
const OWN_NAMES: readonly Role[] = [
  ...(['mtx', 'serversignature', 'certificate', 'pastebin'] as const),
  ...(['anti', 'antiprocess', 'bdos', 'bsod'] as const),
];
const MIN_PLACEHOLDERS = 4;
/** Real certificates have more than a thousand bytes. */
const MIN_CERTIFICATE_BYTES = 128;

type Values = Partial<Record<Role, string>>;

const PAGE: Omit<FamilyPage, 'name' | 'versions'> = {
  reads:
    'hosts, ports, version, group, mutex, install folder and file, switches, digest of the certificate, dead drop',
  proof:
    'HMAC-SHA256 over every reported value, and a name of the family, the order of its fields, or a certificate; no class name is required, so programs that load the encryption by reflection are read',
  notCovered:
    'programs whose strings or code a packer has encrypted; values encrypted with another scheme, or with more than 200,000 rounds; derivations whose salt is neither known nor near its number of rounds; settings that no constructor stores, or that are compiled into the code as constants; obfuscated names in a changed order; obfuscated names with added fields (group and switches)',
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
      versions: '0.4 to 0.5.8 and clones with other salts or names, or with CFB, template',
    },
    dcrat: {
      ...PAGE,
      name: 'DcRat',
      versions: '1.0 (identified by its salt or its names), template',
    },
    venomrat: { ...PAGE, name: 'VenomRAT', versions: '5 and 6 (identified by its salt), template' },
  },
  category: 'RAT',
  tags: pickTags(
    'SETTING_INSTALL',
    'SETTING_ANTI_ANALYSIS',
    'SETTING_CRITICAL_PROCESS',
    'SETTING_DEAD_DROP',
  ),

  // The MAC proves the settings, so no name is required: programs load classes by reflection.
  matches: isDotnet,

  extract(subject, budget) {
    const settings = settingsOf(subject);
    if (settings === undefined) return undefined;
    const decrypted = decryptSettings(settings, budget);
    if (decrypted !== undefined) return extraction(decrypted);
    return namesEncryption(subject) ? recogniseTemplate(settings) : undefined;
  },
};

/** Placeholders prove little, so a template must also name the classes of the encryption. */
function namesEncryption(subject: Subject): boolean {
  return hasName(subject, 'Rfc2898DeriveBytes') && hasName(subject, 'HMACSHA256');
}

function extraction(decrypted: DecryptedSettings): Extraction | undefined {
  const values = valuesByName(decrypted) ?? valuesByOrder(decrypted);
  // Without authentic hosts the other settings are of no use.
  if (values?.hosts === undefined) return undefined;
  const endpoints = endpointsOf(values);
  return {
    family: familyOf(decrypted, values),
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
    capabilities: enabledTags({
      SETTING_INSTALL: isTrue(values.install),
      SETTING_ANTI_ANALYSIS: isTrue(values.anti) || isTrue(values.antiprocess),
      SETTING_CRITICAL_PROCESS: isTrue(values.bdos) || isTrue(values.bsod),
      SETTING_DEAD_DROP: endpoints.some(({ usage }) => usage === 'dead-drop'),
    }),
    offset: decrypted.block.fields[0]?.offset,
  };
}

/** DcRat inserts underscores into the names to evade signatures. */
function roleName(field: string): string {
  return field.replaceAll('_', '').toLowerCase();
}

function valuesByName({ fields, keyField }: DecryptedSettings): Values | undefined {
  const byName = new Map(fields.map((field) => [roleName(field.field), field]));
  if (!byName.has('ports') || !byName.has('hosts')) return undefined;
  if (!OWN_NAMES.some((name) => byName.has(name))) return undefined;
  const roles = new Set(ORDERS.flat());
  const values: Values = { key: keyField.text };
  for (const role of roles) {
    const field = byName.get(role);
    // A field that looks encrypted and fails its MAC is damaged, not plain.
    const value = field?.isEncrypted === false && PLAIN.has(role) ? field.text : field?.plain;
    if (value !== undefined) values[role] = value;
  }
  return values;
}

/** The pattern of encrypted and plain fields and the index of the key field identify the order. */
function valuesByOrder({ fields, keyField }: DecryptedSettings): Values | undefined {
  const order = ORDERS.find(
    (roles) =>
      roles.length === fields.length &&
      roles.every((role, index) => fields[index]?.isEncrypted !== PLAIN.has(role)) &&
      fields[roles.indexOf('key')]?.fieldToken === keyField.fieldToken,
  );
  if (order === undefined) return valuesByShape({ fields, keyField });
  return Object.fromEntries(
    order.map((role, index) => [
      role,
      PLAIN.has(role) ? fields[index]?.text : fields[index]?.plain,
    ]),
  );
}

/**
 * Clones add and remove fields. The ports are recognised by their form; the next encrypted field
 * holds the hosts. Quasar uses the same encryption, but its first field is the version. Any program
 * may keep the address of its database so, so the certificate after the key is required.
 */
function valuesByShape({
  fields,
  keyField,
}: Pick<DecryptedSettings, 'fields' | 'keyField'>): Values | undefined {
  const [ports, hosts, version] = fields.flatMap(({ plain }) => plain ?? []);
  if (ports === undefined || parsePorts(ports) === undefined || hosts === undefined)
    return undefined;
  const keyIndex = fields.findIndex(({ fieldToken }) => fieldToken === keyField.fieldToken);
  const afterKey = fields.slice(keyIndex + 1).flatMap(({ plain }) => plain ?? []);
  if (!areHosts(hosts) || !afterKey.some(mayBeCertificate)) return undefined;
  const [mutex] = afterKey;
  return {
    ...{ key: keyField.text, ports, hosts },
    ...(version && { version }),
    ...(mutex && { mtx: mutex }),
  };
}

function areHosts(text: string): boolean {
  return splitList(text, ',').every((host) => host === 'null' || isHost(host));
}

function mayBeCertificate(text: string): boolean {
  return (base64Bytes(text)?.length ?? 0) >= MIN_CERTIFICATE_BYTES;
}

function endpointsOf({ hosts = '', ports = '', pastebin = '' }: Values): readonly Endpoint[] {
  const listed = eachHostAndPort(listedHosts(hosts), validPorts(ports));
  if (!isUrl(pastebin)) return listed;
  return [deadDrop(pastebin), ...listed.map((one): Endpoint => ({ ...one, usage: 'other' }))];
}

function familyOf({ salt, fields }: DecryptedSettings, { version = '' }: Values): string {
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

/** The digest identifies the certificate, which is too long to report. */
function certificateDigest(certificate: string | undefined): string | undefined {
  const bytes = Buffer.from(certificate ?? '', 'base64');
  return bytes.length === 0 ? undefined : hash('sha256', bytes);
}

function recogniseTemplate(settings: DotnetSettings): Recognition | undefined {
  for (const block of settings.blocks) {
    const fields = textFields(block);
    const unfilled = fields.filter(({ text }) => /^%[A-Za-z_]{2,32}%$/.test(text));
    const names = new Set(unfilled.map(({ text }) => roleName(text)));
    if (unfilled.length < MIN_PLACEHOLDERS || !names.has('%hosts%') || !names.has('%ports%'))
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
