import { optionOf } from '../block-list.ts';
import type { ExportContext, Exporter, ExportFile, ExportWriter } from '../exporter.ts';
import { sha256 } from '../sha256.ts';
import { openAddresses, openDomains } from './datasets.ts';
import { openCategories, openReputation } from './reputation.ts';
import { openRules } from './rules.ts';

interface SuricataFile extends Partial<ExportFile> {
  /** In the set. */
  readonly name: string;
  readonly fields?: Exporter['fields'];
  open(context: ExportContext): ExportWriter;
}

const FILES: Readonly<Record<string, SuricataFile>> = {
  rules: { name: 'feed.rules', open: (context) => openRules(context, false) },
  domains: { name: 'c2-domains.lst', extension: 'lst', open: openDomains },
  addresses: { name: 'c2-ips.lst', extension: 'lst', open: openAddresses },
  samples: {
    name: 'samples.sha256',
    extension: 'sha256',
    order: 'file',
    fields: sha256.fields,
    open: (context) => sha256.open(context),
  },
  categories: { name: 'categories.txt', extension: 'txt', open: openCategories },
  reputation: { name: 'reputation.list', extension: 'list', open: openReputation },
};

const RULES_FILE = 'rules';

/** Rules, the lists that they can use, and an archive of all, which suricata-update installs. */
export const suricata: Exporter = {
  format: 'suricata',
  mediaType: 'text/plain; charset=utf-8',
  extension: 'rules',
  order: 'address',
  version: 3,
  fields: [
    'number',
    'id',
    'service',
    'sequence',
    'createdSequence',
    'name',
    'c2',
    'sha256',
    'reportedAt',
    'confidence',
    'status',
    'rejectionSequence',
    'updatedAt',
  ],
  options: {
    file: ['rules', 'domains', 'addresses', 'samples', 'categories', 'reputation', 'set'],
  },
  variant({ file = RULES_FILE }) {
    if (file === 'set') return { mediaType: 'application/gzip', extension: 'tar.gz' };
    const { extension, order } = FILES[file] ?? {};
    return { ...(extension && { extension }), ...(order && { order }) };
  },
  archive: ({ file }) => (file === 'set' ? filesOfSet() : undefined),
  open: (context) => {
    const file = FILES[optionOf(suricata, context, 'file')];
    return file === undefined ? openRules(context, false) : file.open(context);
  },
};

function filesOfSet(): Readonly<Record<string, Exporter>> {
  const files = Object.entries(FILES).map(([file, { name, open, ...rest }]) => {
    const ownOpen =
      file === RULES_FILE ? (context: ExportContext) => openRules(context, true) : open;
    const { format, mediaType, extension, order, fields } = suricata;
    return [name, { format, mediaType, extension, order, fields, ...rest, open: ownOpen }] as const;
  });
  return Object.fromEntries(files);
}
