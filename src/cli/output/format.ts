import { CommandError, type CommandInput, type CommandOptions, EXIT } from '../command.ts';

const FORMATS = ['table', 'json', 'csv', 'raw'] as const;

type OutputFormat = (typeof FORMATS)[number];

/** The option of every command that prints a list. */
export const outputOption = {
  output: {
    type: 'string',
    value: 'table|json|csv|raw',
    description: 'How the list is printed; raw is tab-separated, without a header',
  },
} as const satisfies CommandOptions;

export const ndjsonOption = {
  ndjson: { type: 'boolean', description: 'Print one JSON value per line' },
} as const satisfies CommandOptions;

/** Refuses `--output` for one form of a command whose other forms are lists. */
export function refuseListOutput({ options }: Pick<CommandInput, 'options'>, form: string): void {
  const { output } = options;
  if (output === undefined || output === 'json') return;
  throw new CommandError(`--${form} is no list: it has no --output ${output}`, EXIT.usage);
}

/** `--json` is short for `--output json`. */
export function readOutput(options: CommandInput['options']): OutputFormat {
  const { output, json, ndjson } = options;
  if (output === undefined) return json === true ? 'json' : 'table';
  const format = FORMATS.find((one) => one === output);
  if (format === undefined)
    throw new CommandError('--output must be table, json, csv or raw', EXIT.usage);
  if (ndjson === true || (json === true && format !== 'json'))
    throw new CommandError(
      `--${ndjson === true ? 'ndjson' : 'json'} and --output ${format} exclude each other`,
      EXIT.usage,
    );
  return format;
}
