import { curlSample } from './curl.ts';
import { exampleRequest, type SampledOperation } from './example-request.ts';
import { pythonSample } from './python.ts';
import { typescriptSample } from './typescript.ts';

/** A member of `x-codeSamples`, which several readers of OpenAPI documents show. */
export interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

/** The example of an operation as a program. */
export function codeSamples(
  method: string,
  path: string,
  operation: SampledOperation,
): readonly CodeSample[] {
  const request = exampleRequest(method, path, operation);
  return [
    { lang: 'Shell', label: 'curl', source: curlSample(request) },
    { lang: 'Python', label: 'Python', source: pythonSample(request) },
    { lang: 'TypeScript', label: 'TypeScript', source: typescriptSample(request) },
  ];
}
