import type { Budget } from '../../formats/format.ts';
import { enabledTags, pickTags } from '../capability-tags.ts';
import {
  type DotnetSettings,
  type SettingsBlock,
  settingsOf,
} from '../dotnet-settings/dotnet-settings.ts';
import { firstUsed } from '../dotnet-settings/field-uses.ts';
import { hasLiteral, hasName, literals } from '../dotnet-settings/metadata-probes.ts';
import { parsePort } from '../endpoints/addresses.ts';
import type { Extraction, Extractor, Recognition } from '../extractor.ts';
import { isPlaceholder, listOf, otherSettings } from '../setting-texts.ts';
import { decodeText, endpointsOf, Replacements, rawTextOf, splitTexts, textOf } from './hosts.ts';
import { REQUIRED_ROLES, type Reading, readings, type TextsByRole } from './readings.ts';

/**
 * njRAT (Bladabindi) keeps its settings in static fields of one class. The static constructor sets
 * them in this order:
 *
 * | field | content |
 * |---|---|
 * | VN | campaign, base64 |
 * | VR | version: `0.7d`, `im523` |
 * | EXE, DR | install file, and the variable of the install folder (`TEMP`) |
 * | RG | 32 hex digits: mutex, and name of the Run value |
 * | H (HH if code derives H from it), P | host, port |
 * | Y (SPL) | delimiter of messages: `|'|'|` |
 * | BD, Idr, IsF, Isu | "True" or "False": critical process, copy, startup folder, Run key |
 *
 * The order is used if names are obfuscated (see `readings.ts`). Some editions obfuscate the host
 * (see `hosts.ts`).
 *
 * References:
 * https://cybergeeks.tech/just-another-analysis-of-the-njrat-malware-a-step-by-step-approach/,
 * https://hidocohen.medium.com/njrat-malware-analysis-198188d6339a
 */

/** For obfuscated names: the usual delimiter, and the versions of editions that use another. */
const TELLTALES = literals("|'|'|", '0.7d', '0.7NC', 'im523');

const MAX_READINGS = 16;

export const njrat: Extractor = {
  family: 'njrat',
  category: 'RAT',
  tags: pickTags('SETTING_INSTALL', 'SETTING_CRITICAL_PROCESS', 'SETTING_DEAD_DROP'),
  pages: {
    njrat: {
      name: 'njRAT (Bladabindi)',
      reads: 'hosts, ports, campaign, version, mutex, install folder and file, delimiter, switches',
      versions:
        '0.6.4 to 0.7 and their variants; with obfuscated names only if the fields are in the original or in alphabetical order',
      proof: 'four fields by name, or six values in order, each in the expected form',
      notCovered:
        'encrypted settings; hosts that code assembles from pieces or reverses in an unknown way; settings that no constructor stores, or that are compiled into the code as constants',
      references: [
        'https://cybergeeks.tech/just-another-analysis-of-the-njrat-malware-a-step-by-step-approach/',
        'https://hidocohen.medium.com/njrat-malware-analysis-198188d6339a',
      ],
    },
  },

  matches: (subject) =>
    (hasName(subject, 'VN') && hasName(subject, 'VR')) || hasLiteral(subject, TELLTALES),

  extract(subject, budget) {
    const settings = settingsOf(subject);
    if (settings === undefined) return undefined;
    return firstUsed(candidates(settings, budget), settings)?.found;
  },
};

interface Candidate {
  readonly block: SettingsBlock;
  readonly found: Extraction | Recognition;
}

function* candidates(settings: DotnetSettings, budget: Budget): Generator<Candidate> {
  const replacements = new Replacements(settings.file);
  for (const reading of readings(settings, budget).take(MAX_READINGS)) {
    const found = isTemplate(reading.texts)
      ? template(reading)
      : describe(reading, replacements, budget);
    if (found !== undefined && !isReplaced(reading, settings))
      yield { block: reading.block, found };
  }
}

/** Whether other code replaces the host or the port. */
function isReplaced({ block, texts }: Reading, { fieldUses }: DotnetSettings): boolean {
  const server = [texts.get('host'), texts.get('port')];
  return block.fields.some(
    (field) => server.includes(textOf(field) ?? rawTextOf(field)) && fieldUses.isReplaced(field),
  );
}

function isTemplate(texts: TextsByRole): boolean {
  return REQUIRED_ROLES.filter((role) => isPlaceholder(texts.get(role) ?? '')).length >= 3;
}

function template({ offset }: Reading): Recognition {
  return { unread: 'template that was never built', offset };
}

function describe(
  { texts, offset, switches, isHostChanged }: Reading,
  replacements: Replacements,
  budget: Budget,
): Extraction | undefined {
  const ports = splitTexts(texts.get('port') ?? '').flatMap((text) => parsePort(text) ?? []);
  if (ports.length === 0) return undefined;
  const host = { text: texts.get('host') ?? '', isChanged: isHostChanged };
  const endpoints = endpointsOf(host, ports, replacements, budget);
  if (endpoints.length === 0) return undefined;
  const campaign = texts.get('campaign') ?? '';
  return {
    version: listOf(texts.get('version'))?.[0],
    campaign: listOf(decodeText(campaign) ?? campaign),
    // The Run value has the name of the mutex.
    mutex: listOf(texts.get('key')),
    endpoints,
    other: otherSettings({
      'Install Folder': texts.get('folder'),
      'Install File': texts.get('file'),
      'Registry Value': texts.get('key'),
      Delimiter: texts.get('delimiter'),
    }),
    capabilities: enabledTags({
      SETTING_INSTALL: ['Idr', 'IsF', 'Isu'].some((name) => switches.has(name)),
      SETTING_CRITICAL_PROCESS: switches.has('BD'),
      SETTING_DEAD_DROP: endpoints.some(({ usage }) => usage === 'dead-drop'),
    }),
    offset,
  };
}
