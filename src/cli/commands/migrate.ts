import { type DatabaseLocation, parseDatabaseUrl } from '../../config/locations.ts';
import { moveBetween, reopenStore } from '../../server/move-store.ts';
import { type Command, CommandError, type CommandInput, EXIT } from '../command.ts';
import { ProgressBar } from '../output/progress-bar.ts';
import { table } from '../output/table.ts';
import { onShutdownSignal } from '../signals.ts';

type MoveResult = Awaited<ReturnType<typeof moveBetween>>;
type OnProgress = NonNullable<Parameters<typeof moveBetween>[0]['progress']>;

const SHOWN_DIGITS = 16;

export const migrate: Command = {
  usage:
    '--from <sqlite:file|postgres://…> --to <postgres://…|sqlite:file> | --reopen <sqlite:file|postgres://…>',
  options: {
    from: {
      type: 'string',
      value: '<sqlite:file|postgres://…>',
      description: 'The database to read',
    },
    to: {
      type: 'string',
      value: '<postgres://…|sqlite:file>',
      description: 'The database to fill, which must be empty',
    },
    reopen: {
      type: 'string',
      value: '<sqlite:file|postgres://…>',
      description: 'Move nothing: let servers use a store again that was moved',
    },
  },
  examples: [
    {
      command:
        'rapsheet migrate --from sqlite:data/rapsheet.db --to postgres://rapsheet@db.example/rapsheet',
      description: 'Move to PostgreSQL',
    },
  ],
  async run({ options, print, printMessage, json }) {
    if (options['reopen'] !== undefined) return await reopenSource(options, printMessage);
    const from = readLocation('from', options['from']);
    const to = readLocation('to', options['to']);
    if (JSON.stringify(from) === JSON.stringify(to))
      throw new CommandError('--from and --to are the same store', EXIT.usage);
    const stop = new AbortController();
    const abort = () => stop.abort();
    const off = onShutdownSignal(abort);
    const bars = new Bars();
    try {
      const result = await moveBetween({
        from,
        to,
        signal: stop.signal,
        started: (isResumed) => {
          if (isResumed) printMessage('Resuming the move that was started before.');
        },
        progress: (step) => bars.show(step),
      });
      bars.clear();
      print(present(result), resultTable(result));
      requireEqual(result);
      if (!json)
        printMessage(
          'Both databases have the same content. From now on servers refuse the source; `rapsheet migrate --reopen` opens it again.',
        );
    } catch (cause) {
      bars.clear();
      if (!stop.signal.aborted) throw cause;
      throw new CommandError('the move was stopped; the same call again resumes it');
    } finally {
      off();
    }
  },
};

async function reopenSource(
  options: CommandInput['options'],
  printMessage: CommandInput['printMessage'],
): Promise<void> {
  if (options['from'] !== undefined || options['to'] !== undefined)
    throw new CommandError('--reopen excludes --from and --to', EXIT.usage);
  await reopenStore(readLocation('reopen', options['reopen']));
  printMessage('Servers can use the store again. It has nothing that was written since the move.');
}

function readLocation(option: string, text: unknown): DatabaseLocation {
  if (typeof text !== 'string') throw new CommandError(`--${option} is missing`, EXIT.usage);
  const location = parseDatabaseUrl(text);
  // Not the text itself: it may contain a password.
  if (location === undefined)
    throw new CommandError(
      `--${option} must be sqlite:<file> or postgres://<user>:<password>@<host>:<port>/<database>`,
      EXIT.usage,
    );
  return location;
}

/** A progress bar for the current part of the move. */
class Bars {
  #part = '';
  #bar: ProgressBar | undefined;

  show({ part, done, total }: Parameters<OnProgress>[0]): void {
    if (part !== this.#part) {
      this.clear();
      this.#bar = new ProgressBar(process.stderr, total, { unit: part });
      this.#part = part;
    }
    this.#bar?.show(done, done);
  }

  clear(): void {
    this.#bar?.clear();
  }
}

function requireEqual({ isEqual, tables }: MoveResult): void {
  if (isEqual) return;
  const different = tables.filter((one) => !one.isEqual).map(({ name }) => name);
  throw new CommandError(
    `the two are not the same (${different.join(', ') || 'numbers of reports'}): do not use the target; start again with an empty one`,
  );
}

function present({ isEqual, tables }: MoveResult) {
  return { isEqual, tables };
}

function resultTable({ tables }: MoveResult): string {
  return table(
    ['TABLE', 'ROWS', 'SHA-256 OF ALL ROWS', ''],
    tables.map(({ name, source, target, isEqual }) => [
      name,
      isEqual ? String(source.rows) : `${source.rows} / ${target.rows}`,
      isEqual
        ? source.sha256.slice(0, SHOWN_DIGITS)
        : `${source.sha256.slice(0, SHOWN_DIGITS)} / ${target.sha256.slice(0, SHOWN_DIGITS)}`,
      isEqual ? 'same' : 'DIFFERENT',
    ]),
  );
}
