import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { TestContext } from 'node:test';

/** RFC 1035, sections 4.1 and 3.2.2. */
const TYPES = { A: 1, TXT: 16, AAAA: 28 } as const;
type RecordType = keyof typeof TYPES;
const CODES = { ok: 0, formErr: 1, servFail: 2, nxDomain: 3, refused: 5 } as const;

const HEADER_BYTES = 12;
const MAX_UDP_BYTES = 512;
/** Ports that are tried. */
const MAX_PORTS = 20;
const RESPONSE = 0x8180;
const TRUNCATED = 0x0200;

export interface DnsAnswer {
  readonly code?: keyof typeof CODES;
  /** Addresses of IPv4, or texts. */
  readonly records?: readonly string[];
  /** No answer at all. */
  readonly isSilent?: boolean;
  /** Bytes that are no message. */
  readonly isGarbage?: boolean;
}

/** An authoritative name server on loopback, over UDP, and over TCP for answers that are large. */
export class DnsServer {
  /** By type and name: `TXT _rapsheet.example.com`. Other names do not exist. */
  readonly answers = new Map<string, DnsAnswer>();
  readonly asked: string[] = [];
  /** Whether large answers can be read over TCP. */
  hasTcp = true;
  #udp: UdpSocket;
  readonly #tcp: Server;

  constructor() {
    this.#udp = this.#udpSocket();
    this.#tcp = createServer((socket) => {
      socket.on('error', () => undefined);
      if (!this.hasTcp) socket.destroy();
      let received = Buffer.alloc(0);
      socket.on('data', (piece) => {
        received = Buffer.concat([received, piece as Buffer]);
        while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
          const length = received.readUInt16BE(0);
          const response = this.#respond(received.subarray(2, 2 + length), 0xffff);
          received = received.subarray(2 + length);
          if (response !== undefined)
            socket.write(Buffer.concat([uint16(response.length), response]));
        }
      });
    });
  }

  get address(): string {
    return `127.0.0.1:${this.#udp.address().port}`;
  }

  txt(name: string, ...records: readonly string[]): void {
    this.answers.set(`TXT ${name}`, { records });
  }

  async listen(): Promise<void> {
    for (let attempt = 1; !(await this.#listensOnOnePort()); attempt++) {
      if (attempt === MAX_PORTS) throw new Error('no port is free for both UDP and TCP');
      const taken = this.#udp;
      this.#udp = this.#udpSocket();
      await new Promise<void>((resolve) => taken.close(resolve));
    }
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.#udp.close(() => resolve()));
    await new Promise<void>((resolve) => this.#tcp.close(() => resolve()));
  }

  #udpSocket(): UdpSocket {
    const socket = createSocket('udp4');
    socket.on('message', (query, { port, address }) => {
      const response = this.#respond(query, MAX_UDP_BYTES);
      if (response !== undefined) socket.send(response, port, address);
    });
    return socket;
  }

  /** The system chooses the port of UDP; another process may have the same port of TCP. */
  async #listensOnOnePort(): Promise<boolean> {
    await new Promise<void>((resolve) => this.#udp.bind(0, '127.0.0.1', resolve));
    this.#tcp.listen(this.#udp.address().port, '127.0.0.1');
    try {
      await once(this.#tcp, 'listening');
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
      throw error;
    }
  }

  #respond(query: Buffer, maxBytes: number): Buffer | undefined {
    const { name, type, end } = readQuestion(query);
    const question = `${type} ${name}`;
    this.asked.push(question);
    const answer = this.answers.get(question) ?? { code: this.#hasName(name) ? 'ok' : 'nxDomain' };
    if (answer.isSilent === true) return undefined;
    if (answer.isGarbage === true) return Buffer.from('no message');
    const records = (answer.records ?? []).map((text) => encodeRecord(type, text));
    const body = Buffer.concat([query.subarray(HEADER_BYTES, end), ...records]);
    const isLarge = HEADER_BYTES + body.length > maxBytes;
    const flags = RESPONSE | (isLarge ? TRUNCATED : 0) | CODES[answer.code ?? 'ok'];
    const header = [
      uint16(flags),
      uint16(1),
      uint16(isLarge ? 0 : records.length),
      Buffer.alloc(4),
    ];
    return Buffer.concat([
      query.subarray(0, 2),
      ...header,
      isLarge ? query.subarray(HEADER_BYTES, end) : body,
    ]);
  }

  #hasName(name: string): boolean {
    return [...this.answers.keys()].some((key) => key.endsWith(` ${name}`));
  }
}

function readQuestion(query: Buffer) {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const number = query.readUInt16BE(at + 1);
  const [type = 'TXT'] =
    Object.entries(TYPES).find(([, code]) => code === number) ?? ([] as string[]);
  // c-ares may vary the case of a name.
  return { name: labels.join('.').toLowerCase(), type: type as RecordType, end: at + 5 };
}

/** A pointer to the name of the question, type, class IN, no caching, length, data. */
function encodeRecord(type: RecordType, text: string): Buffer {
  const data = type === 'TXT' ? encodeTexts(text) : Buffer.from(text.split('.').map(Number));
  const head = [uint16(0xc00c), uint16(TYPES[type]), uint16(1), Buffer.alloc(4)];
  return Buffer.concat([...head, uint16(data.length), data]);
}

/** Strings of at most 255 bytes; a longer text is divided. */
function encodeTexts(text: string): Buffer {
  const bytes = Buffer.from(text);
  const parts: Buffer[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += 255) {
    const part = bytes.subarray(at, at + 255);
    parts.push(Buffer.of(part.length), part);
  }
  return Buffer.concat(parts);
}

function uint16(value: number): Buffer {
  return Buffer.of(value >> 8, value & 255);
}

/** Opens a name server that is closed at the end of the test. */
export async function openDnsServer(test: Pick<TestContext, 'after'>): Promise<DnsServer> {
  const server = new DnsServer();
  await server.listen();
  test.after(() => server.close());
  return server;
}
