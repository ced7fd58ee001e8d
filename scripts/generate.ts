import { program, runPart } from './parts.ts';

await runPart({
  name: 'generate',
  usual: program(
    'scripts/generate/run.ts',
    'the OpenAPI document, types and pages made from the code [--check]',
  ),
  parts: {
    fixtures: program(
      'scripts/generate/fixtures.ts',
      'the fixtures of the analysis, all or those that contain a word [word…] [--list]',
    ),
  },
});
