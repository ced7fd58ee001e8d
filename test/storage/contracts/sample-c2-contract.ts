import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type C2Address, parseC2Address } from '../../../src/domain/reports/c2-address.ts';
import type { AnalysisReport } from '../../../src/domain/samples/analysis-report.ts';
import { parseSearchInput } from '../../../src/domain/search-query.ts';
import type { Store } from '../../../src/ports/store.ts';
import { word } from './search-contract.ts';
import {
  audit,
  hex,
  NOW,
  newAccount,
  newReport,
  newSample,
  newService,
  newToken,
} from './store-contract.ts';

const MINUTE_MS = 60_000;

/** The search for C2 addresses in the configuration of samples. */
export function sampleC2Contract(name: string, open: () => Promise<Store>): void {
  describe(`${name} search for the C2 of a sample`, () => {
    let store: Store;
    let minutes = 0;
    before(async () => {
      store = await open();
    });
    after(() => store.close());

    /** Analyses a file whose settings have these addresses, a minute later than the one before. */
    async function analysed(
      c2s: readonly string[],
      members: Partial<AnalysisReport> = {},
    ): Promise<AnalysisReport> {
      minutes += 1;
      const date = new Date(NOW.getTime() + minutes * MINUTE_MS);
      const report = newSample({ date, configs: {}, ...members });
      await finish(report, c2s);
      return report;
    }

    async function finish(report: AnalysisReport, c2s: readonly string[]): Promise<void> {
      const found = c2s.map((text) => ({ ...addressOf(text), family: 'LANTERN' }));
      const details = { evidence: [], indicators: [], facts: {}, members: [], c2s: found };
      await store.samples.finish({ report, details }, NOW);
    }

    function addressOf(text: string): C2Address {
      return parseC2Address(text) ?? assert.fail(`${text} is no address`);
    }

    async function found(text: string, limit = 25): Promise<readonly string[]> {
      const input = parseSearchInput(text) ?? assert.fail(`${text} cannot be searched for`);
      const { hits } = await store.search.search({ input, limit });
      return hits.map(
        (hit) => `${hit.match} ${hit.kind === 'sample' ? hit.sha256 : hit.report.id}`,
      );
    }

    it('finds it by host and port, then those of the host with other ports, newest first', async () => {
      const host = `${word()}.example`;
      const first = await analysed([`${host}:80`]);
      const other = await analysed([`${host}:81`]);
      const both = await analysed([`${host}:81`, `${host}:80`]);
      assert.deepEqual(await found(`${host}:80`), [
        `c2 ${both.sha256}`,
        `c2 ${first.sha256}`,
        `host ${other.sha256}`,
      ]);
      assert.deepEqual(await found(`${host}:80`, 1), [`c2 ${both.sha256}`]);
      assert.deepEqual(await found(`hxxp://${host.replace('.', '[.]')}:82/gate`), [
        `host ${both.sha256}`,
        `host ${other.sha256}`,
        `host ${first.sha256}`,
      ]);
    });

    it('finds it by host, each file once, then those below', async () => {
      const host = `${word()}.example`;
      const exact = await analysed([`${host}:1`, `${host}:2`, `a.${host}:3`]);
      const below = await analysed([`a.b.${host}:1`, `c.${host}:1`]);
      await analysed([`not${host}:1`]);
      assert.deepEqual(await found(host), [`host ${exact.sha256}`, `suffix ${below.sha256}`]);
      assert.deepEqual(await found(`*.${host}`), [
        `suffix ${below.sha256}`,
        `suffix ${exact.sha256}`,
      ]);
      assert.deepEqual(await found(`.b.${host}`), [`suffix ${below.sha256}`]);
    });

    it('finds it by an address of either version', async () => {
      const last = () => Number.parseInt(hex(1), 16);
      const quad = `198.51.100.${last()}`;
      const long = `2001:db8::${hex(2)}:1`;
      const sample = await analysed([`${quad}:4444`, `[${long}]:4444`]);
      for (const text of [`${quad}:4444`, `[${long}]:4444`])
        assert.deepEqual(await found(text), [`c2 ${sample.sha256}`]);
      for (const text of [quad, long, `[${long}]`])
        assert.deepEqual(await found(text), [`host ${sample.sha256}`]);
    });

    it('finds it once if its name matches too', async () => {
      const host = `${word()}.example`;
      const sample = await analysed([`${host}:80`], { fileName: host });
      assert.deepEqual(await found(host), [`host ${sample.sha256}`]);
    });

    it('finds it together with the reports of the same address', async () => {
      const host = `${word()}.example`;
      const sample = await analysed([`${host}:80`]);
      const reporter = newAccount();
      await store.accounts.add(reporter, newToken(), audit);
      const service = newService();
      await store.services.add(service, audit);
      const members = { tags: [], c2: { host, port: 80 }, reference: '' };
      const report = newReport(service.slug, reporter, members);
      await store.reports.create(report);
      assert.deepEqual(await found(`${host}:80`), [`c2 ${sample.sha256}`, `c2 ${report.id}`]);
    });

    it('finds a file although another has very many ports of the host', async () => {
      const host = `${word()}.example`;
      const first = await analysed([`${host}:80`]);
      const ports = Array.from({ length: 1000 }, (_, at) => `${host}:${1000 + at}`);
      const greedy = await analysed(ports);
      assert.deepEqual(await found(host), [`host ${greedy.sha256}`, `host ${first.sha256}`]);
    });

    it('uses the newest analysis only', async () => {
      const [before, later] = [`${word()}.example`, `${word()}.example`];
      const sample = await analysed([`${before}:80`]);
      await finish({ ...sample, fileName: 'again' }, [`${later}:80`]);
      assert.deepEqual(await found(before), []);
      assert.deepEqual(await found(later), [`host ${sample.sha256}`]);
      // An imported analysis that replaces ours has no addresses.
      await store.samples.putAll([{ ...sample, fileName: 'imported' }], NOW);
      assert.deepEqual(await found(later), []);
    });

    it('finds nothing of a file that was purged', async () => {
      const host = `${word()}.example`;
      const sample = await analysed([`${host}:80`]);
      await store.samples.purge(sample.sha256, 'reason', audit);
      assert.deepEqual(await found(`${host}:80`), []);
      assert.deepEqual(await found(`.example`).then((all) => all.includes(sample.sha256)), false);
    });
  });
}
