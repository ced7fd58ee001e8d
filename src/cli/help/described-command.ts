import {
  type CommandExample,
  type CommandOptions,
  generalOptions,
  type ListedCommand,
} from '../command.ts';
import { connectionOptions } from '../options/connection-options.ts';

/** What help, manual page and completions say of an option. */
export interface DescribedOption {
  /** Without the dashes: `url`. */
  readonly name: string;
  readonly short?: string;
  readonly value?: string;
  /** Whether it can be repeated. */
  readonly multiple?: boolean;
  readonly description: string;
}

/** What they say of a positional argument. */
export interface DescribedArgument {
  /** As in the usage line: `<service>|all`. */
  readonly name: string;
  /** The possible values, if the name does not have them: `csv|json`. */
  readonly value?: string;
  readonly description: string;
}

/** A command as help, manual page and completions show it. `help --json` prints it. */
export interface DescribedCommand {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  readonly arguments: readonly DescribedArgument[];
  /** Its own options, without those of the connection. */
  readonly options: readonly DescribedOption[];
  /** Whether it calls a server, and so has the options of the connection. */
  readonly connects: boolean;
  readonly examples: readonly CommandExample[];
}

export function describeCommand(command: ListedCommand): DescribedCommand {
  const { name, usage, summary, options = {}, examples } = command;
  // A command that describes one of them itself lists all of them as its own.
  const shared = Object.entries(connectionOptions);
  const connects = shared.every(([option, described]) => options[option] === described);
  const own = Object.entries(options).filter(
    ([option]) => !(connects && Object.hasOwn(connectionOptions, option)),
  );
  return {
    name,
    usage,
    summary,
    arguments: Object.entries(command.arguments ?? {}).map(([key, argument]) => ({
      name: key,
      ...(typeof argument === 'string' ? { description: argument } : argument),
    })),
    options: describeOptions(Object.fromEntries(own)),
    connects,
    examples,
  };
}

export function describeOptions(options: CommandOptions): readonly DescribedOption[] {
  return Object.entries(options).map(([name, option]) => ({
    name,
    ...(option.short === undefined ? {} : { short: option.short }),
    ...(option.value === undefined ? {} : { value: option.value }),
    ...(option.multiple === true ? { multiple: true } : {}),
    description: option.description,
  }));
}

/** A table of options under its heading. */
export interface OptionSection {
  readonly title: string;
  readonly options: readonly DescribedOption[];
}

/** The options of a command in the order of the help. */
export function optionSections({ options, connects }: DescribedCommand): readonly OptionSection[] {
  const isOutput = ({ name }: DescribedOption) => name === 'output';
  const [json, ...others] = describeOptions(generalOptions);
  const general = [json, ...options.filter(isOutput), ...others].filter((it) => it !== undefined);
  return [
    { title: 'Options', options: options.filter((option) => !isOutput(option)) },
    { title: 'Connection', options: connects ? describeOptions(connectionOptions) : [] },
    { title: 'General', options: general },
  ].filter((section) => section.options.length > 0);
}
