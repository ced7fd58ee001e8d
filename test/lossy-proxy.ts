import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** In a message that binds a prepared statement: the empty name of its portal, and its own name. */
const BEGIN = '\0begin_write\0';
const BEGIN_READ = '\0begin_read\0';
/** The text of a simple query, or the name of a prepared statement, and a zero byte. */
export const COMMIT = Buffer.from('commit\0', 'latin1');

/** A pair of sockets. Once silent, it drops everything in both directions and stays open. */
interface Link {
  readonly near: Socket;
  readonly far: Socket;
  isSilent: boolean;
  isWriting: boolean;
  /** The bytes that the node has sent since the start of a transaction that writes. */
  sent: string;
}

export type TrapAction = 'silence' | 'silence-all' | 'cut-after-commit';

interface Trap {
  readonly marker: string;
  readonly action: TrapAction;
  readonly spring: () => void;
}

/**
 * A TCP proxy between a node and PostgreSQL that loses packets the way networks do: an open
 * connection on which nothing arrives any more, without a FIN or a RST.
 */
export class LossyProxy {
  readonly #server: Server;
  readonly #links = new Set<Link>();
  #trap: Trap | undefined;
  #isRefusing = false;
  /** Connections made so far. */
  connections = 0;

  constructor(port: number) {
    this.#server = createServer((near) => {
      if (this.#isRefusing) near.destroy();
      else this.#join(near, connect(port, '127.0.0.1'));
    });
  }

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  /** The same address, through this proxy. */
  async urlFor(url: string): Promise<string> {
    return Object.assign(new URL(url), { port: String(await this.listen()) }).href;
  }

  /** Silences every open connection. New connections work. */
  silenceAll(): void {
    for (const link of this.#links) link.isSilent = true;
  }

  /** Closes new connections at once, until they are accepted again. */
  refuse(isRefusing: boolean): void {
    this.#isRefusing = isRefusing;
  }

  /**
   * Waits for a write transaction that contains the marker to send its commit. The transaction
   * holds its locks then. The commit is dropped with everything after it, or passed on and its
   * answer cut off.
   */
  trap(marker: string, action: TrapAction = 'silence'): Promise<void> {
    return new Promise((spring) => {
      this.#trap = { marker, action, spring };
    });
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const { near, far } of this.#links) {
      near.destroy();
      far.destroy();
    }
    await closed;
  }

  #join(near: Socket, far: Socket): void {
    this.connections += 1;
    const link: Link = { near, far, isSilent: false, isWriting: false, sent: '' };
    this.#links.add(link);
    for (const socket of [near, far]) {
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => this.#end(link));
    }
    near.on('data', (bytes: Buffer) => this.#fromNode(link, bytes));
    far.on('data', (bytes: Buffer) => {
      if (!link.isSilent) near.write(bytes);
    });
  }

  /** A silent link does not pass on the close of one side either. */
  #end(link: Link): void {
    if (link.isSilent) return;
    this.#links.delete(link);
    link.near.destroy();
    link.far.destroy();
  }

  #fromNode(link: Link, bytes: Buffer): void {
    if (link.isSilent) return;
    if (bytes.includes(BEGIN)) {
      link.isWriting = true;
      link.sent = '';
    } else if (bytes.includes(BEGIN_READ)) link.isWriting = false;
    const trap = this.#trap;
    if (trap !== undefined && link.isWriting) link.sent += bytes.toString('latin1');
    const isTrapped =
      trap !== undefined &&
      link.isWriting &&
      bytes.includes(COMMIT) &&
      link.sent.includes(trap.marker);
    if (!isTrapped) {
      link.far.write(bytes);
      return;
    }
    this.#trap = undefined;
    this.#catch(link, bytes, trap.action);
    trap.spring();
  }

  #catch(link: Link, bytes: Buffer, action: TrapAction): void {
    if (action === 'cut-after-commit') {
      this.#isRefusing = true;
      link.far.write(bytes);
      // The answer to the commit is not passed on.
      link.far.removeAllListeners('data');
      link.far.once('data', () => {
        for (const { near, far } of this.#links) {
          near.destroy();
          far.destroy();
        }
      });
      return;
    }
    link.isSilent = true;
    if (action === 'silence-all') this.silenceAll();
  }
}
