import { readPages } from './documents/pages.ts';
import { DocumentRun } from './documents/run.ts';
import { answerHelp } from './parts.ts';

answerHelp('npm run trial -- documents');

/**
 * Pastes the commands of the README, of `get-started` and of the guides one after the other into
 * one shell, in one clone, with one server and its store, as a newcomer does. The first command
 * that fails ends it, and so does a file that git would offer to commit.
 */
const run = new DocumentRun();
try {
  await run.open();
  for (const page of readPages()) await run.paste(page);
  run.checkFiles();
} finally {
  await run.close();
}
