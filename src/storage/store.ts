import { NO_LIMIT } from '../domain/accounts/account-limits.ts';
import type { NewReport } from '../ports/report-store.ts';
import type { ReadyForms, Store } from '../ports/store.ts';
import { AccessCache } from './access-cache.ts';
import { examinationOver } from './checks/examination.ts';
import { feedsOver } from './feed-store.ts';
import { storedBytesOf } from './sql/accounts/account-usage.ts';
import {
  addAccount,
  addFirstAccount,
  changeAccount,
  findAccount,
  listAccounts,
} from './sql/accounts/accounts.ts';
import { listAudit, note } from './sql/accounts/audit.ts';
import { refund } from './sql/accounts/quota.ts';
import { issueToken, listTokens, revokeToken, touchTokens } from './sql/accounts/tokens.ts';
import { confirmClock, findClockMark, keepClockMark } from './sql/clock.ts';
import { addService, changeService, findService, listServices } from './sql/feeds/services.ts';
import { accessChanged, rewriteInstallation } from './sql/installation.ts';
import { createReports } from './sql/reports/create-reports.ts';
import { deleteByAccount, fetchReports, findReport, purgeReport } from './sql/reports/reports.ts';
import { forgetRetryKeys } from './sql/reports/retry-keys.ts';
import {
  detailsOf,
  detailsSizeOf,
  finishAnalysis,
  statusOf,
  submitSample,
} from './sql/samples/analyses.ts';
import { lookUpAll, lookUpLarge, lookUpMany } from './sql/samples/lookups.ts';
import { bodyOf } from './sql/samples/sample-rows.ts';
import { purgeSample, putSamples } from './sql/samples/samples.ts';
import { endUpload, findUpload, startUpload } from './sql/samples/uploads.ts';
import { indexSimilar } from './sql/search/fuzzy-index.ts';
import { search } from './sql/search/search.ts';
import { indexOld } from './sql/search/search-back-fill.ts';
import { findSimilar } from './sql/search/similar.ts';
import type { Runner, UnitOfWork } from './unit-of-work.ts';
import { webhooksOver } from './webhook-store.ts';

/** The store port over a database that runs units of work. */
export function storeOver(runner: Runner, forms: ReadyForms): Store {
  /** One function for all, by which the runner knows what may be gathered. */
  const createAll = (reports: readonly NewReport[]) => createReports(reports, forms);
  const access = new AccessCache(runner);
  const read = runner.read.bind(runner);
  const administer = administration(runner, access);

  return {
    access,
    services: {
      add: (service, act) => administer(() => addService(service, act)),
      change: (slug, changes, act) => administer(() => changeService(slug, changes, act)),
      list: () => read(() => listServices()),
    },
    accounts: {
      add: (account, token, act) => administer(() => addAccount(account, token, act)),
      addFirst: (account, token, act) => administer(() => addFirstAccount(account, token, act)),
      change: (id, changes, act) => administer(() => changeAccount(id, changes, act)),
      find: (idOrName, now) => read(() => findAccount(idOrName, now)),
      list: (page, now) => read(() => listAccounts(page, now)),
    },
    tokens: {
      issue: (accountId, token, act, options = {}) =>
        administer(() => issueToken(accountId, token, act, options)),
      revoke: (id, ofAccount, act, { issued = false } = {}) =>
        administer(() => revokeToken({ id, ofAccount, issued }, act)),
      list: (accountId, page) => read(() => listTokens(accountId, page)),
      touch: (uses) => runner.write(() => touchTokens(uses)),
    },
    reports: {
      create: (report) => runner.gather(createAll, report, report.service),
      find: (service, id) => read(() => findReport({ service, id })),
      fetch: (service, id) => runner.gatherRead(fetchReports, { service, id }),
      delete: (service, by, deletion) =>
        runner.write(() => deleteByAccount({ service, ...by, ...deletion })),
      purge: (deletion, act) => runner.write(() => purgeReport(deletion, act)),
      forgetRetryKeys: (before, limit) => runner.write(() => forgetRetryKeys(before, limit)),
    },
    feeds: feedsOver(runner, createAll, forms),
    search: {
      search: (asked) => read(() => search(asked, forms)),
      indexOld: (limit) => runner.write(() => indexOld(limit, forms)),
    },
    samples: samplesOver(runner, forms),
    webhooks: webhooksOver(runner),
    audit: {
      list: (limit, before) => read(() => listAudit(limit, before)),
      note: (action, subject, detail, act) =>
        runner.write(() => note(act, action, subject, detail)),
    },
    clock: clockOver(runner),
    examination: examinationOver(runner),
    check: async () => {
      await read(() => findService(''));
    },
    checkWrite: async () => {
      if (runner.hasWriteFault?.() === true) await runner.write(() => rewriteInstallation());
    },
    close: () => runner.close(),
  };
}

function samplesOver(runner: Runner, forms: ReadyForms): Store['samples'] {
  const read = runner.read.bind(runner);
  return {
    lookUp: (lookup) => runner.gather(lookUpAll, lookup, lookup.accountId),
    lookUpLarge: (lookup) => runner.write(() => lookUpLarge(lookup)),
    lookUpMany: (lookup) => runner.write(() => lookUpMany(lookup)),
    refund: (charge) => runner.write(() => refund({ ...charge })),
    similar: (asked) => runner.write(() => findSimilar(asked, forms)),
    putAll: (reports, at, authority) =>
      runner.write(() => putSamples(reports, at, forms, authority)),
    submit: (upload, storedLimit = NO_LIMIT) =>
      runner.write(() => submitSample(upload, storedLimit)),
    storedBytes: (accountId) => read(() => storedBytesOf(accountId)),
    status: (hash) => read(() => statusOf(hash)),
    find: (hash) => read(() => findUpload(hash)),
    start: (sha256) => runner.write(() => startUpload(sha256)),
    finish: (analysis, at) => runner.write(() => finishAnalysis(analysis, at, forms)),
    fail: (sha256, reason, at) => runner.write(() => endUpload(sha256, at, reason)),
    body: (key) => read(() => bodyOf(key)),
    details: (hash) => read(() => detailsOf(hash)),
    detailsSize: (hash) => read(() => detailsSizeOf(hash)),
    indexSimilar: (limit) => runner.write(() => indexSimilar(limit, forms)),
    purge: (sha256, reason, act) => runner.write(() => purgeSample(sha256, reason, act)),
  };
}

function clockOver(runner: Runner): Store['clock'] {
  return {
    mark: () => runner.read(() => findClockMark()),
    keepMark: (reading) => runner.write(() => keepClockMark(reading)),
    confirm: (reading, act) => runner.write(() => confirmClock(reading, act)),
  };
}

/** For whatever decides who may do what: the next request must already see it, here and on every other node. */
function administration(runner: Runner, access: AccessCache) {
  return async <Result>(work: () => UnitOfWork<Result>): Promise<Result> => {
    const result = await runner.write(function* () {
      const done = yield* work();
      yield* accessChanged();
      return done;
    });
    access.clear();
    return result;
  };
}
