import { pause } from '../../../platform/pause.ts';
import { type Command, CommandError, EXIT } from '../../command.ts';
import { connect } from '../../connection.ts';
import { changeLine } from '../../feeds/feed-table.ts';
import { FollowState } from '../../feeds/follow-state.ts';
import { type FollowedLine, Follower } from '../../feeds/follower.ts';
import { connectionOptions } from '../../options/connection-options.ts';
import { onShutdownSignal } from '../../signals.ts';

export const feedFollow: Command = {
  usage: '<service>|all [--state <file>] [--from start|now]',
  arguments: { '<service>|all': 'The slug of the service, or all for every feed' },
  options: {
    ...connectionOptions,
    state: {
      type: 'string',
      value: '<file>',
      description: 'The file that stores the position, to continue there later',
    },
    from: {
      type: 'string',
      value: 'start|now',
      description: 'Where to start without a stored position; now by default',
    },
  },
  examples: [
    { command: 'rapsheet feed follow ply', description: 'Print changes until Ctrl-C' },
    {
      command: 'rapsheet feed follow ply --state ply.state --json >> ply.ndjson',
      description: 'Collect changes, across restarts',
    },
  ],
  positionals: [1, 1],
  async run(input) {
    const [feed = ''] = input.positionals;
    const { options, json, printMessage } = input;
    const from = readFrom(options['from']);
    const state = new FollowState(options['state'] as string | undefined, feed);
    const stop = new AbortController();
    const { signal } = stop;
    const sleep = (ms: number) => pause(ms, signal, { ref: true });
    const client = connect(input, { sleep });
    const write = (lines: readonly FollowedLine[]) => writeOut(lines.map(json ? toJson : toText));
    const follower = new Follower({ client, feed, state, signal, write, printMessage, sleep });
    await untilStopped(stop, () => follower.run(from)).finally(() => state.flush());
  },
};

function readFrom(text: unknown): 'start' | 'now' {
  if (text === undefined || text === 'start' || text === 'now') return text ?? 'now';
  throw new CommandError('--from must be start or now', EXIT.usage);
}

function toJson(line: FollowedLine): string {
  return `${JSON.stringify(line)}\n`;
}

function toText(line: FollowedLine): string {
  return `${line.type === 'reset' ? line.type : changeLine(line)}\n`;
}

/** Ctrl-C and a closed pipe end the command without a failure. */
async function untilStopped(stop: AbortController, work: () => Promise<void>): Promise<void> {
  const end = () => stop.abort();
  const off = onShutdownSignal(end);
  process.stdout.on('error', end);
  try {
    await work();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EPIPE') throw cause;
  } finally {
    off();
  }
}

function writeOut(lines: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(lines.join(''), (cause) => (cause ? reject(cause) : resolve()));
  });
}
