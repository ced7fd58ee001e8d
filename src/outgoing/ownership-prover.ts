import { findChallenge, recordNameOf, WELL_KNOWN_PATH } from '../domain/ownership/challenge.ts';
import type { ProofProblem } from '../domain/ownership/claim.ts';
import { Problem } from '../domain/problem.ts';
import type {
  OutgoingFailure,
  OutgoingHttp,
  OwnershipProver,
  ProofRequest,
  ReadResult,
} from '../ports/outgoing.ts';
import { type Dns, DnsError } from './dns.ts';

export interface ProverOptions {
  readonly dns: Pick<Dns, 'textsOf'>;
  readonly http: Pick<OutgoingHttp, 'get'>;
  /** Whether a host that does not answer on https is asked on plain http. */
  readonly allowHttp: boolean;
  /** Instead of that of the scheme. */
  readonly port?: number | undefined;
}

const READ_TIMEOUT_MS = 10_000;
/** A file with one line has some 60 bytes. */
const MAX_FILE_BYTES = 16 * 1024;
/** Concurrent checks of all owners together. Each may last until its timeout. */
const MAX_RUNNING = 16;

const TOO_MANY_REQUESTS = 429;
const FAILURES: Readonly<Record<OutgoingFailure, ProofProblem>> = {
  refused: 'private_address',
  unresolved: 'no_address',
  unanswered: 'dns_failed',
  unreachable: 'unreachable',
  untrusted: 'untrusted',
  timeout: 'timeout',
  interrupted: 'timeout',
};

export class NetworkProver implements OwnershipProver {
  readonly #options: ProverOptions;
  #running = 0;

  constructor(options: ProverOptions) {
    this.#options = options;
  }

  async check(request: ProofRequest): Promise<ProofProblem | undefined> {
    if (this.#running >= MAX_RUNNING) throw new Problem('checks_busy', { retryAfterSeconds: 5 });
    this.#running += 1;
    try {
      return await (request.method === 'dns' ? this.#byRecord(request) : this.#byFile(request));
    } finally {
      this.#running -= 1;
    }
  }

  async #byRecord({ suffix, token, signal }: ProofRequest): Promise<ProofProblem | undefined> {
    try {
      const texts = await this.#options.dns.textsOf(recordNameOf(suffix), signal);
      return problemOf(findChallenge(texts, token), 'no_record');
    } catch (cause) {
      if (!(cause instanceof DnsError)) throw cause;
      return cause.failure === 'timeout' ? 'dns_timeout' : 'dns_failed';
    }
  }

  async #byFile({ suffix, token, signal }: ProofRequest): Promise<ProofProblem | undefined> {
    const secure = await this.#read('https', suffix, signal);
    const isUnanswered = secure.kind === 'failed' && secure.failure === 'unreachable';
    const read =
      isUnanswered && this.#options.allowHttp ? await this.#read('http', suffix, signal) : secure;
    return judgeFile(read, token);
  }

  #read(
    scheme: 'http' | 'https',
    suffix: string,
    signal: AbortSignal | undefined,
  ): Promise<ReadResult> {
    const { http, port } = this.#options;
    const timeout = AbortSignal.timeout(READ_TIMEOUT_MS);
    const authority = port === undefined ? suffix : `${suffix}:${port}`;
    return http.get({
      url: `${scheme}://${authority}${WELL_KNOWN_PATH}`,
      headers: { 'user-agent': 'Rapsheet-Ownership/1', 'accept-encoding': 'identity' },
      maxBytes: MAX_FILE_BYTES,
      signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
    });
  }
}

function judgeFile(read: ReadResult, token: string): ProofProblem | undefined {
  if (read.kind === 'failed') return FAILURES[read.failure];
  const { status, body, isCut } = read;
  if (status >= 500 || status === TOO_MANY_REQUESTS) return 'server_failed';
  if (status >= 300 && status < 400) return 'redirected';
  if (status !== 200) return 'not_found';
  if (isCut) return 'too_large';
  const lines = Buffer.from(body).toString('utf8').split('\n');
  return problemOf(findChallenge(lines, token), 'no_line');
}

function problemOf(
  found: ReturnType<typeof findChallenge>,
  absent: 'no_record' | 'no_line',
): ProofProblem | undefined {
  if (found === 'found') return undefined;
  return found === 'other' ? 'other_token' : absent;
}
