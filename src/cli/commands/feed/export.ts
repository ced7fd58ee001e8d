import { createWriteStream } from 'node:fs';
import { access, readFile, realpath, rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ExportedFile } from '../../../client/exported-file.ts';
import { replaceFile } from '../../../platform/durable-file.ts';
import { type Command, CommandError, type CommandInput, EXIT } from '../../command.ts';
import { connect } from '../../connection.ts';
import { connectionOptions } from '../../options/connection-options.ts';
import { filterOptions, filterUsage, readFilter } from '../../options/filter-options.ts';
import { ProgressBar } from '../../output/progress-bar.ts';

/** The formats of the server. Their code is not loaded here. */
const FORMATS = [
  ...['json', 'ndjson', 'csv', 'txt', 'hosts', 'dnsmasq', 'adblock', 'rpz', 'nftables', 'ipset'],
  ...['sha256', 'suricata', 'snort', 'zeek', 'sigma', 'stix', 'threatfox', 'misp', 'xarf'],
];

const MEGABYTE = 1_000_000;
const STANDARD_OUTPUT = '-';

export const feedExport: Command = {
  usage: `<service>|all <format> ${filterUsage()} [--option <name=value>]… [--out <file>] [--if-changed]`,
  arguments: {
    '<service>|all': 'The slug of the service, or all for every feed',
    '<format>': { description: 'The format', value: FORMATS.join('|') },
  },
  options: {
    ...connectionOptions,
    ...filterOptions(),
    option: {
      type: 'string',
      multiple: true,
      value: '<name=value>',
      description: 'An option of the format',
    },
    out: {
      type: 'string',
      value: '<file>',
      description: 'The file to write; - is standard output, the default',
    },
    'if-changed': {
      type: 'boolean',
      description: 'Write nothing if the feed has not changed since the file was written',
    },
  },
  examples: [
    { command: 'rapsheet feed export ply csv > ply.csv', description: 'Export a feed as CSV' },
    {
      command: 'rapsheet feed export all suricata --status open --out rapsheet.rules --if-changed',
      description: 'Keep the rules of Suricata up to date',
    },
  ],
  positionals: [2, 2],
  run: writeExport,
};

async function writeExport(input: CommandInput): Promise<void> {
  const [service = '', format = ''] = input.positionals;
  const { options, printMessage } = input;
  const named = options['out'] === STANDARD_OUTPUT ? undefined : (options['out'] as string);
  const out = named === undefined ? undefined : await fileToReplace(named);
  const isConditional = options['if-changed'] === true;
  if (isConditional && out === undefined)
    throw new CommandError('--if-changed compares with the file of --out: give both', EXIT.usage);
  const exported = await connect(input).exportFeed(service, format, {
    filter: readFilter(options),
    options: readOptions(options),
    etag: isConditional && out !== undefined ? await etagOf(out) : undefined,
  });
  if (exported === undefined) {
    printMessage(`${named} is unchanged.`);
    return;
  }
  if (out === undefined) await pipeline(piecesOf(exported), process.stdout, { end: false });
  else await writeFile(exported, out);
}

function readOptions(options: CommandInput['options']): Readonly<Record<string, string>> {
  const given = (options['option'] ?? []) as readonly string[];
  return Object.fromEntries(
    given.map((text) => {
      const equals = text.indexOf('=');
      if (equals < 1) throw new CommandError('--option must be <name>=<value>', EXIT.usage);
      return [text.slice(0, equals), text.slice(equals + 1)];
    }),
  );
}

/**
 * Renaming would replace even a device (`/dev/stdout`) or a link. The target of a link is replaced
 * instead, and nothing but a file.
 */
async function fileToReplace(name: string): Promise<string> {
  const existing = await stat(name).catch(() => undefined);
  if (existing === undefined) {
    const folder = dirname(name);
    if ((await stat(folder).catch(() => undefined))?.isDirectory() === true) return name;
    throw new CommandError(`there is no folder ${folder}`);
  }
  if (!existing.isFile())
    throw new CommandError(`${name} is not a file: --out - writes to standard output`);
  return await realpath(name);
}

/** The tag is beside the file. It is of no use without the file. */
async function etagOf(file: string): Promise<string | undefined> {
  try {
    await access(file);
    return (await readFile(tagFile(file), 'utf8')).trim();
  } catch {
    return undefined;
  }
}

function tagFile(file: string): string {
  return `${file}.etag`;
}

/** The file is replaced when the export is complete. */
async function writeFile(exported: ExportedFile, file: string): Promise<void> {
  const temporary = `${file}.new`;
  try {
    await pipeline(piecesOf(exported), createWriteStream(temporary, { flush: true }));
    await rename(temporary, file);
  } catch (cause) {
    await unlink(temporary).catch(() => undefined);
    throw cause;
  }
  if (exported.etag !== undefined) await replaceFile(tagFile(file), `${exported.etag}\n`);
}

/** Shows the progress on standard error. */
async function* piecesOf({ body }: ExportedFile): AsyncGenerator<Uint8Array, void> {
  const bar = new ProgressBar(process.stderr, undefined, { unit: 'MB' });
  let bytes = 0;
  // The types of the browser's stream are not those of Node.
  for await (const piece of Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0])) {
    bytes += (piece as Uint8Array).length;
    bar.show(bytes, Math.round(bytes / MEGABYTE));
    yield piece as Uint8Array;
  }
  bar.clear();
}
