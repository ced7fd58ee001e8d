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
import { STANDARD_INPUT } from '../../input/line-source.ts';
import { connectionOptions } from '../../options/connection-options.ts';
import { outputOption } from '../../output/format.ts';
import { type Columns, printList, tableOf } from '../../output/list.ts';
import { ProgressBar } from '../../output/progress-bar.ts';
import { proposalTable } from '../../output/proposal-table.ts';

/** The longest wait that a server supports; after that the command polls. */
const WAIT_SECONDS = 30;
const POLL_MS = 1000;
const MAX_STANDARD_INPUT = 1 << 30;
/** Refusals that concern one file, not the caller. */
const FILE_REFUSALS = new Set(['empty_file', 'body_too_large', 'sample_removed']);

export const sampleAdd: Command = {
  usage: '<path>… [--name <file name>] [--no-wait|--report [--yes]]',
  arguments: {
    '<path>…':
      'Files, folders with all files in them, or - for standard input. Every account can read the name of the first upload of a file',
  },
  options: {
    ...connectionOptions,
    ...outputOption,
    name: {
      type: 'string',
      value: '<file name>',
      description: 'The name of the file on standard input; stdin by default',
    },
    'no-wait': { type: 'boolean', description: 'Do not wait for the analyses' },
    report: {
      type: 'boolean',
      description: 'Report the C2s in the settings of the files, after asking',
    },
    yes: { type: 'boolean', description: 'Report without asking' },
  },
  examples: [
    {
      command: 'rapsheet sample add ./suspicious.exe',
      description: 'Upload a file and wait for its analysis',
    },
    {
      command: 'gunzip -c sample.gz | rapsheet sample add - --name sample.exe',
      description: 'Upload what another program writes',
    },
    {
      command: 'rapsheet sample add ./folder --report',
      description: 'Upload a folder and report its C2s',
    },
  ],
  positionals: [1, Number.POSITIVE_INFINITY],
  async run(input) {
    checkOptions(input.options);
    const files = await uploadFiles(input);
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

/** A file to upload. */
interface UploadFile extends LocalFile {
  readonly fileName: string;
  open(): Promise<Blob>;
}

async function uploadFiles({ positionals, options }: CommandInput): Promise<readonly UploadFile[]> {
  const paths = positionals.filter((path) => path !== STANDARD_INPUT);
  const files = listFiles(paths).map((file) => ({
    ...file,
    fileName: basename(file.path),
    open: () => openAsBlob(file.path),
  }));
  if (paths.length === positionals.length) {
    if (options['name'] !== undefined)
      throw new CommandError('--name is for standard input: add -', EXIT.usage);
    return files;
  }
  const fileName = (options['name'] as string | undefined) ?? 'stdin';
  const blob = await readStandardInput();
  const open = async () => blob;
  return [...files, { path: STANDARD_INPUT, sizeBytes: blob.size, fileName, open }];
}

/** Kept in memory: a sample is not written to the disk of the user. */
async function readStandardInput(): Promise<Blob> {
  const parts: Buffer<ArrayBuffer>[] = [];
  let sizeBytes = 0;
  for await (const part of process.stdin) {
    sizeBytes += part.length;
    if (sizeBytes > MAX_STANDARD_INPUT)
      throw new CommandError('standard input is longer than 1 GiB: upload it as a file');
    parts.push(part);
  }
  return new Blob(parts);
}

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
    tableOf(uploadColumns, results),
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
  readonly #files: readonly UploadFile[];
  readonly #bar: ProgressBar;
  #bytes = 0;

  constructor(client: RapsheetClient, input: CommandInput, files: readonly UploadFile[]) {
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

  async #send(file: UploadFile, onProgress: (bytes: number) => void): Promise<Uploaded> {
    const { path, fileName } = file;
    const isLast = this.#files.at(-1)?.path === path;
    const mayWait = isLast && this.#input.options['no-wait'] !== true;
    try {
      const { sha256Hash, blake3Hash, status } = await this.#client.upload(await file.open(), {
        fileName,
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
