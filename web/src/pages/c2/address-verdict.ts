import type { ShownHost } from '../../../../src/client/wire.ts';
import type { VerdictLevel } from '../../components/verdict-level.ts';
import { count } from '../../text/format.ts';

export type KnownAddress = Pick<ShownHost, 'reports' | 'samples'>;

export interface AddressVerdict {
  readonly level: VerdictLevel;
  readonly title: string;
  readonly facts: readonly string[];
}

type Reports = KnownAddress['reports'];

/** A feed has the status of its most urgent report. */
const STATES = [
  ['open', 'open'],
  ['acknowledged', 'acknowledged'],
  ['actioned', 'acted on'],
  ['rejected', 'rejected'],
  ['expired', 'expired'],
] as const;

/** Whether an address is bad, and what says so. Counts that may be higher are "at least". */
export function addressVerdict({ reports, samples }: KnownAddress): AddressVerdict {
  const files = atLeast(samples.hasMore, count(samples.newest.length, 'file'));
  const isNamed = samples.newest.length > 0;
  const desks = reports.feeds.filter(({ c2Rejected }) => c2Rejected === true);
  const facts = factsOf(reports);
  if (desks.length > 0)
    return {
      level: 'suspicious',
      title: `Rejected as a false positive by ${desksOf(desks.map(({ service }) => service))}`,
      facts: [
        isNamed ? `the settings of ${files} name it` : 'the settings of no file name it',
        ...facts,
      ],
    };
  if (isNamed) return { level: 'certain', title: `Confirmed by the settings of ${files}`, facts };
  if (reports.total > 0) return unconfirmed(reports, facts);
  return {
    level: 'nothing',
    title: 'Nothing is known of it',
    facts: [
      'no feed has a report of it, and no analysed file names it',
      'this is no proof that it is harmless',
    ],
  };
}

function unconfirmed(reports: Reports, facts: readonly string[]): AddressVerdict {
  const { statuses, total, reporters } = reports;
  const isCut = reports.totalIsLowerBound === true;
  // Reports that were not counted can have another status.
  const all = (status: keyof typeof statuses) => !isCut && statuses[status] === total;
  if (all('rejected'))
    return { level: 'nothing', title: 'Reported, and every report was rejected', facts };
  if (all('expired'))
    return { level: 'suspicious', title: 'Reported, and every report has expired', facts };
  const accounts = atLeast(isCut, count(reporters.total, 'account'));
  return {
    level: reporters.total > 1 || statuses.actioned > 0 ? 'likely' : 'suspicious',
    title: `Reported by ${accounts}, confirmed by no file`,
    facts,
  };
}

function factsOf({ feeds, total, totalIsLowerBound }: Reports): readonly string[] {
  const isCut = totalIsLowerBound === true;
  if (total === 0) return ['never reported'];
  const states = feeds.map(({ statuses }) => STATES.find(([status]) => statuses[status] > 0)?.[1]);
  const facts = STATES.flatMap(([, word]) => {
    const some = states.filter((state) => state === word).length;
    return some === 0 ? [] : [`${word} in ${atLeast(isCut, count(some, 'feed'))}`];
  });
  // An older report can be open where none of the counted ones is.
  return isCut ? [...facts, `only the newest ${count(total, 'report')} were counted`] : facts;
}

const SHOWN_DESKS = 3;

function desksOf(slugs: readonly string[]): string {
  const more = slugs.length - SHOWN_DESKS;
  const names = slugs.slice(0, SHOWN_DESKS).join(', ');
  return `the desk of ${names}${more > 0 ? ` and ${more} more` : ''}`;
}

function atLeast(isCut: boolean, text: string): string {
  return isCut ? `at least ${text}` : text;
}

/** The facts as the start of a sentence. */
export function joinFacts(facts: readonly string[]): string {
  const text = facts.join('; ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
