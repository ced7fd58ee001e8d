import { GENERATED, OPENAPI_TYPESCRIPT, runGenerated } from '../../generated-clients/languages.ts';
import type { Client, Source } from '../client.ts';
import { program, pythonPackage } from '../sources.ts';

interface Generator {
  readonly name: string;
  readonly command: string;
  readonly version: Source['version'];
}

const { OPENAPI_PYTHON: python = '', OAPI_CODEGEN: codegen = '' } = process.env;

/** By their languages in the trial that runs them alone. */
const GENERATORS: Readonly<Record<string, Generator>> = {
  'Python, openapi-python-client': {
    name: 'openapi-python-client',
    command: 'openapi-python-client generate --path=openapi.json',
    version: () => pythonPackage('openapi-python-client', python).version(),
  },
  'Go, oapi-codegen': {
    name: 'oapi-codegen',
    command: 'oapi-codegen -generate=types,client openapi.json',
    version: () => program(codegen, '-version').version(),
  },
  'TypeScript, openapi-typescript': {
    name: 'openapi-typescript',
    command: 'openapi-typescript openapi.json -o openapi.d.ts',
    version: () => OPENAPI_TYPESCRIPT[0]?.split('@').at(-1) ?? '',
  },
};

export const CLIENT_GENERATORS: readonly Client[] = GENERATED.map((generated) => {
  const { name = '', command = '', version = () => '' } = GENERATORS[generated.language] ?? {};
  return {
    name,
    source: { lacks: () => generated.lacks, version },
    command,
    compared: 'the client is compiled, and the answers to five operations are right',
    isLong: true,
    run: (trial) =>
      runGenerated(generated, {
        RAPSHEET_URL: trial.url,
        RAPSHEET_TOKEN: trial.tokenOf('explorer'),
      }),
  };
});
