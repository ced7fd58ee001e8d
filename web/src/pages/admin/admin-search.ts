import { text } from '../../text/search-values.ts';

export const SECTIONS = {
  services: 'Services',
  accounts: 'Accounts',
  queue: 'Queue',
  workers: 'Workers',
  audit: 'Audit log',
  settings: 'Settings',
} as const;

export type SectionName = keyof typeof SECTIONS;

export const AUDIT_FILTERS = ['actor', 'action', 'subject'] as const;

export type AuditFilterName = (typeof AUDIT_FILTERS)[number];

export type AuditFilter = { readonly [Name in AuditFilterName]?: string | undefined };

/** The section and the filters of the audit log, as they are in the URL. */
export type AdminSearch = AuditFilter & { readonly section?: string | undefined };

export function adminSearch(search: Readonly<Record<string, unknown>>): AdminSearch {
  return {
    section: text(search['section']),
    actor: text(search['actor']),
    action: text(search['action']),
    subject: text(search['subject']),
  };
}

export function sectionOf({ section }: AdminSearch): SectionName {
  return section !== undefined && Object.hasOwn(SECTIONS, section)
    ? (section as SectionName)
    : 'services';
}
