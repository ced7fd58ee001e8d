import type { CommandExample } from '../command.ts';

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

/** A command without its code, so that help loads none. */
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

interface DescribedGroup {
  readonly title: string;
  readonly commands: readonly DescribedCommand[];
}

export interface Catalogue {
  readonly connectionOptions: readonly DescribedOption[];
  readonly generalOptions: readonly DescribedOption[];
  readonly groups: readonly DescribedGroup[];
}

/** A table of options under its heading. */
export interface OptionSection {
  readonly title: string;
  readonly options: readonly DescribedOption[];
}

/** The options of a command in the order of the help. */
export function optionSections(
  { options, connects }: DescribedCommand,
  { connectionOptions, generalOptions }: Catalogue,
): readonly OptionSection[] {
  const isOutput = ({ name }: DescribedOption) => name === 'output';
  const [json, ...others] = generalOptions;
  const general = [json, ...options.filter(isOutput), ...others].filter((it) => it !== undefined);
  return [
    { title: 'Options', options: options.filter((option) => !isOutput(option)) },
    { title: 'Connection', options: connects ? connectionOptions : [] },
    { title: 'General', options: general },
  ].filter((section) => section.options.length > 0);
}
