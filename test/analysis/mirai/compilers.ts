import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sourcesOf, type Texts, WITHOUT_LIBRARY } from './program.ts';

/** The compilers of the trial: processors, C libraries, and the ways to link. */
export interface Target {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly isFreestanding?: boolean;
}

const NO_LIBRARY = ['-nostdlib', '-ffreestanding', '-static', '-no-pie', '-fno-pic'] as const;
const STATIC = ['-static', '-no-pie', '-fno-pic'] as const;
const bare = (name: string, ...command: [string, ...string[]]): Target => ({
  name: `${name} bare`,
  command: [...command, ...NO_LIBRARY],
  isFreestanding: true,
});
const both = (name: string, compiler: string): Target[] => [
  { name: `${name} glibc static`, command: [compiler, ...STATIC] },
  { name: `${name} glibc dynamic`, command: [compiler] },
  bare(name, compiler),
];

export const TARGETS: readonly Target[] = [
  ...both('x86-64', 'x86_64-linux-gnu-gcc'),
  { name: 'x86-64 musl static', command: ['musl-gcc', ...STATIC] },
  { name: 'x86-64 musl dynamic', command: ['musl-gcc'] },
  bare('i386', 'x86_64-linux-gnu-gcc', '-m32'),
  {
    name: 'i386 bare pic',
    command: ['x86_64-linux-gnu-gcc', '-m32', '-nostdlib', '-ffreestanding', '-fpie', '-pie'],
    isFreestanding: true,
  },
  ...both('arm', 'arm-linux-gnueabi-gcc'),
  bare('arm thumb', 'arm-linux-gnueabi-gcc', '-mthumb', '-march=armv7-a'),
  ...both('aarch64', 'aarch64-linux-gnu-gcc'),
  ...both('mips', 'mips-linux-gnu-gcc'),
  bare('mips no abicalls', 'mips-linux-gnu-gcc', '-mno-abicalls'),
  ...both('ppc', 'powerpc-linux-gnu-gcc'),
  ...both('m68k', 'm68k-linux-gnu-gcc'),
];

/** Options of a build; some builds of Mirai drop unused sections. */
export const LEVELS: readonly (readonly string[])[] = [
  ['-O0'],
  ['-O2'],
  ['-Os'],
  ['-O3', '-fomit-frame-pointer', '-fdata-sections', '-ffunction-sections', '-Wl,--gc-sections'],
  ['-O1'],
  ['-O2', '-flto'],
];

/** Whether the machine has the compiler of a target. */
export function isInstalled({ command: [compiler] }: Target): boolean {
  try {
    execFileSync(compiler, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export function compiled(
  { command, isFreestanding }: Target,
  level: readonly string[],
  texts: Texts,
): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'mirai-'));
  try {
    const sources = {
      ...sourcesOf(texts),
      ...(isFreestanding ? { 'library.c': WITHOUT_LIBRARY } : {}),
    };
    for (const [name, text] of Object.entries(sources)) writeFileSync(join(folder, name), text);
    const [compiler, ...options] = command;
    // There is no 32-bit library of the x86 compiler.
    const libraries = options.includes('-m32') ? [] : ['-lgcc'];
    const common = [...level, '-std=gnu99', '-w', '-s', '-o', 'program'];
    const args = [...options, ...common, ...Object.keys(sources), ...libraries];
    execFileSync(compiler, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    return readFileSync(join(folder, 'program'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
