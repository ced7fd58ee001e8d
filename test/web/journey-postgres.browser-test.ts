import { after, before, describe, it } from 'node:test';
import { newDatabase, type TestDatabase } from '../postgres.ts';
import { whyNoBrowser } from './rig/browser.ts';
import { openBrowserRig } from './rig/browser-rig.ts';
import { takeDownFromFile } from './rig/journey.ts';

describe('a researcher and a desk, on PostgreSQL', { skip: whyNoBrowser }, () => {
  let database: TestDatabase;
  before(async () => {
    database = await newDatabase();
  });
  const rig = openBrowserRig(async () => ({ RAPSHEET_DATABASE_URL: database.url }));
  after(() => database.drop());
  it('take a C2 down that was found in a file', () => takeDownFromFile(rig));
});
