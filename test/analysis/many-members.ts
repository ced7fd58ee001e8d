import { fixture } from './fixture.ts';
import type { BuiltEntry } from './zip-builder.ts';

/** The kinds of members of a software package: pages, scripts, settings, classes, programs. */
const KINDS: readonly ((index: number) => readonly [extension: string, content: Buffer])[] = [
  (index) => ['html', page(index)],
  (index) => ['py', pythonModule(index)],
  (index) => ['js', script(index)],
  (index) => ['json', settings(index)],
  (index) => ['txt', notes(index)],
  (index) => ['class', javaClass(index)],
  (index) => ['ps1', powershell(index)],
  (index) => ['png', image(index)],
  (index) => ['exe', program('pe/library', index)],
  (index) => ['so', program('elf/plain-x86-64', index)],
];

/** Small files of many kinds, each with a content of its own. */
export function manyMembers(count: number): readonly BuiltEntry[] {
  return Array.from({ length: count }, (_, index) => {
    const [extension, content] = KINDS[index % KINDS.length]?.(index) ?? ['', Buffer.alloc(0)];
    return { name: `package/part${index}.${extension}`, content, deflate: true };
  });
}

const WORDS = 'the value of each field is read from a table in the first section of a file'.split(
  ' ',
);

/** Sentences that differ with the index. */
function prose(index: number, words: number): string {
  const word = (at: number) => WORDS[(at * 7 + index * at) % WORDS.length] ?? '';
  return Array.from({ length: words }, (_, at) => `${word(at)}${at % 12 === 11 ? '.\n' : ''}`).join(
    ' ',
  );
}

function page(index: number): Buffer {
  const rows = Array.from(
    { length: 30 },
    (_, row) => `<p class="r${row}">${prose(index + row, 12)}`,
  );
  return Buffer.from(
    `<html><head><title>Page ${index}</title></head>\n<body>${rows.join('</p>\n')}</p>
<a href="https://docs.example.invalid/part/${index}">next</a></body></html>\n`,
  );
}

function pythonModule(index: number): Buffer {
  const functions = Array.from(
    { length: 12 },
    (_, at) => `def part_${index}_${at}(value, table):
    """${prose(index + at, 10)}"""
    if value in table:
        return table[value] + ${index * at}
    raise KeyError('no entry for %r' % value)\n`,
  );
  return Buffer.from(`import os\nimport struct\n\n${functions.join('\n')}`);
}

function script(index: number): Buffer {
  const functions = Array.from(
    { length: 12 },
    (_, at) => `  function part${at}(list) { // ${prose(index + at, 8)}
    return list.map(function (one) { return one.length * ${index} + ${at}; });
  }\n`,
  );
  return Buffer.from(`(function () {\n  'use strict';\n${functions.join('')}}());\n`);
}

function settings(index: number): Buffer {
  const entries = Array.from({ length: 40 }, (_, at) => [
    `key${at}`,
    { index, at, on: at % 2 > 0 },
  ]);
  return Buffer.from(`${JSON.stringify(Object.fromEntries(entries), undefined, 2)}\n`);
}

function notes(index: number): Buffer {
  return Buffer.from(`Notes ${index}\n\n${prose(index, 400)}\n`);
}

/** The header and a pool of texts; the engine reads no more of a class. */
function javaClass(index: number): Buffer {
  const texts = Array.from({ length: 60 }, (_, at) => `org/example/part${index}/Class${at}`);
  const constants = texts.map((text) => {
    const constant = Buffer.alloc(3 + text.length);
    constant.writeUInt8(1);
    constant.writeUInt16BE(text.length, 1);
    constant.write(text, 3, 'latin1');
    return constant;
  });
  const count = Buffer.alloc(2);
  count.writeUInt16BE(texts.length + 1);
  return Buffer.concat([Buffer.from('cafebabe0000003d', 'hex'), count, ...constants]);
}

function powershell(index: number): Buffer {
  const functions = Array.from(
    { length: 10 },
    (_, at) => `function Get-Part${at} {
  param([string]$Name, [int]$Count = ${index})
  # ${prose(index + at, 9)}
  Get-ChildItem -Path $Name | Select-Object -First $Count
}\n`,
  );
  return Buffer.from(functions.join('\n'));
}

/** The header of an image and bytes that look compressed. */
function image(index: number): Buffer {
  const bytes = Buffer.alloc(2048);
  for (let at = 0, state = index + 1; at < bytes.length; at += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[at] = state >>> 16;
  }
  Buffer.from('89504e470d0a1a0a0000000d494844520000002000000020080600000073', 'hex').copy(bytes);
  return bytes;
}

function program(name: string, index: number): Buffer {
  const bytes = Buffer.from(fixture(`analysis/${name}`));
  bytes.writeUInt32LE(index, bytes.length - 4);
  return bytes;
}
