import type { VerdictLevel } from '../../components/verdict-level.ts';
import { count } from '../../text/format.ts';
import { brief } from '../../text/visible.ts';
import type { LookedUpFile } from './file.ts';

export interface Verdict {
  readonly level: VerdictLevel;
  readonly title: string;
  readonly text: string;
}

const FAMILY_HEAT = 9;

/** For an analysis that was imported from another installation. */
export const IMPORTED = 'The report was imported without its details: it has no evidence here.';

/** What the file is and how sure that is, in two sentences. */
export function verdictOf({ report, details, isImported }: LookedUpFile): Verdict {
  // Settings of no family, such as the webhook of any script, have no hot tag of their name.
  const families = Object.keys(report.configs)
    .filter((name) => report.tags.some((tag) => tag.name === name && tag.heat >= FAMILY_HEAT))
    .map((name) => brief(name));
  const [hottest] = report.tags.toSorted((one, other) => other.heat - one.heat);
  const heat = hottest?.heat ?? 0;
  const name = brief(hottest?.name ?? '');
  const elsewhere = isImported ? ` ${IMPORTED}` : '';
  if (families.length > 0)
    return {
      level: 'certain',
      title: `${families.join(', ')}, certain`,
      text: `Its settings were found in the file and decoded: ${count(settingsOf(report), 'setting')}.${elsewhere}`,
    };
  if (heat >= 7)
    return {
      level: 'likely',
      title: `${name}, likely`,
      text: `A rule or parser recognized it. ${settingsText(report)}${elsewhere}`,
    };
  if (isImported)
    return {
      level: 'nothing',
      title: 'Analysed elsewhere',
      text: IMPORTED,
    };
  if (heat >= 4)
    return {
      level: 'suspicious',
      title: 'Suspicious traits, no known family',
      text: `The strongest of ${count(details.evidence.length, 'finding')} is ${name}. ${settingsText(report)}`,
    };
  return {
    level: 'nothing',
    title: 'Nothing of note was found',
    text: 'The file was not run. This is no proof that it is harmless.',
  };
}

function settingsText(report: LookedUpFile['report']): string {
  const settings = settingsOf(report);
  return settings === 0
    ? 'No settings could be read.'
    : `${count(settings, 'setting')} of no particular family were read.`;
}

export function settingsOf({ configs }: LookedUpFile['report']): number {
  return Object.values(configs).reduce((sum, config) => sum + Object.keys(config).length, 0);
}
