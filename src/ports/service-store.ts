import type { Contact } from '../domain/contacts/contact.ts';
import type { MailSettings } from '../domain/mail/mail-settings.ts';
import type { Overlap, Route } from '../domain/services/route.ts';
import type { Service } from '../domain/services/service.ts';
import type { ServiceRefusal, ServiceValues } from '../domain/services/service-change.ts';
import type { AuditContext } from './audit-context.ts';

export interface ServiceStore {
  add(
    service: Service,
    audit: AuditContext,
    mail?: MailChange | undefined,
  ): Promise<'added' | 'exists'>;
  change(
    slug: string,
    changes: ServiceChanges,
    audit: AuditContext,
  ): Promise<Service | 'absent' | ServiceRefusal>;
  list(): Promise<readonly Service[]>;
  /**
   * In the order of the slugs, only those after `after`. Fewer than `limit` if they declare very
   * many hosts and networks.
   */
  page(page: ServicePage): Promise<ServiceSlice>;
  /** The service that answers for a canonical host, by its most specific pattern. */
  route(host: string): Promise<Route | undefined>;
  /** The service of a route as a contact. */
  contact(route: Route): Promise<Contact | undefined>;
  /** The patterns that lie in a pattern of another service. */
  overlaps(request: OverlapRequest): Promise<OverlapSlice>;
  /**
   * Indexes the patterns of services that are older than the index, at most `limit`. Returns the
   * number indexed; 0: none is left.
   */
  indexPatterns(limit: number): Promise<number>;
}

/** In the order of the index of patterns. */
export interface PatternPosition {
  readonly key: string;
  readonly slug: string;
}

export interface OverlapRequest {
  /** `undefined`: from the first pattern on. */
  readonly after: PatternPosition | undefined;
  /** The patterns to examine, at most. */
  readonly examine: number;
  /** The overlaps to return, at most. */
  readonly limit: number;
}

export interface OverlapSlice {
  readonly overlaps: readonly Overlap[];
  /** `undefined` after the last pattern. */
  readonly next: PatternPosition | undefined;
}

export interface ServicePage {
  readonly after?: string | undefined;
  readonly limit: number;
}

export interface ServiceSlice {
  readonly services: readonly Service[];
  readonly hasMore: boolean;
}

export interface ServiceChanges extends ServiceValues {
  readonly mail?: MailChange | undefined;
}

/** How the service gets its reports by mail from now on; `undefined` settings: not at all. */
export interface MailChange {
  /** The id of the destination if the service has none. */
  readonly id: string;
  readonly settings: MailSettings | undefined;
}
