import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { ByteCollector, isBomb, type Room } from './bytes.ts';

/**
 * 7-Zip, compiled to WebAssembly, unpacking from memory into memory. It writes the content of all members to
 * its standard output, one after the other, and before each a line `- name` to its standard error. Both end
 * in devices of ours: no file is ever made, whatever a member is called, and every byte is counted when it
 * comes. To stop it, a device throws.
 *
 * The compiled module is shared; each run has its own instance, since its memory never shrinks and a run that
 * was stopped leaves it in disorder.
 */
export interface SevenMember {
  readonly name: string;
  readonly bytes: Buffer;
  /** `locked`: the password was wrong; `cut`: the limit was met in the midst of it. */
  readonly state: 'whole' | 'damaged' | 'locked' | 'cut';
}

export interface SevenRun {
  readonly members: readonly SevenMember[];
  /** Whether something could not be read for want of the right password. */
  readonly isLocked: boolean;
  readonly isDamaged: boolean;
  /** Whether it was stopped because of a limit. */
  readonly isStopped: boolean;
}

export interface SevenTask {
  readonly archive: Buffer;
  /** 7-Zip's name of the format: it must not guess, and so try its other parsers. */
  readonly type: string;
  readonly password: string;
}

/** How far one run may go. */
export interface SevenRoom extends Room {
  readonly members: number;
}

/** What a dictionary may take: archives may ask for 4 GiB. */
const MOST_MEMORY_BYTES = 256 * 1024 * 1024;
const LONGEST_LINE = 64 * 1024;

export async function runSeven(task: SevenTask, room: SevenRoom): Promise<SevenRun> {
  const seven = await openSeven();
  const output = new SevenOutput(room, task.archive.length);
  const { FS } = seven;
  // The buffer becomes the file's content without a copy.
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
    // Ours, or a trap: it is built without exceptions, so that running out of memory ends it too.
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

/** Puts together what comes out of the two streams. */
class SevenOutput {
  readonly #room: SevenRoom;
  readonly #packedBytes: number;
  readonly #members: OpenMember[] = [];
  #bytesLeft: number;
  #line = Buffer.alloc(0);
  #isLocked = false;
  #isDamaged = false;
  #isStopped = false;

  constructor(room: SevenRoom, packedBytes: number) {
    this.#room = room;
    this.#packedBytes = packedBytes;
    this.#bytesLeft = room.bytes;
  }

  checkTime(): void {
    if (this.#room.isOver()) throw new Stopped();
  }

  data(bytes: Uint8Array): void {
    const member = this.#members.at(-1);
    if (member === undefined) return;
    this.checkTime();
    const fits = member.content.add(bytes);
    this.#bytesLeft -= bytes.length;
    if (fits && !isBomb(this.#room.bytes - this.#bytesLeft, this.#packedBytes)) return;
    member.state = 'cut';
    throw new Stopped();
  }

  text(bytes: Uint8Array): void {
    let rest = Buffer.concat([this.#line, bytes]);
    for (let end = rest.indexOf('\n'); end !== -1; end = rest.indexOf('\n')) {
      this.#readLine(rest.toString('utf8', 0, end));
      rest = rest.subarray(end + 1);
    }
    this.#line = Buffer.from(rest.subarray(0, LONGEST_LINE));
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

  /** Line ends within names come out as underscores, so that a line is a line of 7-Zip's own. */
  #readLine(line: string): void {
    // "T" is a member that is only tested.
    if (/^[-T] /.test(line)) this.#begin(line.slice(2));
    else if (/^ERROR: [^:]*Wrong password|^Cannot open encrypted archive/.test(line)) this.#lock();
    else if (line.startsWith('ERROR')) this.#damage();
  }

  #begin(name: string): void {
    this.checkTime();
    if (name.endsWith('/')) return;
    if (this.#members.length >= this.#room.members) throw new Stopped();
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

/** The parts of the module that we use; its own declarations leave some of them out. */
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

/** What we use of it: the compiler's library for Node does not declare it. */
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<object>;
  readonly Instance: new (module: object, imports: object) => object;
};

let compiled: Promise<{ module: object; open: OpenModule }> | undefined;

/** Only a process that meets such an archive pays for it: about 10 ms, and 1.6 MB that are compiled. */
async function loadSeven(): Promise<{ module: object; open: OpenModule }> {
  const file = fileURLToPath(import.meta.resolve('7z-wasm/7zz.wasm'));
  const [{ default: exported }, bytes] = await Promise.all([import('7z-wasm'), readFile(file)]);
  // The package's types know neither `instantiateWasm` nor all of its file system.
  const open = exported as unknown as OpenModule;
  return { module: await WebAssembly.compile(bytes), open };
}

async function openSeven(): Promise<SevenModule> {
  compiled ??= loadSeven();
  const { module, open } = await compiled;
  return await outsideOfNode(() =>
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
  // As a signed number it may come in negative.
  env.emscripten_resize_heap = (bytes) => bytes >>> 0 <= MOST_MEMORY_BYTES && resize(bytes);
}

/**
 * Where the module sees Node, it sets up access to real files, which our permissions forbid and nobody needs,
 * and it would set the exit code of this process. It sees Node unless `process.type` is that of a browser
 * window; it asks once, before its first pause.
 */
function outsideOfNode<Result>(act: () => Result): Result {
  Reflect.set(process, 'type', 'renderer');
  try {
    return act();
  } finally {
    Reflect.deleteProperty(process, 'type');
  }
}

/** Lets what is written to a standard stream come to us instead, in whole pieces. */
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
  // It takes the lowest number that is free: the one that was just closed.
  FS.open(`/dev/ours${fd}`, 'w');
}
