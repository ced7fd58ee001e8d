import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import {
  type IsolationChain,
  isolationChains,
  type WorkerCommand,
} from '../../src/analysis/worker/isolation/chains.ts';
import { spawnWorker } from '../../src/analysis/worker/spawn-worker.ts';

/**
 * A program that makes the system calls that it is told, because Node cannot. It is generated here,
 * so that the tests need no compiler. In C:
 *
 *   pid = getpid();
 *   while (read(0, call, 56) == 56) {            number and six arguments, u64 each
 *     result = syscall(call[0], …, call[6]);
 *     if (getpid() != pid) break;                a child that it has created
 *     write(3, &result, 8);
 *   }
 *   exit_group(0);
 */
const CODE: Readonly<Record<string, { readonly machine: number; readonly code: string }>> = {
  x64: {
    machine: 62,
    code: `
      b827000000      mov eax, 39             getpid
      0f05            syscall
      89c3            mov ebx, eax
      31c0      next: xor eax, eax            read
      31ff            xor edi, edi
      be00004100      mov esi, DATA
      ba38000000      mov edx, 56
      0f05            syscall
      4883f838        cmp rax, 56
      7547            jne end
      4889f5          mov rbp, rsi
      488b4500        mov rax, [rbp]
      488b7d08        mov rdi, [rbp+8]
      488b7510        mov rsi, [rbp+16]
      488b5518        mov rdx, [rbp+24]
      4c8b5520        mov r10, [rbp+32]
      4c8b4528        mov r8, [rbp+40]
      4c8b4d30        mov r9, [rbp+48]
      0f05            syscall
      48894538        mov [rbp+56], rax
      b827000000      mov eax, 39             getpid
      0f05            syscall
      39d8            cmp eax, ebx
      7517            jne end
      b801000000      mov eax, 1              write
      bf03000000      mov edi, 3
      488d7538        lea rsi, [rbp+56]
      ba08000000      mov edx, 8
      0f05            syscall
      eba3            jmp next
      b8e7000000 end: mov eax, 231            exit_group
      31ff            xor edi, edi
      0f05            syscall`,
  },
  arm64: {
    machine: 183,
    code: `
      881580d2        mov x8, #172            getpid
      010000d4        svc #0
      f30300aa        mov x19, x0
      3408a0d2        mov x20, DATA
      000080d2  next: mov x0, #0
      e10314aa        mov x1, x20
      020780d2        mov x2, #56
      e80780d2        mov x8, #63             read
      010000d4        svc #0
      1fe000f1        cmp x0, #56
      21020054        b.ne end
      880240f9        ldr x8, [x20]
      808640a9        ldp x0, x1, [x20, #8]
      828e41a9        ldp x2, x3, [x20, #24]
      849642a9        ldp x4, x5, [x20, #40]
      010000d4        svc #0
      801e00f9        str x0, [x20, #56]
      881580d2        mov x8, #172            getpid
      010000d4        svc #0
      1f0013eb        cmp x0, x19
      e1000054        b.ne end
      600080d2        mov x0, #3
      81e20091        add x1, x20, #56
      020180d2        mov x2, #8
      080880d2        mov x8, #64             write
      010000d4        svc #0
      eaffff17        b next
      000080d2   end: mov x0, #0
      c80b80d2        mov x8, #94             exit_group
      010000d4        svc #0`,
  },
};

const CODE_ADDRESS = 0x40_0000;
/** Where the program keeps the call. The page around it is free for arguments. */
export const DATA_ADDRESS = 0x41_0000;
const DATA_BYTES = 0x1000;
const HEADER_BYTES = 64;
const SEGMENT_BYTES = 56;
const READ = 4;
const WRITE = 2;
const EXECUTE = 1;

/** Writes the program into the folder, or returns `undefined` on other processors. */
export function writeProbe(folder: string): string | undefined {
  const found = CODE[process.arch];
  if (found === undefined) return undefined;
  const code = Buffer.from(
    [...found.code.matchAll(/^ +([0-9a-f]+) /gm)].map((m) => m[1]).join(''),
    'hex',
  );
  const start = HEADER_BYTES + 2 * SEGMENT_BYTES;
  const size = start + code.length;
  const program = Buffer.concat([
    elfHeader(found.machine, CODE_ADDRESS + start),
    segment(READ | EXECUTE, CODE_ADDRESS, { fileBytes: size, memoryBytes: size }),
    segment(READ | WRITE, DATA_ADDRESS, { fileBytes: 0, memoryBytes: DATA_BYTES }),
    code,
  ]);
  const path = join(folder, 'probe');
  writeFileSync(path, program);
  chmodSync(path, 0o755);
  return path;
}

function elfHeader(machine: number, entry: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('7f454c46020101', 'hex');
  header.writeUInt16LE(2, 16);
  header.writeUInt16LE(machine, 18);
  header.writeUInt32LE(1, 20);
  header.writeBigUInt64LE(BigInt(entry), 24);
  header.writeBigUInt64LE(BigInt(HEADER_BYTES), 32);
  header.writeUInt16LE(HEADER_BYTES, 52);
  header.writeUInt16LE(SEGMENT_BYTES, 54);
  header.writeUInt16LE(2, 56);
  return header;
}

function segment(
  flags: number,
  address: number,
  { fileBytes, memoryBytes }: { readonly fileBytes: number; readonly memoryBytes: number },
): Buffer {
  const header = Buffer.alloc(SEGMENT_BYTES);
  header.writeUInt32LE(1, 0);
  header.writeUInt32LE(flags, 4);
  header.writeBigUInt64LE(BigInt(address), 16);
  header.writeBigUInt64LE(BigInt(address), 24);
  header.writeBigUInt64LE(BigInt(fileBytes), 32);
  header.writeBigUInt64LE(BigInt(memoryBytes), 40);
  header.writeBigUInt64LE(0x1_0000n, 48);
  return header;
}

/** The strongest sandbox of a worker on this machine that can also read the folder. */
export function sandboxFor(folder: string, { isFiltered = true } = {}): IsolationChain | undefined {
  return isolationChains({
    program: '',
    readable: [folder],
    path: process.env['PATH'] ?? '',
    isRoot: process.getuid?.() === 0,
  }).find(
    ({ command, filter }) =>
      command.includes('--unshare-all') && (filter !== undefined) === isFiltered,
  );
}

const ERRORS: Readonly<Record<string, string>> = {
  '-1': 'EPERM',
  '-11': 'EAGAIN',
  '-12': 'ENOMEM',
  '-38': 'ENOSYS',
};

/** The probe in the sandbox of a worker: the chain with its Node replaced. */
export class Probe {
  readonly #child: ReturnType<typeof spawnWorker>;
  readonly #results: Readable;
  readonly #closed: Promise<unknown>;

  constructor(program: string, { command, filter }: WorkerCommand) {
    const launchers = command.slice(
      0,
      command.indexOf(process.execPath, command.lastIndexOf('--')),
    );
    this.#child = spawnWorker({ command: [...launchers, program], filter });
    this.#results = this.#child.stdio[3] as Readable;
    this.#child.stdin?.on('error', () => undefined);
    this.#closed = once(this.#child, 'close');
  }

  /** The result, the name of the error, or how the call ended the process. */
  async call(number: number, ...callArguments: readonly number[]): Promise<number | string> {
    const frame = Buffer.alloc(56);
    for (const [index, value] of [number, ...callArguments].entries())
      frame.writeBigInt64LE(BigInt(value), index * 8);
    this.#child.stdin?.write(frame);
    for (;;) {
      const bytes = this.#results.read(8) as Buffer | null;
      if (bytes !== null) {
        const result = Number(bytes.readBigInt64LE());
        return ERRORS[`${result}`] ?? result;
      }
      const ended = await Promise.race([
        once(this.#results, 'readable').then(() => this.#results.readableEnded),
        this.#closed.then(() => true),
      ]);
      if (ended) return await this.#howItEnded();
    }
  }

  async end(): Promise<void> {
    this.#child.stdin?.end();
    await this.#closed;
  }

  async #howItEnded(): Promise<string> {
    await this.#closed;
    const { exitCode, signalCode } = this.#child;
    return signalCode === 'SIGSYS' || exitCode === 128 + 31
      ? 'killed'
      : `ended with ${signalCode ?? exitCode}`;
  }
}
