import { createDatabase } from './postgres.ts';

/**
 * Creates a database on the server of the test run and prints its URL. A separate program, because
 * callers that are not async run it with `execFileSync`.
 */
const server = process.env['TEST_POSTGRES_URL'];
if (server === undefined)
  throw new Error('TEST_POSTGRES_URL must name a server: `npm test -- --postgres` starts one');
process.stdout.write(await createDatabase(server));
