import { NO_LIMIT } from '../../domain/accounts/account-limits.ts';
import type { CreateOutcome, NewReport } from '../../ports/report-store.ts';
import type { Serializers, Store } from '../../ports/store.ts';
import { createExamination } from '../checks/examination.ts';
import { changeAccount } from '../tables/accounts/account-changes.ts';
import { deleteOldDays, usageOf } from '../tables/accounts/account-days.ts';
import { keyNames } from '../tables/accounts/account-names.ts';
import { statusBytesOf, storedBytesOf } from '../tables/accounts/account-usage.ts';
import {
  addAccount,
  addFirstAccount,
  findAccount,
  listAccounts,
} from '../tables/accounts/accounts.ts';
import { hasAdministrator } from '../tables/accounts/administrators.ts';
import { refund } from '../tables/accounts/quota.ts';
import {
  addSubmission,
  deleteOldSubmissions,
  findSubmission,
} from '../tables/accounts/submissions.ts';
import { revokeToken } from '../tables/accounts/token-revocation.ts';
import { findToken, issueToken, listTokens, touchTokens } from '../tables/accounts/tokens.ts';
import {
  confirmClock,
  saveClockMark,
  selectClockMark,
  toClockMark,
} from '../tables/installation/clock.ts';
import { rewriteInstallation } from '../tables/installation/installation.ts';
import { areRejected } from '../tables/reports/rejected-c2s.ts';
import { historyOf } from '../tables/reports/report-history.ts';
import { fetchReports, findReport } from '../tables/reports/reports.ts';
import { deleteOldRetryKeys } from '../tables/reports/retry-keys.ts';
import { evidenceOf } from '../tables/samples/evidence.ts';
import { countFailedUploads, listFailedUploads } from '../tables/samples/failed-uploads.ts';
import { findReanalysis } from '../tables/samples/reanalysis-run.ts';
import { bodyOf } from '../tables/samples/sample-rows.ts';
import { detailsOf, detailsSizeOf, statusOf } from '../tables/samples/sample-status.ts';
import { findUnfinishedUploads } from '../tables/samples/unfinished-uploads.ts';
import { endUpload, findUpload, startUpload } from '../tables/samples/uploads.ts';
import { indexSimilar } from '../tables/search/fuzzy-index.ts';
import { findService } from '../tables/services/services.ts';
import { selectPendingWork, toPendingWork } from '../transactions/find-pending-work.ts';
import {
  filesWithOpenProposals,
  removeProposals,
  withdrawMoreProposals,
} from '../transactions/proposals/remove-proposals.ts';
import { createReports } from '../transactions/reports/create-reports.ts';
import { deleteByAccount, purgeReport } from '../transactions/reports/delete-report.ts';
import { previewReport } from '../transactions/reports/preview-report.ts';
import { analyseAgain } from '../transactions/samples/analyse-again.ts';
import { finishAnalysis } from '../transactions/samples/finish-analysis.ts';
import { importAnalyses } from '../transactions/samples/import-analyses.ts';
import { lookUpLarge, lookUpMany, runLookups } from '../transactions/samples/look-up.ts';
import { purgeSample } from '../transactions/samples/purge-sample.ts';
import { queueReanalyses } from '../transactions/samples/queue-reanalyses.ts';
import { startReanalysis, stopReanalysis } from '../transactions/samples/start-reanalysis.ts';
import { submitSample } from '../transactions/samples/submit-sample.ts';
import { backfillSearch } from '../transactions/search/back-fill-search.ts';
import { relatedTo } from '../transactions/search/find-related.ts';
import { reportsOfC2 } from '../transactions/search/find-reports-of-c2.ts';
import { samplesOfAddress } from '../transactions/search/find-samples-of-c2.ts';
import { findSimilar } from '../transactions/search/find-similar.ts';
import { search } from '../transactions/search/search.ts';
import { accessChanged } from '../units/access-version.ts';
import { listAudit, writeAudit } from '../units/audit.ts';
import type { BatchUnit, Runner } from '../units/runner.ts';
import type { UnitOfWork } from '../units/unit-of-work.ts';
import { AccessCache } from './access-cache.ts';
import { createFeedStore } from './feed-store.ts';
import { createMailStore } from './mail-store.ts';
import { createMispStore } from './misp-store.ts';
import { createOwnershipStore } from './ownership-store.ts';
import { createProposalStore } from './proposal-store.ts';
import { createPublishedVersions } from './published-versions.ts';
import { createServiceStore } from './service-store.ts';
import { createSessionStore } from './session-store.ts';
import { createTrustStore } from './trust-store.ts';
import { createWebhookStore } from './webhook-store.ts';

/** Implements the store port over a runner. */
export function createStore(runner: Runner, serializers: Serializers): Store {
  // One function for all calls: the runner batches calls of the same function.
  const createAll = (reports: readonly NewReport[]) => createReports(reports, serializers);
  const access = new AccessCache(runner);
  const read = runner.read.bind(runner);
  const administer = administration(runner, access);

  return {
    access,
    services: createServiceStore(runner, administer),
    accounts: {
      add: (account, token, audit) => administer(() => addAccount(account, token, audit)),
      addFirst: (account, token, audit) => administer(() => addFirstAccount(account, token, audit)),
      keyNames: (limit) => runner.write(() => keyNames(limit)),
      change: (id, changes, audit, by) => administer(() => changeAccount(id, changes, audit, by)),
      hasAdministrator: (now, besides) => read(() => hasAdministrator(now, besides)),
      find: (idOrName, now) => read(() => findAccount(idOrName, now)),
      list: (page, now) => read(() => listAccounts(page, now)),
      usage: (id, request) => read(() => usageOf(id, request)),
      deleteOldDays: (before, limit) => runner.write(() => deleteOldDays(before, limit)),
    },
    tokens: {
      issue: (accountId, token, audit, options = {}) =>
        administer(() => issueToken(accountId, token, audit, options)),
      revoke: (id, ofAccount, audit, { issued = false } = {}) =>
        administer(() => revokeToken({ id, ofAccount, issued }, audit)),
      find: (id) => read(() => findToken(id)),
      list: (accountId, page) => read(() => listTokens(accountId, page)),
      touch: (uses) => runner.write(() => touchTokens(uses)),
    },
    sessions: createSessionStore(runner, access, administer),
    reports: createReportStore(runner, createAll),
    feeds: createFeedStore(runner, createAll, serializers),
    misp: createMispStore(runner),
    published: createPublishedVersions(runner, serializers),
    search: createSearchStore(runner, serializers),
    samples: createSampleStore(runner, serializers),
    proposals: createProposalStore(runner),
    webhooks: createWebhookStore(runner),
    submissions: createSubmissionStore(runner),
    trust: createTrustStore(runner),
    mail: createMailStore(runner),
    ownership: createOwnershipStore(runner),
    audit: {
      list: (page) => read(() => listAudit(page)),
      write: (action, subject, detail, audit) =>
        runner.write(() => writeAudit(audit, action, subject, detail)),
    },
    clock: createClockStore(runner),
    pendingWork: async ({ now, keyId }) =>
      toPendingWork(await runner.readOne(selectPendingWork, { now: now.toISOString(), keyId })),
    examination: createExamination(runner),
    check: async () => {
      await read(() => findService(''));
    },
    checkWrite: async () => {
      if (runner.hasWriteFault?.() === true) await runner.write(() => rewriteInstallation());
    },
    onRefused: (listener) => runner.onRefused(listener),
    close: () => runner.close(),
  };
}

function createReportStore(
  runner: Runner,
  createAll: BatchUnit<NewReport, CreateOutcome>,
): Store['reports'] {
  const read = runner.read.bind(runner);
  return {
    create: (report) => runner.batchWrite(createAll, report, report.service),
    preview: (report) => read(() => previewReport(report)),
    find: (service, id) => read(() => findReport({ service, id })),
    history: (service, id, limit) => read(() => historyOf({ service, id }, limit)),
    isC2Rejected: async (slug, { host, port }) =>
      (await read(() => areRejected([{ slug, host, port }])))[0] === true,
    fetch: (service, id) => runner.batchRead(fetchReports, { service, id }),
    delete: (service, by, deletion) =>
      runner.write(() => deleteByAccount({ service, ...by, ...deletion })),
    purge: (deletion, audit) => runner.write(() => purgeReport(deletion, audit)),
    deleteOldRetryKeys: (before, limit) => runner.write(() => deleteOldRetryKeys(before, limit)),
  };
}

function createSubmissionStore(runner: Runner): Store['submissions'] {
  return {
    add: (submission) => runner.write(() => addSubmission(submission)),
    find: (id, accountId) => runner.read(() => findSubmission(id, accountId)),
    bytesOf: (accountId) => runner.read(() => statusBytesOf(accountId)),
    deleteOld: (before, limit) => runner.write(() => deleteOldSubmissions(before, limit)),
  };
}

function createSearchStore(runner: Runner, serializers: Serializers): Store['search'] {
  return {
    search: (query) => runner.read(() => search(query, serializers)),
    reportsOf: (address, options) => runner.read(() => reportsOfC2(address, options)),
    samplesOf: (address, limit) => runner.read(() => samplesOfAddress(address, limit)),
    relatedTo: (address, limits) => runner.read(() => relatedTo(address, limits)),
    backfill: (limit) => runner.write(() => backfillSearch(limit, serializers)),
  };
}

function createSampleStore(runner: Runner, serializers: Serializers): Store['samples'] {
  const read = runner.read.bind(runner);
  return {
    lookUp: (lookup) => runner.batchWrite(runLookups, lookup, lookup.accountId),
    lookUpLarge: (lookup) => runner.write(() => lookUpLarge(lookup)),
    lookUpMany: (lookup) => runner.write(() => lookUpMany(lookup)),
    refund: (charge) => runner.write(() => refund({ ...charge })),
    similar: (request) => runner.write(() => findSimilar(request, serializers)),
    putAll: async (reports, at, authority) => {
      const stored = await runner.write(() => importAnalyses(reports, at, serializers, authority));
      const replaced = reports.filter((_, index) => stored[index] === 'replaced');
      if (replaced.length === 0) return stored;
      const hashes = replaced.map(({ sha256 }) => sha256);
      for (const sha256 of await read(() => filesWithOpenProposals(hashes)))
        while ((await runner.write(() => withdrawMoreProposals(sha256))) > 0);
      return stored;
    },
    submit: (upload, storedLimit = NO_LIMIT) =>
      runner.write(() => submitSample(upload, storedLimit)),
    storedBytes: (accountId) => read(() => storedBytesOf(accountId)),
    unfinished: () => read(() => findUnfinishedUploads()),
    status: (hash) => read(() => statusOf(hash)),
    find: (hash) => read(() => findUpload(hash)),
    start: (sha256) => runner.write(() => startUpload(sha256)),
    finish: (analysis, at) => runner.write(() => finishAnalysis(analysis, at, serializers)),
    fail: (sha256, reason, at, attempts) =>
      runner.write(() => endUpload(sha256, at, { reason, attempts })),
    failed: (page) => read(() => listFailedUploads(page)),
    countFailed: () => read(() => countFailedUploads()),
    analyseAgain: (sha256, audit) => runner.write(() => analyseAgain(sha256, audit)),
    reanalysis: () => read(() => findReanalysis()),
    startReanalysis: (before, audit) => runner.write(() => startReanalysis(before, audit)),
    stopReanalysis: (audit) => runner.write(() => stopReanalysis(audit)),
    queueReanalyses: (at) => runner.write(() => queueReanalyses(at)),
    onQueued: (listener) => runner.onJobs(listener),
    body: (key) => read(() => bodyOf(key)),
    evidence: async (sha256, c2) => (await read(() => evidenceOf([{ sha256, ...c2 }])))[0],
    details: (hash) => read(() => detailsOf(hash)),
    detailsSize: (hash) => read(() => detailsSizeOf(hash)),
    indexSimilar: (limit) => runner.write(() => indexSimilar(limit, serializers)),
    purge: async (sha256, reason, audit) => {
      const outcome = await runner.write(() => purgeSample(sha256, reason, audit, serializers));
      // Even if the sample is absent: the process may have ended during an earlier purge.
      while ((await runner.write(() => removeProposals(sha256))) > 0);
      return outcome;
    },
  };
}

function createClockStore(runner: Runner): Store['clock'] {
  return {
    mark: async () => toClockMark(await runner.readOne(selectClockMark, {})),
    saveMark: (reading) => runner.write(() => saveClockMark(reading)),
    confirm: (reading, audit) => runner.write(() => confirmClock(reading, audit)),
  };
}

/** Writes accounts, tokens and services, and invalidates the access caches of all nodes. */
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
