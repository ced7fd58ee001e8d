import { program, runPart } from './parts.ts';

await runPart({
  name: 'trial',
  parts: {
    'cross-check': program(
      'scripts/cross-check.ts',
      'the settings that other parsers read in the fixtures [--write]',
    ),
    documents: program(
      'scripts/documents.ts',
      'the commands of README, get-started and guides, pasted one after the other',
    ),
    'false-positives': program(
      'scripts/false-positives.ts',
      'the engine on benign files [--short] [--most 3000] [--largest 16] [--write]',
    ),
    'generated-clients': program(
      'scripts/generated-clients.ts',
      'clients that generators make of the OpenAPI document, compiled and called',
    ),
    mirai: program(
      'scripts/mirai-builds.ts',
      'Mirai tables of every installed compiler [--builds 12] [--seed 1] [--only arm]',
    ),
    'new-user': program('scripts/new-user.ts', 'the jobs of four new users in a browser'),
    schemathesis: program(
      'scripts/schemathesis.ts',
      'requests that the OpenAPI document allows and forbids [--examples 5] [--seed 1]',
    ),
  },
});
