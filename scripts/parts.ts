import { pathToFileURL } from 'node:url';

export interface Part {
  readonly summary: string;
  run(args: readonly string[]): unknown;
}

/** A script of `package.json` whose first argument names one of its parts. */
export interface Script {
  readonly name: string;
  /** Runs without the name of a part. Its options are the script's. */
  readonly usual?: Part;
  readonly parts: Readonly<Record<string, Part>>;
}

/** A part that is a program of its own, with its path from the root of the repository. */
export function program(path: string, summary: string): Part {
  const run = async (args: readonly string[]) => {
    process.argv = [process.argv[0] ?? '', path, ...args];
    await import(String(pathToFileURL(path)));
  };
  return { summary, run };
}

/** Runs the part that the arguments name, or prints the parts. */
export async function runPart(script: Script, args = process.argv.slice(2)): Promise<void> {
  const [first = '', ...rest] = args;
  const part = Object.hasOwn(script.parts, first) ? script.parts[first] : undefined;
  if (args.includes('--help')) console.log(formatHelp(script));
  else if (part !== undefined) await part.run(rest);
  else if (script.usual !== undefined && (first === '' || first.startsWith('-')))
    await script.usual.run(args);
  else refuse(script, first);
}

function refuse(script: Script, name: string): void {
  const reason = name === '' ? 'a part is missing' : `there is no part "${name}"`;
  console.error(`${script.name}: ${reason}; the parts are ${Object.keys(script.parts).join(', ')}`);
  process.exitCode = 1;
}

function formatHelp({ name, usual, parts }: Script): string {
  const usage = `npm run ${name} -- <part> [options]`;
  const width = Math.max(...Object.keys(parts).map((each) => each.length));
  const lines = Object.entries(parts).map(
    ([each, { summary }]) => `  ${each.padEnd(width)}  ${summary}`,
  );
  const without = usual === undefined ? [] : ['', `Without a part: ${usual.summary}`];
  return [usage, '', ...lines, ...without].join('\n');
}

/** Prints the usage of a script without parts and exits, if `--help` is given. */
export function answerHelp(usage: string): void {
  if (!process.argv.includes('--help')) return;
  console.log(usage);
  process.exit(0);
}
