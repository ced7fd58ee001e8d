import { runCommand } from './commands.ts';
import { program, runPart } from './parts.ts';

const lint = () => runCommand('biome check --error-on-warnings');
const unused = () => runCommand('knip');

function types(): void {
  runCommand('tsc');
  runCommand('tsc -p web');
  runCommand('tsc -p web/tsconfig.build.json');
}

function checkAll(): void {
  lint();
  types();
  unused();
}

await runPart({
  name: 'check',
  usual: { summary: 'lint, types and unused', run: checkAll },
  parts: {
    lint: { summary: 'Biome: formatting and rules; `npm run fix` repairs most', run: lint },
    types: { summary: 'TypeScript: the service, the tests and the web application', run: types },
    unused: { summary: 'Knip: unused files, exports and dependencies', run: unused },
    expressions: program(
      'scripts/expressions.ts',
      'every regular expression takes linear time, in minutes [--write]',
    ),
  },
});
