import type { Facts } from '../../../domain/samples/analysis.ts';
import { printableText } from '../../printable-text.ts';
import { defineFormat, type Findings } from '../format.ts';
import { nestCounted } from '../nest.ts';
import { decodeStream } from './filters.ts';
import { isPdf, type PdfScan, type PdfStream, parsePdf, scanObjectStream } from './scan.ts';

const TAGS = {
  PDF: [1, 'A PDF document'],
  PDF_JAVASCRIPT: [4, 'Has JavaScript'],
  PDF_OPEN_ACTION: [3, 'Has an action that runs when it is opened'],
  PDF_LAUNCH: [6, 'Starts a program or opens an external file'],
  PDF_EMBEDDED_FILE: [3, 'Has embedded files'],
  PDF_RICH_MEDIA: [3, 'Has Flash, video or 3D content'],
  PDF_XFA: [2, 'Has a dynamic form (XFA), which may contain scripts'],
  PDF_OBFUSCATED_NAMES: [4, 'Escapes letters in names, which hides them'],
  PDF_ENCRYPTED: [2, 'Strings and streams are encrypted'],
} as const;

type Tag = keyof typeof TAGS;

/** Each of these names is sufficient for the tag. */
const NAME_TAGS: readonly (readonly [name: string, tag: Tag])[] = [
  ['JavaScript', 'PDF_JAVASCRIPT'],
  ['JS', 'PDF_JAVASCRIPT'],
  ['OpenAction', 'PDF_OPEN_ACTION'],
  ['AA', 'PDF_OPEN_ACTION'],
  ['Launch', 'PDF_LAUNCH'],
  ['EmbeddedFile', 'PDF_EMBEDDED_FILE'],
  ['RichMedia', 'PDF_RICH_MEDIA'],
  ['XFA', 'PDF_XFA'],
  ['Encrypt', 'PDF_ENCRYPTED'],
];
const MAX_STREAM_BYTES = 8 * 1024 * 1024;
const MAX_FILE_BYTES = 64 * 1024 * 1024;
const MAX_OBJECT_STREAMS = 500;

/** The objects of the file, or those of an object stream at `offset`. */
interface Layer {
  readonly scan: PdfScan;
  readonly offset: number | undefined;
}

export const pdf = defineFormat({
  name: 'pdf',
  tags: TAGS,

  matches(subject) {
    return isPdf(subject.bytes);
  },

  async inspect(subject, findings) {
    const scan = subject.as(parsePdf);
    if (scan === undefined) return;
    findings.tag('PDF', { offset: 0, note: scan.version });
    const layers: Layer[] = [{ scan, offset: undefined }];
    layers.push(...(await openObjectStreams(scan, findings)));
    for (const layer of layers) inspectLayer(layer, findings);
    findings.facts(describe(layers));
    await nestStreams(layers, findings);
  },
});

async function openObjectStreams(scan: PdfScan, findings: Findings<Tag>): Promise<Layer[]> {
  const streams = scan.streams.filter(({ type }) => type === 'ObjStm');
  if (streams.length > MAX_OBJECT_STREAMS) {
    findings.limit(`more than ${MAX_OBJECT_STREAMS} object streams`);
  }
  const layers: Layer[] = [];
  for (const stream of streams.slice(0, MAX_OBJECT_STREAMS)) {
    if (!mayUnpack(findings)) break;
    const bytes = await unpack(stream, MAX_STREAM_BYTES, findings);
    if (!findings.budget.takeBytes(bytes.length)) break;
    layers.push({ scan: scanObjectStream(bytes.subarray(stream.first)), offset: stream.offset });
  }
  return layers;
}

/** Whether time and budget allow unpacking; otherwise the limit is reported. */
function mayUnpack({ budget }: Findings<Tag>): boolean {
  return !budget.isOver() && (budget.bytesLeft > 0 || budget.takeBytes(1));
}

async function unpack(
  stream: PdfStream,
  maxBytes: number,
  findings: Findings<Tag>,
): Promise<Buffer> {
  const limit = Math.min(maxBytes, findings.budget.bytesLeft);
  const { bytes, cut } = await decodeStream(stream, limit);
  if (cut) findings.limit(`a stream unpacks to more than ${limit} bytes`);
  return bytes;
}

function inspectLayer({ scan, offset }: Layer, findings: Findings<Tag>): void {
  for (const [name, tag] of NAME_TAGS) {
    const found = scan.names.get(name);
    if (found !== undefined) {
      findings.tag(tag, { offset: offset ?? found.offset, note: `/${name} (${found.count})` });
    }
  }
  for (const { text, offset: at } of scan.launched) {
    findings.tag('PDF_LAUNCH', { offset: offset ?? at, note: text });
  }
  const disguised = scan.disguisedName;
  if (disguised !== undefined) {
    const note = `/${disguised.text}`;
    findings.tag('PDF_OBFUSCATED_NAMES', { offset: offset ?? disguised.offset, note });
  }
  for (const { text, offset: at } of scan.uris) findings.indicator('url', text, offset ?? at);
  for (const note of scan.truncated) findings.limit(note);
}

/** Nests scripts, forms and embedded files, in the file and in object streams. */
async function nestStreams(layers: readonly Layer[], findings: Findings<Tag>): Promise<void> {
  for (const { text } of layers.flatMap(({ scan }) => scan.scripts)) {
    if (!nestCounted(findings, 'javascript.js', Buffer.from(text, 'utf8'))) return;
  }
  const wanted = wantedStreams(layers);
  for (const stream of layers[0]?.scan.streams ?? []) {
    const name =
      wanted.get(stream.object) ??
      (stream.type === 'EmbeddedFile' ? `file ${stream.object}` : undefined);
    if (name === undefined) continue;
    if (!mayUnpack(findings)) return;
    const bytes = await unpack(stream, MAX_FILE_BYTES, findings);
    if (!nestCounted(findings, name, bytes)) return;
  }
}

/** Names of the streams to nest, by object number. */
function wantedStreams(layers: readonly Layer[]): ReadonlyMap<number, string> {
  const wanted = new Map<number, string>();
  for (const { scan } of layers) {
    for (const object of scan.formObjects) wanted.set(object, `form ${object}.xml`);
    for (const object of scan.scriptObjects) wanted.set(object, `javascript ${object}.js`);
    for (const [object, name] of scan.fileObjects) wanted.set(object, name || `file ${object}`);
  }
  return wanted;
}

function describe(layers: readonly Layer[]): Facts {
  const names: Record<string, number> = {};
  for (const { scan } of layers) {
    for (const [name, { count }] of scan.names) names[name] = (names[name] ?? 0) + count;
  }
  const [file] = layers;
  return {
    version: printableText(file?.scan.version ?? '', 16),
    objectCount: file?.scan.objectCount ?? 0,
    streamCount: file?.scan.streams.length ?? 0,
    objectStreamCount: layers.length - 1,
    names,
  };
}
