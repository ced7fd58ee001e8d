import { createHash } from 'node:crypto';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/duration.ts';
import { atWork, startOf } from './calendar.ts';
import { DEMO_FAMILIES, type DemoFamily } from './families.ts';
import type { SeededRandom } from './random.ts';
import { DEMO_DESKS, type DemoDesk, deskOf, serviceOfHost } from './services.ts';
import type { DemoUpload } from './uploads.ts';

const CAMPAIGNS = 130;
/** Campaigns that began just now, so that every desk has something to do. */
const NEW_CAMPAIGNS = 12;

/** A report to be created; `at` is its time. */
export interface PlannedReport {
  readonly at: number;
  readonly service: string;
  readonly by: string;
  readonly c2: string;
  /** Whether the settings of the file name other addresses. */
  readonly isWrong?: boolean;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A file of a campaign, known by an imported analysis. */
export interface PlannedSample {
  readonly at: number;
  readonly family: DemoFamily;
  readonly seed: string;
  readonly sha256: string;
  readonly c2s: readonly string[];
}

export interface Plan {
  readonly reports: readonly PlannedReport[];
  readonly samples: readonly PlannedSample[];
}

interface Reporter {
  readonly name: string;
  readonly weight: number;
  /** In per cent. */
  readonly confidence: number;
  readonly spread: number;
}

const REPORTERS: readonly Reporter[] = [
  { name: 'alice', weight: 30, confidence: 85, spread: 7 },
  { name: 'bruno', weight: 22, confidence: 66, spread: 14 },
  { name: 'chiyo', weight: 18, confidence: 94, spread: 4 },
  { name: 'dmitri', weight: 14, confidence: 58, spread: 16 },
  { name: 'tarpit', weight: 16, confidence: 35, spread: 12 },
];

const EXTRA_TAGS = ['phishing', 'tunnel', 'persistent', 'cracked-software', 'spam', 'open-dir'];

/** Plans the reports of all campaigns, in the order of time. */
export function planCampaigns(
  random: SeededRandom,
  uploads: readonly DemoUpload[],
  now: number,
): Plan {
  const reports: PlannedReport[] = uploads.flatMap((upload) => uploadReports(random, upload, now));
  const samples: PlannedSample[] = [];
  for (let number = 0; number < CAMPAIGNS; number += 1) {
    const isNew = number < NEW_CAMPAIGNS;
    const start = isNew ? now - random.integer(2, 540) * MINUTE_MS : startOf(random, now);
    const campaign = planCampaign(random, number, start, now);
    reports.push(...campaign.reports);
    samples.push(...campaign.samples);
  }
  reports.sort((one, other) => one.at - other.at);
  return { reports, samples };
}

/** The C2s of an uploaded file, reported by who sent it and confirmed by others. */
function uploadReports(
  random: SeededRandom,
  upload: DemoUpload,
  now: number,
): readonly PlannedReport[] {
  const seen = now - upload.daysAgo * DAY_MS;
  return upload.c2s
    .filter((_, index) => index === 0 || random.chance(0.4))
    .flatMap((named) => {
      const desk = deskOf(serviceOfHost(named));
      // Now and then somebody reports an address that the file does not name.
      const port = named.slice(named.lastIndexOf(':'));
      const isWrong = random.chance(0.12);
      const c2 = isWrong ? desk.host(random) + port : named;
      const tags = [upload.file.replace(/[-.].*/, '')];
      const first = seen + random.integer(3, 40) * MINUTE_MS;
      const source = { desk, c2, isWrong, sha256: upload.sha256, tags };
      return [first, ...laterSightings(random, first, 1, now)].map((at, index) =>
        planReport(random, source, at, index === 0 ? reporterNamed(upload.by) : undefined),
      );
    })
    .filter(({ at }) => at < now);
}

function planCampaign(
  random: SeededRandom,
  number: number,
  start: number,
  now: number,
): { readonly reports: PlannedReport[]; readonly samples: PlannedSample[] } {
  const family = random.weighted(DEMO_FAMILIES);
  const desk = random.weighted(DEMO_DESKS);
  const c2s = Array.from(
    { length: random.chance(0.3) ? 2 : 1 },
    () => `${desk.host(random)}:${random.pick(family.ports)}`,
  );
  const samples = Array.from({ length: random.integer(1, 3) }, (_, index) => {
    const seed = `${family.name} ${number}.${index}`;
    const sha256 = createHash('sha256').update(seed).digest('hex');
    // Some analyses arrive after the first report, which then gets its name.
    return { at: start + random.integer(-600, 90) * MINUTE_MS, family, seed, sha256, c2s };
  });
  const reports = c2s.flatMap((c2) =>
    [start, ...laterSightings(random, start, 2, now)].map((at) => {
      const { sha256 } = random.pick(samples);
      const tags = [family.name.toLowerCase(), family.kind.toLowerCase()];
      return planReport(random, { desk, c2, sha256, tags }, at);
    }),
  );
  // Nobody analysed the files of some campaigns: their reports have no name.
  const isKnown = random.chance(0.88);
  return { reports, samples: isKnown ? samples.filter(({ at }) => at < now) : [] };
}

/** When others report the same address: within hours, or again after it was taken down. */
function laterSightings(
  random: SeededRandom,
  first: number,
  average: number,
  now: number,
): readonly number[] {
  const count = random.integer(0, 2 * average);
  return Array.from({ length: count }, () => {
    const hours = random.chance(0.15) ? 24 * random.integer(3, 12) : random.around(9);
    return atWork(random, first + hours * HOUR_MS, now);
  }).filter((at) => at < now);
}

interface ReportSource {
  readonly desk: DemoDesk;
  readonly c2: string;
  readonly isWrong?: boolean;
  readonly sha256: string;
  readonly tags: readonly string[];
}

function planReport(
  random: SeededRandom,
  { desk, c2, isWrong = false, sha256, tags }: ReportSource,
  at: number,
  reporter: Reporter = random.weighted(REPORTERS),
): PlannedReport {
  const percent = reporter.confidence + reporter.spread * random.normal();
  const score = Math.round((Math.min(100, Math.max(2, percent)) * desk.confidenceScale) / 100);
  const extra = random.chance(0.3) ? [random.pick(EXTRA_TAGS)] : [];
  const reference = random.chance(0.2)
    ? { referenceLink: `https://research.example/${tags[0]}-${random.integer(100, 999)}` }
    : {};
  return {
    at,
    service: desk.service,
    by: reporter.name,
    c2,
    isWrong,
    body: {
      c2Address: c2,
      file256Hash: sha256,
      tags: [...tags, ...extra],
      confidenceScore: score,
      ...reference,
    },
  };
}

function reporterNamed(name: string): Reporter {
  return REPORTERS.find((each) => each.name === name) as Reporter;
}
