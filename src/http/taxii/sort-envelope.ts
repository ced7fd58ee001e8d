import type { SubmittedObject } from './envelope.ts';
import { nextObject } from './envelope-turns.ts';
import { type Indicator, ObjectGraph } from './object-graph.ts';
import { type PatternSubject, readPattern } from './stix-pattern.ts';

/** What became of an object. */
export interface Verdict {
  readonly object: SubmittedObject;
  readonly accepted: boolean;
  readonly message: string;
  /** The ids of the objects of the feed that stand for it; only of an accepted indicator. */
  readonly publishedAs?: readonly string[];
}

/** An indicator of a C2 and one of a file, or one of both. */
export interface SubmittedReport {
  readonly objects: readonly SubmittedObject[];
  readonly host: string;
  readonly port: number;
  readonly sha256: string;
}

export interface SortedEnvelope {
  readonly reports: readonly SubmittedReport[];
  readonly verdicts: readonly Verdict[];
}

/** Objects that describe the indicators and are not stored by themselves. */
const DESCRIBING: ReadonlySet<string> = new Set([
  'identity',
  'marking-definition',
  'extension-definition',
  'relationship',
  'infrastructure',
  'malware',
  'ipv4-addr',
  'ipv6-addr',
  'domain-name',
  'network-traffic',
  'file',
]);

/** More labels than a report has tags, and more references than are read. */
const MAX_LIST = 100;

/**
 * Finds the reports among the objects, and says of all others what became of them. Takes several
 * turns of the event loop.
 */
export async function sortEnvelope(objects: readonly SubmittedObject[]): Promise<SortedEnvelope> {
  const graph = new ObjectGraph(objects);
  const verdicts: Verdict[] = [];
  const indicators: Indicator[] = [];
  for (const object of objects) {
    const read = readObject(object, graph);
    if ('message' in read) verdicts.push({ object, ...read });
    else if (read.kind === 'indicator') indicators.push({ object, ...read.subject });
    await nextObject();
  }
  graph.addIndicators(indicators);
  const reports: SubmittedReport[] = [];
  for (const indicator of indicators) {
    const found = reportOfIndicator(indicator, graph);
    if (typeof found === 'string')
      verdicts.push({ object: indicator.object, accepted: false, message: found });
    else if (found !== undefined) reports.push(found);
    await nextObject();
  }
  const used = graph.describing(reports.flatMap((report) => report.objects));
  for (const object of objects)
    if (isDescribing(object, graph)) verdicts.push(verdictOf(object, used.has(object)));
  return { reports, verdicts };
}

function isDescribing(object: SubmittedObject, graph: ObjectGraph): boolean {
  return DESCRIBING.has(object.type) && graph.isNewest(object);
}

function verdictOf(object: SubmittedObject, accepted: boolean): Verdict {
  const message = accepted
    ? 'Not stored by itself: it describes the indicators.'
    : 'Not used: no report of the envelope refers to it.';
  return { object, accepted, message };
}

type ReadObject =
  | { readonly kind: 'indicator'; readonly subject: PatternSubject }
  | { readonly kind: 'describing' }
  | Omit<Verdict, 'object'>;

function readObject(object: SubmittedObject, graph: ObjectGraph): ReadObject {
  const refuse = (message: string) => ({ accepted: false, message });
  if (!graph.isNewest(object))
    return { accepted: true, message: 'The envelope has a newer version, or the same again.' };
  if (DESCRIBING.has(object.type)) return { kind: 'describing' };
  if (object.type !== 'indicator')
    return refuse(`Objects of the type ${object.type} are not accepted, only indicators.`);
  if (object.spec_version !== '2.1') return refuse('spec_version must be "2.1".');
  if (object.revoked === true)
    return refuse('A revoked indicator is not accepted. Delete its object instead.');
  if (object.pattern_type !== 'stix') return refuse('pattern_type must be "stix".');
  const { labels = [], external_references: references = [] } = object;
  // Several reports may share an indicator of a file, and each reads its lists.
  if (labels.length > MAX_LIST || references.length > MAX_LIST)
    return refuse(`An indicator has at most ${MAX_LIST} labels and external_references.`);
  const subject = readPattern(object.pattern ?? '');
  return typeof subject === 'string' ? refuse(subject) : { kind: 'indicator', subject };
}

const UNRELATED =
  'both must have the same external_id, or a relationship between them, or one pattern must have both.';

/** `undefined` if the report is that of an indicator of a C2. */
function reportOfIndicator(
  { object, host, port, sha256 }: Indicator,
  graph: ObjectGraph,
): SubmittedReport | string | undefined {
  if (host === undefined) {
    const hasC2 = graph.partnersOf(object, 'c2').length > 0;
    return hasC2 ? undefined : `No indicator of a C2 belongs to this one: ${UNRELATED}`;
  }
  const [partner, another] = sha256 === undefined ? graph.partnersOf(object, 'file') : [];
  if (sha256 === undefined && partner === undefined)
    return `No indicator of a file belongs to this one: ${UNRELATED}`;
  if (another !== undefined) return 'Several indicators of files belong to this one.';
  const knownPort = port ?? graph.portOf(object, host);
  if (knownPort === undefined)
    return 'The port of the C2 is not known: compare network-traffic:dst_port in the pattern, relate it to a network-traffic object, or end the name with "<host>:<port>".';
  return {
    objects: partner === undefined ? [object] : [object, partner.object],
    host,
    port: knownPort,
    sha256: sha256 ?? partner?.sha256 ?? '',
  };
}
