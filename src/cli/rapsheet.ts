import { runCommandLine } from './main.ts';

// Set, not exit: what was written to a pipe must still get out.
process.exitCode = await runCommandLine(process.argv.slice(2));
