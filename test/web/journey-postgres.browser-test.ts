import { after, before, describe, it } from 'node:test';
import { newDatabase, type TestDatabase } from '../postgres.ts';
import { whyNoBrowser } from './harness/browser.ts';
import { takeDownFromFile } from './harness/journey.ts';
import { openStage } from './harness/stage.ts';

describe('a researcher and a desk, on PostgreSQL', { skip: whyNoBrowser }, () => {
  let database: TestDatabase;
  before(async () => {
    database = await newDatabase();
  });
  const stage = openStage(async () => ({ RAPSHEET_DATABASE_URL: database.url }));
  after(() => database.drop());
  it('take a C2 down that was found in a file', () => takeDownFromFile(stage));
});
