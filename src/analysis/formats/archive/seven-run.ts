import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { ByteCollector, isBomb, type UnpackLimits } from './bytes.ts';

/**
 * Runs 7-Zip, compiled to WebAssembly, from memory to memory. It writes the content of all members
 * to its standard output, and a line `- name` before each to its standard error. Both are
 * redirected to devices of ours, so no file is created under any name, and every byte is counted on
 * arrival. A device stops 7-Zip by throwing.
 *
 * The compiled module is shared. Each run has its own instance, since WebAssembly memory never
 * shrinks and a stopped run leaves it inconsistent.
 */
export interface SevenMember {
  readonly name: string;
  readonly bytes: Buffer;
  /** `locked`: wrong password; `cut`: the limit was reached within this member. */
  readonly state: 'whole' | 'damaged' | 'locked' | 'cut';
}

export interface SevenRun {
  readonly members: readonly SevenMember[];
  /** Whether some content needs another password. */
  readonly isLocked: boolean;
  readonly isDamaged: boolean;
  /** Whether a limit stopped the run. */
  readonly isStopped: boolean;
}

export interface SevenTask {
  readonly archive: Buffer;
  /** 7-Zip's name of the format, so that it does not try its other parsers. */
  readonly type: string;
  readonly password: string;
}

/** The limits of one run. */
export interface SevenLimits extends UnpackLimits {
  readonly members: number;
}

/** For the dictionary: archives may request 4 GiB. */
const MAX_MEMORY_BYTES = 256 * 1024 * 1024;
const LONGEST_LINE = 64 * 1024;

export async function runSeven(task: SevenTask, limits: SevenLimits): Promise<SevenRun> {
  const seven = await openSeven();
  const output = new SevenOutput(limits, task.archive.length);
  const { FS } = seven;
  // The buffer becomes the content of the file without a copy.
  FS.writeFile('/in', task.archive, { canOwn: true });
  const source = FS.lookupPath('/in').node;
  const { read } = source.stream_ops;
  source.stream_ops = {
    ...source.stream_ops,
    read: (...parts) => {
      output.checkTime();
      return read(...parts);
    },
  };
  replaceStream(seven, 1, (bytes) => output.data(bytes));
  replaceStream(seven, 2, (bytes) => output.text(bytes));
  try {
    seven.callMain([
      ...['x', '-so', '-bb1', '-bso2', '-bse2', '-bsp0', '-sccUTF-8', '-y'],
      ...[`-t${task.type}`, `-p${task.password}`, '--', '/in'],
    ]);
  } catch (error) {
    // Thrown by a device, or a trap: the module is built without exceptions, so running out of
    // memory traps.
    output.fail(error);
  }
  return output.result();
}

class Stopped extends Error {}

interface OpenMember {
  readonly name: string;
  readonly content: ByteCollector;
  state: SevenMember['state'];
}

/** Assembles members from the two streams. */
class SevenOutput {
  readonly #limits: SevenLimits;
  readonly #packedBytes: number;
  readonly #members: OpenMember[] = [];
  #bytesLeft: number;
  #line = Buffer.alloc(0);
  #isLocked = false;
  #isDamaged = false;
  #isStopped = false;

  constructor(limits: SevenLimits, packedBytes: number) {
    this.#limits = limits;
    this.#packedBytes = packedBytes;
    this.#bytesLeft = limits.bytes;
  }

  checkTime(): void {
    if (this.#limits.isOver()) throw new Stopped();
  }

  data(bytes: Uint8Array): void {
    const member = this.#members.at(-1);
    if (member === undefined) return;
    this.checkTime();
    const fits = member.content.add(bytes);
    this.#bytesLeft -= bytes.length;
    if (fits && !isBomb(this.#limits.bytes - this.#bytesLeft, this.#packedBytes)) return;
    member.state = 'cut';
    throw new Stopped();
  }

  text(bytes: Uint8Array): void {
    let remaining = Buffer.concat([this.#line, bytes]);
    for (let end = remaining.indexOf('\n'); end !== -1; end = remaining.indexOf('\n')) {
      this.#readLine(remaining.toString('utf8', 0, end));
      remaining = remaining.subarray(end + 1);
    }
    this.#line = Buffer.from(remaining.subarray(0, LONGEST_LINE));
  }

  fail(error: unknown): void {
    if (error instanceof Stopped) this.#isStopped = true;
    else this.#isDamaged = true;
  }

  result(): SevenRun {
    return {
      members: this.#members.map(({ name, content, state }) => ({
        name,
        bytes: content.bytes(),
        state,
      })),
      isLocked: this.#isLocked,
      isDamaged: this.#isDamaged,
      isStopped: this.#isStopped,
    };
  }

  /** 7-Zip replaces line breaks in names by underscores, so a name cannot forge a line. */
  #readLine(line: string): void {
    // "T": the member is only tested.
    if (/^[-T] /.test(line)) this.#begin(line.slice(2));
    else if (/^ERROR: [^:]*Wrong password|^Cannot open encrypted archive/.test(line)) this.#lock();
    else if (line.startsWith('ERROR')) this.#damage();
  }

  #begin(name: string): void {
    this.checkTime();
    if (name.endsWith('/')) return;
    if (this.#members.length >= this.#limits.members) throw new Stopped();
    this.#members.push({ name, content: new ByteCollector(this.#bytesLeft, 0), state: 'whole' });
  }

  #lock(): void {
    this.#isLocked = true;
    const member = this.#members.at(-1);
    if (member !== undefined) member.state = 'locked';
  }

  #damage(): void {
    this.#isDamaged = true;
    const member = this.#members.at(-1);
    if (member?.state === 'whole') member.state = 'damaged';
  }
}

/** The parts of the module that are used here; its own declarations lack some of them. */
interface SevenModule {
  callMain(args: string[]): number;
  readonly FS: {
    readonly streams: (object | undefined)[];
    readonly ErrnoError: new (code: number) => Error;
    makedev(major: number, minor: number): number;
    registerDevice(device: number, operations: object): void;
    mkdev(path: string, mode: number, device: number): void;
    open(path: string, flags: string): object;
    close(stream: object): void;
    writeFile(path: string, bytes: Uint8Array, options: { canOwn: boolean }): void;
    lookupPath(path: string): { node: { stream_ops: StreamOperations } };
  };
}

type StreamOperations = { read(...parts: readonly unknown[]): number };

type OpenModule = (options: object) => Promise<SevenModule>;

interface WasmImports {
  readonly env: { emscripten_resize_heap(bytes: number): boolean | number };
}

/** The part of the API that is used here: TypeScript's library for Node does not declare it. */
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<object>;
  readonly Instance: new (module: object, imports: object) => object;
};

let compiled: Promise<{ module: object; open: OpenModule }> | undefined;

/** Loaded on first use: it takes about 10 ms and compiles 1.6 MB. */
async function loadSeven(): Promise<{ module: object; open: OpenModule }> {
  const file = fileURLToPath(import.meta.resolve('7z-wasm/7zz.wasm'));
  const [{ default: exported }, bytes] = await Promise.all([import('7z-wasm'), readFile(file)]);
  // The package's types lack `instantiateWasm` and parts of the file system.
  const open = exported as unknown as OpenModule;
  return { module: await WebAssembly.compile(bytes), open };
}

async function openSeven(): Promise<SevenModule> {
  compiled ??= loadSeven();
  const { module, open } = await compiled;
  return await withoutNodeDetection(() =>
    open({
      print: () => undefined,
      printErr: () => undefined,
      stdin: () => null,
      instantiateWasm(imports: WasmImports, done: (instance: object, module: object) => void) {
        limitMemory(imports);
        done(new WebAssembly.Instance(module, imports), module);
      },
    }),
  );
}

function limitMemory({ env }: WasmImports): void {
  const resize = env.emscripten_resize_heap;
  // The number may arrive as a negative signed integer.
  env.emscripten_resize_heap = (bytes) => bytes >>> 0 <= MAX_MEMORY_BYTES && resize(bytes);
}

/**
 * If the module detects Node, it sets up access to real files, which the permissions forbid, and
 * sets the exit code of the process. It does not detect Node if `process.type` is that of a browser
 * window; it checks once, before its first await.
 */
function withoutNodeDetection<Result>(run: () => Result): Result {
  Reflect.set(process, 'type', 'renderer');
  try {
    return run();
  } finally {
    Reflect.deleteProperty(process, 'type');
  }
}

/** Redirects a standard stream to `take`, in whole chunks. */
function replaceStream({ FS }: SevenModule, fd: 1 | 2, take: (bytes: Uint8Array) => void): void {
  const device = FS.makedev(64, fd);
  FS.registerDevice(device, {
    open: (stream: { seekable: boolean }) => {
      stream.seekable = false;
    },
    close: () => undefined,
    llseek: () => {
      throw new FS.ErrnoError(70);
    },
    write: (_: object, memory: Int8Array, offset: number, length: number) => {
      take(new Uint8Array(memory.buffer, memory.byteOffset + offset, length));
      return length;
    },
  });
  FS.mkdev(`/dev/ours${fd}`, 0o666, device);
  const stream = FS.streams[fd];
  if (stream !== undefined) FS.close(stream);
  // `open` uses the lowest free descriptor: the one that was just closed.
  FS.open(`/dev/ours${fd}`, 'w');
}
