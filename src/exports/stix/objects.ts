import type { ExportedReport, WithdrawnReport } from '../../domain/reports/exported-report.ts';
import type { ExportedService } from '../exporter.ts';
import { commonParts, identityId, indicatorsOf, revokedIndicatorsOf } from './indicators.ts';
import { markingOf } from './markings.ts';
import { isWritable } from './observables.ts';
import { relationshipsOf, SubjectFinder } from './relations.ts';
import { jsonText, type StixContext, type StixObject } from './stix-object.ts';

/** What the objects of reports refer to: the marking, and an identity for each service. */
export function feedObjects(context: StixContext): readonly StixObject[] {
  const services = [...context.services.values()];
  return [markingOf(context), ...services.map((service) => identityObject(service, context))];
}

/** Makes the objects of many reports, sorted by address, each after those that it refers to. */
export class ObjectMaker {
  readonly #context: StixContext;
  readonly #subjects: SubjectFinder;

  constructor(context: StixContext) {
    this.#context = context;
    this.#subjects = new SubjectFinder(context);
  }

  /** Without those that an earlier report had too, as far as they are remembered. */
  of(report: ExportedReport): readonly StixObject[] {
    if (!isWritable(report)) return [];
    const common = commonParts(report, this.#context);
    const indicators = indicatorsOf(report, common, this.#context);
    if (this.#context.profile === 'indicators') return indicators;
    const subjects = this.#subjects.of(report);
    return [...subjects.added, ...indicators, ...relationshipsOf(subjects, common)];
  }
}

/** All objects of one report. */
export function objectsOf(report: ExportedReport, context: StixContext): readonly StixObject[] {
  return new ObjectMaker(context).of(report);
}

/**
 * The same in both profiles: what else there was may be that of other reports. Both indicators,
 * because a tombstone does not tell whether that of the C2 was ever published.
 */
export function withdrawnObjectsOf(
  withdrawn: WithdrawnReport,
  context: StixContext,
): readonly StixObject[] {
  if (!isWritable(withdrawn)) return [];
  return revokedIndicatorsOf(withdrawn, commonParts(withdrawn, context));
}

/** Named by the slug, which never changes: a new name would need a new version. */
function identityObject({ slug, createdAt }: ExportedService, context: StixContext): StixObject {
  const id = identityId(slug, context);
  const text = `{"type":"identity","spec_version":"2.1","id":"${id}","created":"${createdAt}","modified":"${createdAt}","object_marking_refs":["${markingOf(context).id}"],"name":"${jsonText(slug)}","identity_class":"organization"}`;
  return { type: 'identity', id, version: createdAt, text };
}
