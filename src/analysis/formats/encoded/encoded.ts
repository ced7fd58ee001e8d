import { type DeflateFormat, inflateAtMost } from '../../codecs/inflate.ts';
import type { Subject } from '../../subject.ts';
import { parseDotnet } from '../dotnet/file.ts';
import { readImage } from '../dotnet/image.ts';
import { type DotnetResource, resourcesOf, valuesOf } from '../dotnet/resources.ts';
import { defineFormat, type EvidenceNote, type Findings } from '../format.ts';
import { nestCounted } from '../nest.ts';
import { isMz, readHeaders } from '../pe/headers.ts';
import { parsePe } from '../pe/pe.ts';
import { isRecognised } from '../script/layers.ts';
import { decodeRun } from './decode.ts';
import { encodedRuns, MIN_CHARACTERS } from './runs.ts';

const TAGS = {
  ENCODED_PAYLOAD: [4, 'Contains an encoded text or file'],
  COMPRESSED_PAYLOAD: [2, 'Contains a compressed text or file'],
} as const;

type Tag = keyof typeof TAGS;

const MAX_LAYERS = 16;
/** Three bytes also match by chance in a large file, so some attempts yield nothing. */
const MAX_TRIED = 256;
const MAX_LAYER_BYTES = 32 * 1024 * 1024;
const ELF_MAGIC = Buffer.from('\x7fELF', 'latin1');
const GZIP_MAGIC = Buffer.from('1f8b08', 'hex');

/**
 * Content that programs embed as base64, hexadecimal digits or gzip, and texts that consist only of
 * such content.
 */
export const encoded = defineFormat({
  name: 'encoded',
  tags: TAGS,

  matches: ({ bytes }) => isProgram(bytes) || isAllEncoded(bytes),

  async inspect(subject, findings) {
    const layers = new Layers(findings);
    inspectRuns(subject, layers);
    if (!isProgram(subject.bytes)) return;
    const resources = dotnetResources(subject);
    await inspectGzip(subject, resources, layers);
    await inspectDeflated(resources, layers);
  },
});

/** Nests decoded content, up to a limit. */
class Layers {
  readonly #findings: Findings<Tag>;
  #remaining = MAX_LAYERS;

  constructor(findings: Findings<Tag>) {
    this.#findings = findings;
  }

  /** Whether no more content can be nested. */
  isOver(): boolean {
    return this.#remaining < 0 || this.#findings.budget.isOver();
  }

  take(tag: Tag, evidence: EvidenceNote, content: { name: string; bytes: Buffer }): void {
    this.#remaining -= 1;
    if (this.#remaining < 0) {
      this.#findings.limit(`more than ${MAX_LAYERS} encoded or compressed parts`);
      return;
    }
    this.#findings.tag(tag, evidence);
    if (!nestCounted(this.#findings, content.name, content.bytes)) this.#remaining = -1;
  }

  async inflate(packed: Buffer, kind: DeflateFormat): Promise<Buffer> {
    const maxBytes = Math.min(MAX_LAYER_BYTES, this.#findings.budget.bytesLeft);
    const { bytes, cut } = await inflateAtMost(packed, kind, maxBytes);
    if (cut) this.#findings.limit(`a compressed part unpacks to more than ${maxBytes} bytes`);
    return bytes;
  }
}

/** `certutil -decode` accepts any content between such lines. */
const PEM = '-----BEGIN ';
const LONGEST_PEM_LINE = 64;

function isProgram(bytes: Buffer): boolean {
  return isMz(bytes) || bytes.subarray(0, ELF_MAGIC.length).equals(ELF_MAGIC);
}

/** Judged by the beginning first: the whole may be large. */
function isAllEncoded(bytes: Buffer): boolean {
  const head = bytes.subarray(0, 4 * MIN_CHARACTERS);
  const [run] = encodedRuns(head);
  // A byte order mark may precede it, or a line that declares a certificate.
  const maxPrefix = head.toString('latin1', 0, PEM.length) === PEM ? LONGEST_PEM_LINE : 3;
  if (run === undefined || run.start > maxPrefix || run.end < head.length - 1) return false;
  return decodeRun(head, run) !== undefined;
}

function inspectRuns({ bytes }: Subject, layers: Layers): void {
  for (const run of encodedRuns(bytes)) {
    if (layers.isOver()) return;
    const decoded = decodeRun(bytes, run);
    if (decoded === undefined) continue;
    const name = `decoded ${decoded.encoding} ${run.start}`;
    const evidence = { offset: run.start, note: decoded.encoding };
    layers.take('ENCODED_PAYLOAD', evidence, { name, bytes: decoded.bytes });
  }
}

async function inspectGzip(
  subject: Subject,
  resources: readonly DotnetResource[],
  layers: Layers,
): Promise<void> {
  for (const offset of gzipOffsets(subject, resources)) {
    if (layers.isOver()) return;
    const bytes = await layers.inflate(subject.bytes.subarray(offset), 'gzip');
    if (!isRecognised(bytes)) continue;
    const evidence = { offset, note: 'gzip' };
    layers.take('COMPRESSED_PAYLOAD', evidence, { name: `gzip ${offset}`, bytes });
  }
}

const TRIAL_BYTES = 1024;
const MZ = Buffer.from('MZ');

/**
 * Libraries merged into a .NET program are often deflated (`DeflateStream`), which has no magic
 * number, so the result must be a program.
 */
async function inspectDeflated(
  resources: readonly DotnetResource[],
  layers: Layers,
): Promise<void> {
  for (const { name, offset, bytes: packed } of resources.slice(0, MAX_TRIED)) {
    if (layers.isOver()) return;
    const head = await inflateAtMost(packed.subarray(0, TRIAL_BYTES), 'raw', MZ.length);
    if (!head.bytes.equals(MZ)) continue;
    const bytes = await layers.inflate(packed, 'raw');
    if (readHeaders(bytes) === undefined) continue;
    const evidence = { offset, note: 'deflate' };
    layers.take('COMPRESSED_PAYLOAD', evidence, { name: `inflated ${name}`, bytes });
  }
}

/** Offsets of gzip headers, except in content that other formats nest. */
function* gzipOffsets(subject: Subject, resources: readonly DotnetResource[]): Generator<number> {
  const { bytes } = subject;
  let known: ReadonlySet<number> | undefined;
  let tried = 0;
  for (let at = nextGzip(bytes, 0); at !== -1 && tried < MAX_TRIED; at = nextGzip(bytes, at + 1)) {
    known ??= nestedOffsets(subject, resources);
    if (known.has(at)) continue;
    tried += 1;
    yield at;
  }
}

const RESERVED_FLAGS = 0xe0;
const EXTRA_FLAGS = [0, 2, 4];
const LAST_SYSTEM = 13;
const UNKNOWN_SYSTEM = 255;

/** RFC 1952: +3 flags, +8 compression level, +9 operating system. */
function nextGzip(bytes: Buffer, from: number): number {
  for (
    let at = bytes.indexOf(GZIP_MAGIC, from);
    at !== -1;
    at = bytes.indexOf(GZIP_MAGIC, at + 1)
  ) {
    const [flags = 0xff, , , , , extra = 0xff, system = 0xfe] = bytes.subarray(at + 3, at + 10);
    const isKnownSystem = system <= LAST_SYSTEM || system === UNKNOWN_SYSTEM;
    if ((flags & RESERVED_FLAGS) === 0 && EXTRA_FLAGS.includes(extra) && isKnownSystem) return at;
  }
  return -1;
}

/** Offsets of content that the formats of programs nest: resources and overlays. */
function nestedOffsets(subject: Subject, dotnet: readonly DotnetResource[]): ReadonlySet<number> {
  const pe = subject.as(parsePe);
  const own = [...dotnet, ...(pe?.resources ?? [])].map(({ offset }) => offset);
  return new Set(pe?.overlay === undefined ? own : [...own, pe.overlay.offset]);
}

/** Including the entries of `*.resources`. */
function dotnetResources(subject: Subject): readonly DotnetResource[] {
  if (readImage(subject.bytes) === undefined) return [];
  const file = subject.as(parseDotnet);
  const resources = file === undefined ? [] : resourcesOf(file);
  return resources.flatMap((resource) => [resource, ...valuesOf(resource)]);
}
