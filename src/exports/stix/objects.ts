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

interface ReportObjects {
  /** Those that other reports may have too. */
  readonly shared: readonly StixObject[];
  /** Those that no other report has. They refer to the shared ones. */
  readonly own: readonly StixObject[];
}

/** Makes the objects of many reports. */
export class ObjectMaker {
  readonly #context: StixContext;
  readonly #subjects: SubjectFinder;

  constructor(context: StixContext) {
    this.#context = context;
    this.#subjects = new SubjectFinder(context);
  }

  of(report: ExportedReport): ReportObjects {
    if (!isWritable(report)) return { shared: [], own: [] };
    const common = commonParts(report, this.#context);
    const indicators = indicatorsOf(report, common, this.#context);
    if (this.#context.profile === 'indicators') return { shared: [], own: indicators };
    const subjects = this.#subjects.of(report);
    return {
      shared: subjects.shared,
      own: [...indicators, ...relationshipsOf(subjects, common)],
    };
  }
}

/** The objects of a report, each after those that it refers to. */
export function objectsOf(report: ExportedReport, context: StixContext): readonly StixObject[] {
  const { shared, own } = new ObjectMaker(context).of(report);
  return [...shared, ...own];
}

/** The same in both profiles: what else there was may be that of other reports. */
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
