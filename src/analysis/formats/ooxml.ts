import { defineFormat, type Findings } from './format.ts';

/**
 * Relationships of an Office Open XML document (`word/_rels/settings.xml.rels`). ECMA-376 part 2,
 * 9.3: `<Relationship Type="…/attachedTemplate" Target="…" TargetMode="External"/>`.
 */
const TAGS = {
  REMOTE_TEMPLATE: [6, 'The document loads its template from another machine'],
  REMOTE_OBJECT: [6, 'The document loads an object from another machine when it is opened'],
  XLM_MACROS: [5, 'Has Excel 4 macro sheets'],
} as const;

type Tag = keyof typeof TAGS;

interface Relation {
  readonly type: string;
  readonly target: string;
  readonly external: boolean;
  readonly offset: number;
}

const MAX_TEXT_BYTES = 1024 * 1024;
const MAX_RELATIONS = 2000;
const MAX_ELEMENT = 16 * 1024;
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
};

export const ooxmlRelations = defineFormat({
  name: 'ooxml',
  tags: TAGS,

  matches(subject) {
    return subject.name.toLowerCase().endsWith('.rels');
  },

  inspect(subject, findings) {
    const relations = subject.as(parseRelations) ?? [];
    for (const relation of relations) inspectRelation(relation, findings);
    if (subject.bytes.length > MAX_TEXT_BYTES || relations.length >= MAX_RELATIONS) {
      findings.limit('too many relations');
    }
  },
});

function parseRelations(bytes: Buffer): readonly Relation[] | undefined {
  const text = bytes.toString('latin1', 0, MAX_TEXT_BYTES);
  const relations: Relation[] = [];
  const needle = '<relationship ';
  const lower = text.toLowerCase();
  let end = 0;
  for (let at = lower.indexOf(needle); at !== -1; at = lower.indexOf(needle, end)) {
    end = text.indexOf('>', at);
    if (end === -1 || relations.length >= MAX_RELATIONS) break;
    const element = text.slice(at, Math.min(end, at + MAX_ELEMENT));
    relations.push({
      type: attribute(element, 'Type'),
      target: attribute(element, 'Target'),
      external: attribute(element, 'TargetMode').toLowerCase() === 'external',
      offset: at,
    });
  }
  return relations;
}

const ATTRIBUTES = {
  Type: /\sType\s{0,8}=\s{0,8}(?:"([^"]*)"|'([^']*)')/,
  Target: /\sTarget\s{0,8}=\s{0,8}(?:"([^"]*)"|'([^']*)')/,
  TargetMode: /\sTargetMode\s{0,8}=\s{0,8}(?:"([^"]*)"|'([^']*)')/,
} as const;

function attribute(element: string, name: keyof typeof ATTRIBUTES): string {
  const found = ATTRIBUTES[name].exec(element);
  const value = found?.[1] ?? found?.[2] ?? '';
  const plain = value.replace(/&(?:amp|lt|gt|quot|apos);/g, (entity) => ENTITIES[entity] ?? '');
  return Buffer.from(plain, 'latin1').toString('utf8');
}

function inspectRelation(relation: Relation, findings: Findings<Tag>): void {
  const { type, target, external, offset } = relation;
  const kind = type.slice(type.lastIndexOf('/') + 1);
  if (kind === 'xlMacrosheet' || kind === 'xlIntlMacrosheet') {
    findings.tag('XLM_MACROS', { offset, note: target });
  }
  if (!external) return;
  if (/^https?:/i.test(target)) findings.indicator('url', target, offset);
  if (!/^(?:https?:|ftp:|file:|mhtml:|\\\\)/i.test(target)) return;
  if (kind === 'attachedTemplate') findings.tag('REMOTE_TEMPLATE', { offset, note: target });
  if (['oleObject', 'frame', 'subDocument', 'aFChunk'].includes(kind)) {
    findings.tag('REMOTE_OBJECT', { offset, note: target });
  }
}
