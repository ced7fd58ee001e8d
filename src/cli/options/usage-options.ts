import type { CommandInput, CommandOptions } from '../command.ts';

export const usageUsage = '[--day <YYYY-MM-DD>] [--from <YYYY-MM-DD>] [--to <YYYY-MM-DD>]';

export const usageOptions = {
  day: { type: 'string', value: '<YYYY-MM-DD>', description: 'This day, in UTC' },
  from: { type: 'string', value: '<YYYY-MM-DD>', description: 'The first day' },
  to: { type: 'string', value: '<YYYY-MM-DD>', description: 'The last day' },
} as const satisfies CommandOptions;

/** The names of the parameters in errors. */
export const usageNames = { day: '--day', from: '--from', to: '--to' };

/** As query parameters. */
export function readUsageOptions({ options: { day, from, to } }: Pick<CommandInput, 'options'>) {
  return { day, from, to } as Readonly<Record<'day' | 'from' | 'to', string | undefined>>;
}
