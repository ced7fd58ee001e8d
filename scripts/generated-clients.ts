import { EXAMPLE_ACCOUNT } from '../src/http/openapi/example-objects.ts';
import { Site } from './browser/site.ts';
import { GENERATED, runGenerated } from './generated-clients/languages.ts';

/**
 * Generates clients from the OpenAPI document with the generators that others use, compiles them,
 * and calls five operations of a server with a demo store. A generator that is not installed is
 * skipped by name: `OPENAPI_PYTHON` is a Python with openapi-python-client, `OAPI_CODEGEN` the
 * program of that name, for which Go is needed, and npm fetches openapi-typescript.
 */
async function check(): Promise<void> {
  const site = new Site();
  try {
    const { accounts } = await site.fillWithDemo();
    const { token = '' } = accounts.find(({ name }) => name === EXAMPLE_ACCOUNT) ?? {};
    await site.start();
    for (const generated of GENERATED) {
      if (generated.lacks !== undefined) {
        console.log(`skipped  ${generated.language}: ${generated.lacks}`);
        continue;
      }
      await runGenerated(generated, { RAPSHEET_URL: site.url, RAPSHEET_TOKEN: token });
      console.log(`passed   ${generated.language}: compiled, 5 operations called`);
    }
  } finally {
    await site.close();
  }
}

try {
  await check();
} catch (error) {
  const { message, stdout = '', stderr = '' } = error as Error & Record<string, string>;
  console.error([message, stdout, stderr].join('\n'));
  process.exitCode = 1;
}
