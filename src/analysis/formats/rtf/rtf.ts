import { printableText } from '../../printable-text.ts';
import { defineFormat, type Findings } from '../format.ts';
import { nestCounted } from '../nest.ts';
import { parseEmbeddedObject } from '../ole/embedded.ts';
import { packageName, parsePackage } from '../ole/package.ts';
import { isRtf, parseRtf, type RtfDocument, type RtfObject } from './file.ts';

const TAGS = {
  RTF: [1, 'A document in Rich Text Format'],
  RTF_OBJECT: [4, 'Has an embedded OLE object'],
  RTF_OBJECT_UPDATE: [5, 'An embedded object is opened automatically'],
  RTF_OBFUSCATED: [5, 'The header or an object is crafted to mislead scanners'],
  OLE_PACKAGE: [5, 'The document has an embedded file'],
  EQUATION_EDITOR: [
    6,
    'Has an object of the old equation editor, whose vulnerabilities execute code',
  ],
  REMOTE_TEMPLATE: [6, 'The document loads its template from another machine'],
} as const;

type Tag = keyof typeof TAGS;

/** Editors only add line breaks; a few stray characters are damage rather than intent. */
const MANY_DISTURBANCES = 4;

export const rtf = defineFormat({
  name: 'rtf',
  tags: TAGS,

  matches(subject) {
    return isRtf(subject.bytes);
  },

  inspect(subject, findings) {
    const document = subject.as(parseRtf);
    if (document === undefined) return;
    findings.tag('RTF', { offset: 0 });
    inspectDocument(document, findings);
    for (const object of document.objects) {
      if (!inspectObject(object, findings)) break;
    }
    findings.facts({
      objects: document.objects.map(({ className, data, offset }) => ({
        className: printableText(parseEmbeddedObject(data)?.className || className, 128),
        sizeBytes: data.length,
        offset,
      })),
    });
    for (const note of document.truncated) findings.limit(note);
  },
});

function inspectDocument(document: RtfDocument, findings: Findings<Tag>): void {
  const { template } = document;
  if (document.oddHeader) findings.tag('RTF_OBFUSCATED', { offset: 0, note: 'odd header' });
  if (document.updates > 0) findings.tag('RTF_OBJECT_UPDATE');
  if (/^(?:https?:|ftp:|file:|\\\\)/i.test(template)) {
    findings.tag('REMOTE_TEMPLATE', { note: template });
    if (/^https?:/i.test(template)) findings.indicator('url', template, 0);
  }
}

function inspectObject(object: RtfObject, findings: Findings<Tag>): boolean {
  const { offset, data, disturbances } = object;
  const embedded = parseEmbeddedObject(data);
  const className = embedded?.className || object.className;
  findings.tag('RTF_OBJECT', { offset, note: className });
  if (disturbances >= MANY_DISTURBANCES) {
    findings.tag('RTF_OBFUSCATED', { offset, note: `${disturbances} strays between the digits` });
  }
  if (/^equation\.[23]/i.test(className)) findings.tag('EQUATION_EDITOR', { offset });
  const found = /^package$/i.test(className) ? parsePackage(embedded?.data ?? data) : undefined;
  if (found === undefined)
    return nestCounted(findings, className || 'object', embedded?.data ?? data);
  findings.tag('OLE_PACKAGE', { offset, note: found.sourcePath || found.label });
  return nestCounted(findings, packageName(found), found.content);
}
