import { groups } from '../../../src/cli/commands/index.ts';
import { allCommands } from '../../../src/cli/help/find.ts';
import { EICAR } from '../../../src/http/openapi/example-objects.ts';
import type { TestInstallation } from '../../installation.ts';
import { wordsOf } from './shell-words.ts';

/** Commands whose examples are not run on the demo store, and why. */
const NOT_RUN: Readonly<Record<string, string>> = {
  serve: 'does not end',
  worker: 'does not end',
  'feed follow': 'does not end',
  demo: 'needs a new store',
  migrate: 'needs another database',
  backup: 'copies all samples',
  restore: 'needs a backup',
  doctor: 'has its own test',
  login: 'asks for a token, or needs a server at the default address',
  logout: 'needs a profile',
  'profile use': 'needs a profile',
  analyse: 'names a file of the reader',
  'sample add': 'names a file of the reader',
  'sample import': 'names a file of the reader',
  'proposal report': 'the ids of proposals differ in every store',
  'proposal dismiss': 'the ids of proposals differ in every store',
  'service check': 'needs a record in the DNS',
  'report remove': 'the example of the API deletes the same report',
  'sample remove': 'other examples show this sample',
  'token revoke': 'the example of the API revokes the same token',
  'webhook remove': 'the example of the API removes the same webhook',
  'webhook set': 'the example of the API needs the webhook enabled',
  'report set': 'other tests count the open reports',
  'account set': 'other examples use this account',
};

/** Examples that need more than the others of their command. */
const NEEDS_MORE = /--mail\b|\bmail\b|reports\.ndjson|event\.json/;

const INPUTS: Readonly<Record<string, string>> = { lookup: `${EICAR}\n` };

/** Runs the examples of `--help`, one after the other, with the token of an account. */
export class CommandExamples {
  readonly #installation: TestInstallation;
  readonly #settings: Readonly<Record<string, string>>;

  constructor(installation: TestInstallation, url: string, token: string) {
    this.#installation = installation;
    this.#settings = { RAPSHEET_URL: url, RAPSHEET_TOKEN: token };
  }

  /** Returns what failed. */
  async runAll(): Promise<readonly string[]> {
    const failures: string[] = [];
    for (const { name, load } of allCommands(groups)) {
      if (NOT_RUN[name] !== undefined) continue;
      for (const { command } of (await load()).examples) {
        if (NEEDS_MORE.test(command)) continue;
        const options = { settings: this.#settings, input: INPUTS[name] ?? '' };
        const { code, stderr } = await this.#installation.run(wordsOf(command), options);
        if (code !== 0) failures.push(`${command}: ${code} ${stderr}`);
      }
    }
    return failures;
  }
}
