import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Texts } from './program.ts';

/**
 * Links code that real compilers made (`npm run generate -- fixtures mirai-code`) with other
 * texts, which are placed in the order of gcc and GNU ld:
 *
 * | level | whole texts | texts with an embedded zero |
 * |---|---|---|
 * | -O0 | in the order of the source | with the others |
 * | -O2 | merged; on x86, those of 32 bytes and more are apart | before the others |
 * | -Os | the same, often without alignment | before the others |
 */
export interface Template {
  readonly target: string;
  readonly level: string;
  readonly bits: 32 | 64;
  readonly bigEndian: boolean;
  readonly machine: number;
  readonly code: string;
  readonly references: readonly (readonly [at: number, type: string, text: number])[];
}

export function readTemplates(): readonly Template[] {
  const file = new URL('../../fixtures/analysis/mirai-code.json.gz.b64', import.meta.url);
  return JSON.parse(gunzipSync(Buffer.from(readFileSync(file, 'latin1'), 'base64')).toString());
}

/** The data of a C library or of other source files before the texts. */
export interface Surroundings {
  readonly hasStdinUsed: boolean;
  readonly numbers: readonly number[];
  readonly plainTexts: readonly string[];
}

const ALIGNMENTS: Readonly<Record<string, readonly [usual: number, small: number]>> = {
  'x86-64': [1, 1],
  i386: [1, 1],
  arm: [4, 1],
  thumb: [4, 1],
  aarch64: [8, 1],
  mips: [4, 4],
  ppc: [4, 1],
  m68k: [1, 1],
};
const LONG = 32;

/** Appends bytes and returns their offset. */
class Image {
  readonly #parts: Buffer[] = [];
  #size = 0;

  add(bytes: Buffer, alignment = 1): number {
    const padding = (alignment - (this.#size % alignment)) % alignment;
    this.#parts.push(Buffer.alloc(padding), bytes);
    const offset = this.#size + padding;
    this.#size = offset + bytes.length;
    return offset;
  }

  bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }
}

const HEADERS = 0x200;
/** `mov ebx, [esp]`, `ret`. */
const THUNK = Buffer.from('8b1c24c3', 'hex');
const GOT_ENTRIES = 64;

export function linked(template: Template, texts: Texts, around: Surroundings): Buffer {
  const image = new Image();
  image.add(Buffer.alloc(HEADERS));
  const code = image.add(Buffer.from(template.code, 'base64'), 16);
  const thunk = image.add(THUNK);
  const got = image.add(Buffer.alloc(GOT_ENTRIES * 4), 16);
  const offsets = placed(image, template, texts, around);
  image.add(Buffer.alloc(128));
  const bytes = image.bytes();
  const base = template.target.endsWith('pic') ? 0 : 0x40_0000;
  const link = { template, bytes, base, code, got };
  for (const [at, type, text] of template.references) {
    const target = base + (text === -1 ? thunk : (offsets[text] ?? 0));
    if (type === 'MIPS_GOT16') write32(link, got + text * 4, target);
    const value = type === 'MIPS_GOT16' ? text * 4 - 0x7ff0 : target;
    const address = base + code + at;
    RELOCATIONS[type]?.({ ...link, at: code + at, address, target: value });
  }
  return withHeaders(link);
}

/** The offset of each text of the table. */
function placed(
  image: Image,
  { target, level, bigEndian }: Template,
  texts: Texts,
  around: Surroundings,
): number[] {
  const [usual = 1, small = 1] = ALIGNMENTS[target.replace(' pic', '')] ?? [];
  const alignment = level === '-Os' ? small : usual;
  const number = (value: number) => {
    const bytes = Buffer.alloc(4);
    if (bigEndian) bytes.writeUInt32BE(value);
    else bytes.writeUInt32LE(value);
    return bytes;
  };
  if (around.hasStdinUsed) image.add(number(0x20001), 4);
  for (const value of around.numbers) image.add(number(value), 4);
  const ended = texts.table.map(({ bytes }) => Buffer.concat([bytes, Buffer.alloc(1)]));
  const isLong = (one: Buffer) =>
    one.length >= LONG && target.match(/86/) !== null && level !== '-Os';
  const others = [
    ...around.plainTexts.map((text) => Buffer.from(`${text}\0`)),
    ...texts.passwords.map((word) => Buffer.concat([word, Buffer.alloc(1)])),
  ];
  if (level === '-O0') {
    for (const one of others) image.add(one, alignment);
    return ended.map((one) => image.add(one, isLong(one) ? 8 : alignment));
  }
  const isDivided = (one: Buffer) => one.indexOf(0) !== one.length - 1;
  const offsets = new Map<Buffer, number>();
  for (const one of ended.filter(isDivided)) offsets.set(one, image.add(one, alignment));
  const whole = ended.filter((one) => !isDivided(one));
  const mergeable = [...others, ...whole];
  addMerged(
    image,
    mergeable.filter((one) => !isLong(one)),
    alignment,
    offsets,
  );
  addMerged(image, mergeable.filter(isLong), 8, offsets);
  return ended.map((one) => offsets.get(one) ?? 0);
}

/** A text that ends another one, at a multiple of the alignment, shares its bytes. */
function addMerged(
  image: Image,
  texts: readonly Buffer[],
  alignment: number,
  offsets: Map<Buffer, number>,
): void {
  const hostOf = (text: Buffer) =>
    texts.find(
      (one) =>
        one.length > text.length &&
        (one.length - text.length) % alignment === 0 &&
        one.subarray(one.length - text.length).equals(text),
    );
  const kept = new Map<string, number>();
  for (const text of texts.filter((one) => hostOf(one) === undefined)) {
    const name = text.toString('latin1');
    if (!kept.has(name)) kept.set(name, image.add(text, alignment));
  }
  const offsetOf = (text: Buffer): number => {
    const host = hostOf(text);
    return host === undefined
      ? (kept.get(text.toString('latin1')) ?? 0)
      : offsetOf(host) + host.length - text.length;
  };
  for (const text of texts) offsets.set(text, offsetOf(text));
}

interface Link {
  readonly template: Template;
  readonly bytes: Buffer;
  readonly base: number;
  readonly code: number;
  readonly got: number;
}

function read32({ template, bytes }: Link, at: number): number {
  return template.bigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at);
}

function write32({ template, bytes }: Link, at: number, value: number): void {
  if (template.bigEndian) bytes.writeUInt32BE(value >>> 0, at);
  else bytes.writeUInt32LE(value >>> 0, at);
}

interface Relocation extends Link {
  readonly at: number;
  /** The address of the bytes that are written. */
  readonly address: number;
  /** The address of the text. */
  readonly target: number;
}

const absolute = (one: Relocation) => write32(one, one.at, one.target);
const relative = (one: Relocation) => write32(one, one.at, one.target - one.address - 4);
const upper = (value: number) => (value + 0x8000) >>> 16;

/** Writes the address of a text as the relocation of the object file asks for it. */
const RELOCATIONS: Readonly<Record<string, (one: Relocation) => void>> = {
  X86_64_32: absolute,
  '386_32': absolute,
  ARM_ABS32: absolute,
  '68K_32': absolute,
  X86_64_PC32: relative,
  '386_PC32': relative,
  '386_GOTOFF': (one) => write32(one, one.at, one.target - one.base - one.got),
  ARM_REL32: (one) => write32(one, one.at, one.target + read32(one, one.at) - one.address),
  ARM_THM_MOVW_ABS_NC: (one) => setThumbHalf(one, one.target & 0xffff),
  ARM_THM_MOVT_ABS: (one) => setThumbHalf(one, one.target >>> 16),
  MIPS_HI16: (one) => setHalf(one, one.at + 2, upper(one.target)),
  MIPS_LO16: (one) => setHalf(one, one.at + 2, one.target),
  MIPS_GOT16: (one) => setHalf(one, one.at + 2, one.target),
  PPC_ADDR16_HA: (one) => setHalf(one, one.at, upper(one.target)),
  PPC_ADDR16_LO: (one) => setHalf(one, one.at, one.target),
  AARCH64_ADD_ABS_LO12_NC: (one) =>
    write32(one, one.at, read32(one, one.at) | ((one.target & 0xfff) << 10)),
  AARCH64_ADR_PREL_PG_HI21: (one) => {
    const pages = (one.target >>> 12) - (one.address >>> 12);
    const bits = ((pages & 3) << 29) | (((pages >> 2) & 0x7ffff) << 5);
    write32(one, one.at, read32(one, one.at) | bits);
  },
};

function setThumbHalf({ bytes, at }: Relocation, half: number): void {
  bytes.writeUInt16LE(bytes.readUInt16LE(at) | (half >>> 12) | ((half & 0x800) >>> 1), at);
  bytes.writeUInt16LE(bytes.readUInt16LE(at + 2) | ((half & 0x700) << 4) | (half & 0xff), at + 2);
}

/** Processors with relocations of halves have big-endian templates. */
function setHalf({ bytes }: Link, at: number, value: number): void {
  bytes.writeUInt16BE(value & 0xffff, at);
}

const LOADED = 1;
const DYNAMIC = 2;
const PLT_GOT = 3;

/** Offsets of the fields, in 32-bit and 64-bit files. */
const FIELDS = {
  32: { table: 28, sizes: 40, header: 52, segment: 32, of: [0, 24, 4, 8, 16, 20], value: 4 },
  64: { table: 32, sizes: 52, header: 64, segment: 56, of: [0, 4, 8, 16, 32, 40], value: 8 },
} as const;
const READ_AND_EXECUTE = 5;
const PROGRAM = 2;
const DYNAMIC_OFFSET = 0x180;

/** One segment; a stripped file without sections. The dynamic section has the offset table. */
function withHeaders(link: Link): Buffer {
  const { template, bytes, base, got } = link;
  const { bits, bigEndian, machine } = template;
  const { table, sizes, header, segment, of, value } = FIELDS[bits];
  const short = (at: number, number: number) =>
    bigEndian ? bytes.writeUInt16BE(number, at) : bytes.writeUInt16LE(number, at);
  bytes.write('7f454c46', 0, 'hex');
  bytes.set([bits / 32, bigEndian ? 2 : 1, 1], 4);
  short(16, PROGRAM);
  short(18, machine);
  write32(link, table, header);
  short(sizes, header);
  short(sizes + 2, segment);
  short(sizes + 4, 2);
  const size = bytes.length;
  const segments = [
    [LOADED, READ_AND_EXECUTE, 0, base, size, size],
    [DYNAMIC, READ_AND_EXECUTE, DYNAMIC_OFFSET, base + DYNAMIC_OFFSET, 32, 32],
  ];
  for (const [index, values] of segments.entries()) {
    for (const [field, number] of values.entries())
      write32(link, header + index * segment + (of[field] ?? 0), number);
  }
  write32(link, DYNAMIC_OFFSET, PLT_GOT);
  write32(link, DYNAMIC_OFFSET + value, base + got);
  return bytes;
}
