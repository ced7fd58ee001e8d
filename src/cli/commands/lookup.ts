import { type Command, CommandError, type CommandInput, EXIT } from '../command.ts';
import { connect } from '../connection.ts';
import { askedHashes, inBatches, refuseMistyped } from '../input/hashes.ts';
import { STANDARD_INPUT } from '../input/line-source.ts';
import { type LookupResult, LookupRun } from '../lookup-run.ts';
import { connectionOptions } from '../options/connection-options.ts';
import { outputOption, readOutput, refuseListOutput } from '../output/format.ts';
import { type Columns, Pages } from '../output/list.ts';
import { showAnalysis, showDetails, showQuota, visible } from '../output/show.ts';

/** The limit of the server. */
const BATCH = 100;
/** Up to this many are looked up one by one. */
const FEW = 10;

export const lookup: Command = {
  usage: '<hash>…|- [--ndjson|--details]',
  arguments: {
    '<hash>…': 'SHA-256, SHA-512 or BLAKE3 of a file; - reads them from standard input',
  },
  options: {
    ...connectionOptions,
    ...outputOption,
    ndjson: {
      type: 'boolean',
      description: 'Print only the reports that were found, one per line, for `sample import`',
    },
    details: {
      type: 'boolean',
      description: 'Add the evidence behind the report of one file, for the same unit',
    },
  },
  examples: [
    {
      command: 'rapsheet lookup 275a021bbfb6489e54d471899f7db9d1663fc695ec2fe2a2c4538aabf651fd0f',
      description: 'Show the analysis of a file',
    },
    {
      command: 'rapsheet lookup - --output csv < hashes.txt',
      description: 'Look up the hashes of a file, one per line',
    },
    {
      command:
        'rapsheet lookup b98861fb5cb7d7a387f885ff49f0fdb0f0f2b78147f672c4f3d948cbd7adf8e3 --details',
      description: 'Show which rules and offsets the tags of a file come from',
    },
  ],
  positionals: [1, Number.POSITIVE_INFINITY],
  async run(input) {
    if (input.options['details'] === true) return printDetails(input);
    const groups = inBatches(askedHashes(input.positionals), BATCH);
    const run = new LookupRun(connect(input));
    const { positionals } = input;
    const isFew = positionals.length <= FEW && !positionals.includes(STANDARD_INPUT);
    const print = printerOf(input);
    try {
      for await (const hashes of groups)
        for await (const result of isFew ? run.oneByOne(hashes) : run.together(hashes))
          print(result);
    } catch (cause) {
      if (run.counts.asked > 0)
        input.printMessage(`The lookups ended after ${run.counts.asked} hashes.`);
      throw cause;
    } finally {
      if (run.quota !== undefined) input.printMessage(showQuota(run.quota));
    }
    finish(input, run);
  },
};

async function printDetails(input: CommandInput): Promise<void> {
  const [hash = '', ...others] = input.positionals;
  if (others.length > 0 || input.options['ndjson'] === true)
    throw new CommandError('--details is for one hash, and without --ndjson', EXIT.usage);
  refuseListOutput(input, 'details');
  refuseMistyped(hash);
  const { report, details, quota } = await connect(input).details(hash, { report: true });
  const evidence = details === null ? '' : showDetails(details, true);
  input.print({ report, details }, `${showAnalysis(report)}${evidence && `\n${evidence}`}`);
  if (details === null)
    input.printMessage('The report was imported: there is no evidence behind it.');
  if (quota !== undefined) input.printMessage(showQuota(quota));
}

function finish({ printMessage }: CommandInput, { counts, exhaustion }: LookupRun): void {
  const { asked, missing, malformed, skipped } = counts;
  if (asked === 0) throw new CommandError('standard input has no hashes', EXIT.usage);
  if (skipped > 0 && asked > 1) printMessage(`${skipped} of ${asked} were not looked up.`);
  if (exhaustion !== undefined) throw exhaustion;
  if (malformed > 0) throw new CommandError(`${malformed} of ${asked} lines have no hash`);
  if (missing > 0)
    throw new CommandError(`${missing} of ${asked} have no analysis report`, EXIT.absent);
}

/** Prints each result as it arrives. */
function printerOf(input: CommandInput): (result: LookupResult) => void {
  const output = readOutput(input.options);
  if (output === 'json') return (result) => input.print(lineOf(result), '');
  if (output === 'table') return textPrinter(input);
  const pages = new Pages(input, resultColumns);
  return (result) => pages.show(undefined, [result]);
}

/** The members of the report stay where they are in an answer of the API. */
function lineOf({ report, ...result }: LookupResult): unknown {
  return { ...result, ...report };
}

function textPrinter(input: CommandInput): (result: LookupResult) => void {
  let shown = 0;
  return ({ hash, report, error = '' }) => {
    if (report === undefined) {
      input.printMessage(visible(`${hash}: ${error}`));
      return;
    }
    if (input.options['ndjson'] === true) process.stdout.write(`${JSON.stringify(report)}\n`);
    else input.print(report, `${shown > 0 ? '\n' : ''}${showAnalysis(report)}`);
    shown += 1;
  };
}

const resultColumns: Columns<LookupResult> = [
  { name: 'hash', value: ({ hash }) => hash },
  { name: 'status', value: ({ status }) => status },
  { name: 'sha256', value: ({ report }) => report?.sha256Hash },
  { name: 'file_name', value: ({ report }) => report?.fileName },
  { name: 'size_bytes', value: ({ report }) => report?.sizeInBytes },
  { name: 'analysed_at', value: ({ report }) => report?.date },
  {
    name: 'tags',
    value: ({ report }) =>
      report?.tags.toSorted((one, other) => other.heat - one.heat).map(({ name }) => name),
  },
  { name: 'families', value: ({ report }) => report && Object.keys(report.configs) },
  { name: 'error', value: ({ error }) => error },
];
