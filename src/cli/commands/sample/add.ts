import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RapsheetClient } from '../../../client/client.ts';
import { RapsheetError } from '../../../client/error.ts';
import { type Command, CommandError, type CommandInput, EXIT } from '../../command.ts';
import { connect } from '../../connection.ts';
import { proposalsOf, reportProposals } from '../../feeds/report-proposals.ts';
import { canAsk } from '../../input/confirm.ts';
import { type LocalFile, listFiles } from '../../input/files.ts';
import { connectionOptions } from '../../options/connection-options.ts';
import { outputOption } from '../../output/format.ts';
import { type Columns, printList, tableOf, terminalWidth } from '../../output/list.ts';
import { ProgressBar } from '../../output/progress-bar.ts';
import { proposalTable } from '../../output/proposal-table.ts';

/** The longest wait that a server supports; after that the command polls. */
const WAIT_SECONDS = 30;
const POLL_MS = 1000;
/** Refusals that concern one file, not the caller. */
const FILE_REFUSALS = new Set(['empty_file', 'body_too_large', 'sample_removed']);

export const sampleAdd: Command = {
  usage: '<path>… [--no-wait|--report [--yes]]',
  arguments: {
    '<path>…':
      'Files, or folders with all files in them. Every account can read the name of the first upload of a file',
  },
  options: {
    ...connectionOptions,
    ...outputOption,
    'no-wait': { type: 'boolean', description: 'Do not wait for the analyses' },
    report: {
      type: 'boolean',
      description: 'Report the C2s that a service answers for, after asking',
    },
    yes: { type: 'boolean', description: 'Report without asking' },
  },
  examples: [
    {
      command: 'rapsheet sample add ./suspicious.exe',
      description: 'Upload a file and wait for its analysis',
    },
    {
      command: 'rapsheet sample add ./folder --report',
      description: 'Upload a folder and report its C2s',
    },
  ],
  positionals: [1, Number.POSITIVE_INFINITY],
  async run(input) {
    checkOptions(input.options);
    const files = listFiles(input.positionals);
    if (files.length === 0) throw new CommandError('the paths contain no files', EXIT.absent);
    const client = connect(input);
    const results = await new UploadRun(client, input, files).all();
    let failures = '';
    if (input.options['report'] === true) failures = await report(client, input, results);
    else printList(input, { result: results, columns: uploadColumns, rows: results });
    const unanalysed = results.filter(({ status }) => status === 'failed' || status === 'refused');
    if (unanalysed.length > 0)
      throw new CommandError(`${unanalysed.length} of ${results.length} files have no analysis`);
    if (failures !== '') throw new CommandError(`some proposals were not reported:\n  ${failures}`);
  },
};

function checkOptions(options: CommandInput['options']): void {
  if (options['report'] !== true) {
    if (options['yes'] === true) throw new CommandError('--yes needs --report', EXIT.usage);
    return;
  }
  if (options['no-wait'] === true)
    throw new CommandError('--report waits for the analysis: omit --no-wait', EXIT.usage);
  if (options['yes'] !== true && !canAsk())
    throw new CommandError('--report asks first: without a terminal, add --yes', EXIT.usage);
}

/** Returns what went wrong; empty if nothing did. */
async function report(
  client: RapsheetClient,
  input: CommandInput,
  results: readonly Uploaded[],
): Promise<string> {
  const hashes = results.flatMap(({ sha256Hash }) => sha256Hash ?? []);
  const found = await proposalsOf(client, hashes);
  const { proposals, failures } = await reportProposals(client, input, found);
  const tables = () => [
    tableOf(uploadColumns, results, terminalWidth()),
    ...(proposals.length > 0 ? [proposalTable(proposals)] : []),
  ];
  printList(input, {
    result: { files: results, proposals },
    columns: uploadColumns,
    rows: results,
    text: () => tables().join('\n\n'),
  });
  return failures.join('\n  ');
}

interface Uploaded {
  readonly path: string;
  /** Absent if the server refused the file. */
  readonly sha256Hash?: string | undefined;
  readonly blake3Hash?: string | undefined;
  readonly status: string;
  readonly reason?: string | undefined;
}

const uploadColumns: Columns<Uploaded> = [
  { name: 'status', title: 'STATUS', value: ({ status }) => status },
  { name: 'sha256', title: 'SHA-256', value: ({ sha256Hash }) => sha256Hash },
  {
    name: 'path',
    title: 'FILE',
    flexible: true,
    value: ({ path }) => path,
    text: ({ path, reason }) => (reason === undefined ? path : `${path}: ${reason}`),
  },
  { name: 'reason', value: ({ reason }) => reason },
];

/**
 * Sends all files first, so that the server analyses some while others are sent; then waits for
 * each.
 */
class UploadRun {
  readonly #client: RapsheetClient;
  readonly #input: CommandInput;
  readonly #files: readonly LocalFile[];
  readonly #bar: ProgressBar;
  #bytes = 0;

  constructor(client: RapsheetClient, input: CommandInput, files: readonly LocalFile[]) {
    this.#client = client;
    this.#input = input;
    this.#files = files;
    const totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    this.#bar = new ProgressBar(process.stderr, totalBytes, { unit: 'files sent' });
  }

  async all(): Promise<readonly Uploaded[]> {
    const sent: Uploaded[] = [];
    for (const file of this.#files) {
      const onProgress = (bytes: number) => this.#bar.show(this.#bytes + bytes, sent.length);
      sent.push(await this.#send(file, onProgress));
      this.#bytes += file.sizeBytes;
    }
    this.#bar.clear();
    if (this.#input.options['no-wait'] === true) return sent;
    const settled: Uploaded[] = [];
    const bar = new ProgressBar(process.stderr, sent.length, { unit: 'files analysed' });
    const onProgress = () => bar.show(settled.length, settled.length);
    for (const one of sent) settled.push(await this.#awaitAnalysis(one, onProgress));
    bar.clear();
    return settled;
  }

  async #send({ path }: LocalFile, onProgress: (bytes: number) => void): Promise<Uploaded> {
    const isLast = this.#files.at(-1)?.path === path;
    const mayWait = isLast && this.#input.options['no-wait'] !== true;
    try {
      const { sha256Hash, blake3Hash, status } = await this.#client.upload(await openAsBlob(path), {
        fileName: basename(path),
        onProgress,
        ...(mayWait && { wait: WAIT_SECONDS }),
      });
      return { path, sha256Hash, blake3Hash, status };
    } catch (cause) {
      // A refused file does not stop the others.
      if (!(cause instanceof RapsheetError) || !FILE_REFUSALS.has(cause.code ?? '')) throw cause;
      return { path, status: 'refused', reason: cause.message };
    }
  }

  async #awaitAnalysis(uploaded: Uploaded, onProgress: () => void): Promise<Uploaded> {
    const { sha256Hash } = uploaded;
    if (sha256Hash === undefined) return uploaded;
    for (let { status } = uploaded; ; ) {
      if (status === 'done') return { ...uploaded, status };
      const known = await this.#client.sampleStatus(sha256Hash);
      status = known.status;
      if (status === 'failed' || status === 'unknown')
        return { ...uploaded, status, reason: known.reason };
      onProgress();
      if (status !== 'done') await sleep(POLL_MS);
    }
  }
}
