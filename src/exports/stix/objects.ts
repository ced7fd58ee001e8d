import type { ExportedReport, WithdrawnReport } from '../../domain/reports/exported-report.ts';
import type { ExportedService } from '../exporter.ts';
import { identityId, indicatorsOf, revokedIndicatorsOf } from './indicators.ts';
import { markingOf } from './markings.ts';
import { relationshipsOf, sharedObjectsOf } from './relations.ts';
import type { StixContext, StixObject } from './stix-object.ts';

/** What the objects of reports refer to: the marking, and an identity for each service. */
export function feedObjects(context: StixContext): readonly StixObject[] {
  const services = [...context.services.values()];
  return [markingOf(context), ...services.map((service) => identityObject(service, context))];
}

/** The objects of a report, each after those that it refers to. */
export function objectsOf(report: ExportedReport, context: StixContext): readonly StixObject[] {
  return [
    ...(context.profile === 'rich' ? sharedObjectsOf(report, context) : []),
    ...ownObjectsOf(report, context),
  ];
}

/** Those that no other report has. */
export function ownObjectsOf(report: ExportedReport, context: StixContext): readonly StixObject[] {
  return [
    ...indicatorsOf(report, context),
    ...(context.profile === 'rich' ? relationshipsOf(report, context) : []),
  ];
}

/** The same in both profiles: what else there was may be that of other reports. */
export function withdrawnObjectsOf(
  withdrawn: WithdrawnReport,
  context: StixContext,
): readonly StixObject[] {
  return revokedIndicatorsOf(withdrawn, context);
}

/** Named by the slug, which never changes: a new name would need a new version. */
function identityObject({ slug, createdAt }: ExportedService, context: StixContext): StixObject {
  return {
    type: 'identity',
    spec_version: '2.1',
    id: identityId(slug, context),
    created: createdAt,
    modified: createdAt,
    object_marking_refs: [markingOf(context).id],
    name: slug,
    identity_class: 'organization',
  };
}
