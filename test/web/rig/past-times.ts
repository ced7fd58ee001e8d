import type { RapsheetClient } from '../../../src/client/client.ts';
import { until } from '../../until.ts';

/**
 * Waits until the reports of a batch are in the past. Their times run ahead of the clock: later
 * reports would be listed among them, and their changes would still arrive.
 */
export async function areInThePast(client: RapsheetClient, service: string): Promise<void> {
  const { reports } = await client.listReports(service, { limit: 1 });
  const newest = Date.parse(`${reports[0]?.reportedAt}Z`);
  await until(() => Date.now() > newest + 1000, 'the newest report is in the past');
}
