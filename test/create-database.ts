import { createDatabase } from './postgres.ts';

/**
 * Makes a database on the server of the test run, and prints its address: a program, for whoever
 * cannot wait.
 */
const server = process.env['TEST_POSTGRES_URL'];
if (server === undefined)
  throw new Error('TEST_POSTGRES_URL must name a server: `npm test -- --postgres` starts one');
process.stdout.write(await createDatabase(server));
