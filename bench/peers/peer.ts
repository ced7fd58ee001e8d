import type { LoadPlan } from '../processes.ts';

/** A kind of request to a peer. */
export interface PeerOperation {
  /** What is done, in words that make the peers comparable. */
  readonly name: string;
  /** Raw HTTP requests; with `once` in the plan, each is sent once. */
  requests(count: number): readonly string[];
  readonly plan: Partial<LoadPlan>;
}

export interface RunningPeer {
  readonly port: number;
  /** The processes whose CPU time and memory count, with all their children. */
  readonly pids: readonly number[];
  readonly operations: readonly PeerOperation[];
  stop(): Promise<void>;
}

/** Another service, installed into a folder of its own. */
export interface Peer {
  readonly name: string;
  /** The version, and how it is run. */
  readonly setUp: string;
  /** Throws with the reason if it cannot be installed. */
  install(): Promise<void>;
  /** Starts it with `count` objects stored, in an empty folder. */
  start(count: number, folder: string): Promise<RunningPeer>;
}

/** Reads are repeated for a time. */
export const READS = { connections: 8, seconds: 4 };

export interface RawMessage {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export function rawRequest({ method, path, headers = {}, body = '' }: RawMessage): string {
  const all = { Host: '127.0.0.1', ...headers, 'Content-Length': String(body.length) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

export const numbered = (length: number, make: (number: number) => string) =>
  Array.from({ length }, (_, number) => make(number));
