import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { seccompFilter } from './seccomp-filter.ts';
import { ABSENT, ALLOWED, CHECKED, FATAL } from './system-calls.ts';

const AUDIT = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const;
type Architecture = keyof typeof AUDIT;
const COLUMN = { x64: 0, arm64: 1 } as const;

const ACTIONS: Readonly<Record<number, string>> = {
  2147418112: 'allow',
  2147483648: 'kill',
  327681: 'EPERM',
  327718: 'ENOSYS',
};

interface Call {
  readonly number: number;
  readonly callArguments?: readonly number[];
  readonly audit?: number;
}

function seccompData(
  architecture: Architecture,
  { number, callArguments = [], audit = AUDIT[architecture] }: Call,
): Buffer {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number, 0);
  data.writeUInt32LE(audit, 4);
  for (const [index, value] of callArguments.entries())
    data.writeBigInt64LE(BigInt(value), 16 + index * 8);
  return data;
}

/** What the kernel would do: an interpreter of the classic BPF that filters use. */
function actionOf(architecture: Architecture, call: Call): string {
  const program = seccompFilter(architecture);
  assert.ok(program !== undefined);
  const data = seccompData(architecture, call);
  let accumulator = 0;
  for (let at = 0; at < program.length; at += 8) {
    const code = program.readUInt16LE(at);
    const jump = (condition: boolean) => program.readUInt8(at + (condition ? 2 : 3)) * 8;
    const k = program.readUInt32LE(at + 4);
    if (code === 0x06) return ACTIONS[k] ?? `unknown action ${k}`;
    if (code === 0x20) accumulator = data.readUInt32LE(k);
    else if (code === 0x54) accumulator = (accumulator & k) >>> 0;
    else if (code === 0x15) at += jump(accumulator === k);
    else if (code === 0x25) at += jump(accumulator > k);
    else assert.fail(`unknown instruction ${code}`);
  }
  return assert.fail('the program has no end');
}

function checkedNumber(name: string, architecture: Architecture): number | undefined {
  return CHECKED.find((call) => call.name === name)?.numbers[COLUMN[architecture]];
}

for (const architecture of ['x64', 'arm64'] as const) {
  const column = COLUMN[architecture];

  describe(`the filter of system calls on ${architecture}`, () => {
    const check = (name: string, ...callArguments: number[]) => {
      const number = checkedNumber(name, architecture);
      return number === undefined ? undefined : actionOf(architecture, { number, callArguments });
    };

    it('gives each call of the tables its action', () => {
      for (const [table, action] of [
        [ALLOWED, 'allow'],
        [ABSENT, 'ENOSYS'],
        [FATAL, 'kill'],
      ] as const)
        for (const [name, numbers] of Object.entries(table)) {
          const number = numbers[column];
          if (number !== undefined) assert.equal(actionOf(architecture, { number }), action, name);
        }
    });

    it('refuses other calls, and does not know newer ones', () => {
      const socket = { x64: 41, arm64: 198 }[architecture];
      assert.equal(actionOf(architecture, { number: socket }), 'EPERM');
      assert.equal(actionOf(architecture, { number: 450 }), 'EPERM');
      assert.equal(actionOf(architecture, { number: 451 }), 'ENOSYS');
    });

    it('kills a process that uses the numbers of another interface', () => {
      const [read = 0] = [ALLOWED['read']?.[column]];
      const other = AUDIT[architecture === 'x64' ? 'arm64' : 'x64'];
      const i386 = 0x4000_0003;
      for (const audit of [other, i386])
        assert.equal(actionOf(architecture, { number: read, audit }), 'kill');
      assert.equal(actionOf(architecture, { number: 0x4000_0000 + read }), 'kill', 'x32');
      assert.equal(actionOf(architecture, { number: 0xffff_ffff }), 'kill');
    });

    it('allows threads as glibc and musl start them, and no processes', () => {
      assert.equal(check('clone', 0x3d_0f00), 'allow');
      assert.equal(check('clone', 0x7d_0f00), 'allow');
      assert.equal(check('clone', 17), 'EPERM');
      assert.equal(check('clone', 0x4111), 'EPERM', 'vfork');
      assert.equal(check('clone', 0x3d_0f00 + 0x1000_0000), 'EPERM', 'a namespace');
    });

    it('allows private memory alone', () => {
      for (const flags of [0x22, 0x4022, 0x2_0022, 0x32, 0x802])
        assert.equal(check('mmap', 0, 4096, 3, flags, -1, 0), 'allow', `${flags}`);
      for (const flags of [0x21, 0x23, 0x01, 0x122, 0x4_0022, 0x20])
        assert.equal(check('mmap', 0, 4096, 3, flags, -1, 0), 'EPERM', `${flags}`);
    });

    it('allows files to be read and not to be written', () => {
      for (const flags of [0, 0o2000000, 0o200000])
        assert.equal(check('openat', -100, 0, flags), 'allow');
      for (const flags of [1, 2, 3, 0o100, 0o2000001])
        assert.equal(check('openat', -100, 0, flags), 'EPERM');
    });

    it('looks at the low half of an argument, as the kernel does', () => {
      assert.equal(check('prctl', 15 + 2 ** 32), 'allow');
      assert.equal(check('prctl', 4), 'EPERM');
      assert.equal(check('prlimit64', 0), 'allow');
      assert.equal(check('prlimit64', 1), 'EPERM');
    });

    it('has at most the 4096 instructions that the kernel accepts', () => {
      assert.ok((seccompFilter(architecture)?.length ?? Infinity) / 8 <= 4096);
    });
  });
}

describe('the tables of system calls', () => {
  const all = [
    ...[ALLOWED, ABSENT, FATAL].flatMap((table) => Object.entries(table)),
    ...CHECKED.map(({ name, numbers }) => [name, numbers] as const),
  ];

  it('have each call once', () => {
    assert.equal(new Set(all.map(([name]) => name)).size, all.length);
    for (const column of [0, 1]) {
      const numbers = all.flatMap(([, numbersOfCall]) => numbersOfCall[column] ?? []);
      assert.equal(new Set(numbers).size, numbers.length);
    }
  });

  for (const [architecture, file] of [
    ['x64', '/usr/include/x86_64-linux-gnu/asm/unistd_64.h'],
    ['arm64', '/usr/include/asm-generic/unistd.h'],
  ] as const)
    it(`have the numbers of the headers for ${architecture}`, {
      skip: existsSync(file) ? false : `${file} is not installed`,
    }, () => {
      const text = readFileSync(file, 'latin1');
      const numbers = new Map(
        [...text.matchAll(/^#define __NR(?:3264)?_(\w+)\s+(\d+)$/gm)].map(([, name, number]) => [
          // One header names it after its first form.
          name === 'fstatat' ? 'newfstatat' : name,
          Number(number),
        ]),
      );
      for (const [name, ofCall] of all)
        assert.equal(ofCall[COLUMN[architecture]], numbers.get(name), name);
    });

  it('are for two architectures', () => {
    assert.equal(seccompFilter('riscv64'), undefined);
    assert.equal(seccompFilter('toString'), undefined);
  });
});
