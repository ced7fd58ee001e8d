import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { always } from '../../../test/always.ts';
import type { QuotaBalance } from '../../domain/accounts/quota.ts';
import { KnownLists } from '../../domain/lists/known-lists.ts';
import type { Report } from '../../domain/reports/report.ts';
import type { Account } from '../../ports/store.ts';
import {
  formatUtc,
  presentAccount,
  presentAuditPage,
  presentBalance,
  presentExtended,
  presentService,
  presentToken,
  quotaHeaders,
  serializers,
} from './present.ts';

const now = new Date('2026-08-26T10:00:00.000Z');
const moment = fc.date({
  min: new Date('0000-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});

const report: Report = {
  id: '017f22e2-79b0-7cc3-98c4-dc0c0c07398f',
  service: 'ply',
  sequence: 7,
  name: 'LANTERN',
  tags: ['rat'],
  c2: { host: '2001:db8::1', port: 443 },
  reportedAt: new Date('2026-08-06T07:08:09.987Z'),
  reporterId: 'a1',
  reportedBy: 'alice',
  sha256: 'ab'.repeat(32),
  firstSeenId: '017f22e2-79b0-7cc3-98c4-dc0c0c073990',
  reference: 'https://research.example/x',
  confidence: 80,
  createdSequence: 3,
  status: 'open',
  statusReason: undefined,
  statusNote: undefined,
  updatedAt: new Date('2026-08-07T01:02:03.999Z'),
  expiresAt: new Date('2026-11-04T07:08:09.987Z'),
  corroboration: 2,
  sightings: 5,
  recurrence: false,
  confirmation: 'unknown',
  routedTo: undefined,
};

const analysis = {
  date: now,
  tags: [{ heat: 10, name: 'LANTERN', rule: 'not for others' }],
  ssdeep: '3:a:b',
  configs: { LANTERN: { C2s: 'evil.example' } },
  md5: '1'.repeat(32),
  sha1: '2'.repeat(40),
  sha256: '3'.repeat(64),
  sha512: '4'.repeat(128),
  blake3: '5'.repeat(64),
  fileName: 'a.exe',
  sizeBytes: 68,
  duration: '00:00:00.0427370',
};

const account: Account = {
  id: 'a1',
  name: 'alice',
  roles: ['researcher'],
  services: ['ply'],
  quota: { limit: 10, period: 'day', remaining: 7, resetsAt: new Date('2026-08-27T00:00:00Z') },
  createRate: undefined,
  disabled: false,
  expiresAt: undefined,
  createdAt: now,
};

describe('a report as it is sent', () => {
  it('has exactly the ten fields of the specification, in its order', () => {
    assert.equal(
      serializers.report(report),
      JSON.stringify({
        id: '017f22e2-79b0-7cc3-98c4-dc0c0c07398f',
        name: 'LANTERN',
        tags: ['rat'],
        c2Address: '[2001:db8::1]:443',
        reportedAt: '2026-08-06 07:08:09',
        reportedBy: 'alice',
        file256Hash: 'ab'.repeat(32),
        firstSeenID: '017f22e2-79b0-7cc3-98c4-dc0c0c073990',
        referenceLink: 'https://research.example/x',
        confidenceScore: 80,
      }),
    );
  });

  it('has its time in UTC as YYYY-MM-DD HH:MM:SS', () => {
    always(
      fc.property(moment, (reportedAt) => {
        const text = JSON.parse(serializers.report({ ...report, reportedAt })).reportedAt;
        assert.match(text, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
        const read = new Date(`${text.replace(' ', 'T')}Z`).getTime();
        assert.equal(read, Math.floor(reportedAt.getTime() / 1000) * 1000);
      }),
    );
  });
});

describe('an extended report', () => {
  it('has the ten fields and the status of the report, in this order', () => {
    const { service: _, ...rest } = JSON.parse(
      JSON.stringify(presentExtended(report, new KnownLists())),
    );
    assert.deepEqual(Object.keys(presentExtended(report, new KnownLists())), [
      ...Object.keys(JSON.parse(serializers.report(report))),
      'service',
      'sequence',
      'status',
      'statusReason',
      'updatedAt',
      'expiresAt',
      'corroboration',
      'sightings',
      'recurrence',
      'confirmation',
      'misrouted',
      'routedTo',
      'knownAs',
    ]);
    assert.deepEqual(rest, {
      ...JSON.parse(serializers.report(report)),
      sequence: 7,
      status: 'open',
      statusReason: null,
      updatedAt: '2026-08-07T01:02:03Z',
      expiresAt: '2026-11-04T07:08:09Z',
      corroboration: 2,
      sightings: 5,
      recurrence: false,
      confirmation: 'unknown',
      misrouted: false,
      routedTo: null,
      knownAs: [],
    });
  });

  it('has the reason and the note of the desk, if any', () => {
    const changed = {
      status: 'actioned',
      statusReason: 'taken_down',
      statusNote: 'Gone.',
    } as const;
    const answered = presentExtended({ ...report, ...changed }, new KnownLists());
    assert.equal(answered.statusReason, 'taken_down');
    assert.equal(answered.statusNote, 'Gone.');
  });
});

describe('an analysis report as it is sent', () => {
  it('has exactly the twelve fields of the specification, in its order', () => {
    assert.equal(
      serializers.analysis(analysis),
      JSON.stringify({
        date: '2026-08-26T10:00:00Z',
        tags: [{ heat: 10, name: 'LANTERN' }],
        ssDeep: '3:a:b',
        configs: { LANTERN: { C2s: 'evil.example' } },
        mD5Hash: '1'.repeat(32),
        fileName: 'a.exe',
        sha1Hash: '2'.repeat(40),
        blake3Hash: '5'.repeat(64),
        sha256Hash: '3'.repeat(64),
        sha512Hash: '4'.repeat(128),
        sizeInBytes: 68,
        staticAnalysisDuration: '00:00:00.0427370',
      }),
    );
  });

  it('is valid UTF-8, even with a malformed file name', () => {
    const bytes = Buffer.from(serializers.analysis({ ...analysis, fileName: 'ü\ud800\0' }));
    assert.equal(JSON.parse(bytes.toString()).fileName, 'ü\ud800\0');
  });
});

describe('a time as it is sent', () => {
  it('is UTC as YYYY-MM-DDTHH:MM:SSZ', () => {
    always(
      fc.property(moment, (date) => {
        const text = formatUtc(date);
        assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
        assert.equal(new Date(text).getTime(), Math.floor(date.getTime() / 1000) * 1000);
      }),
    );
  });
});

describe('an account as it is sent', () => {
  it('has the fields for operators, with null for missing values', () => {
    assert.deepEqual(presentAccount(account), {
      id: 'a1',
      name: 'alice',
      roles: ['researcher'],
      services: ['ply'],
      quota: { limit: 10, period: 'day', remaining: 7, resetsAt: '2026-08-27T00:00:00Z' },
      createRate: null,
      disabled: false,
      expiresAt: null,
      createdAt: '2026-08-26T10:00:00Z',
    });
  });

  it('without a limit and a reset says null for both', () => {
    const quota = { limit: null, period: 'none', remaining: null, resetsAt: undefined } as const;
    assert.deepEqual(presentAccount({ ...account, quota }).quota, {
      limit: null,
      period: 'none',
      remaining: null,
      resetsAt: null,
    });
  });

  it('presents its balance with the names that older clients read', () => {
    assert.deepEqual(presentBalance(account), {
      requests_left: 7,
      expiration_date: '9999-12-31T23:59:59Z',
      created_at: '2026-08-26T10:00:00Z',
    });
    assert.equal(
      presentBalance({ ...account, expiresAt: now }).expiration_date,
      '2026-08-26T10:00:00Z',
    );
  });
});

describe('other resources as they are sent', () => {
  it('include all of a service', () => {
    const service = {
      slug: 'ply',
      name: 'Ply',
      confidenceScale: 100,
      hosts: ['*.ply.example'],
      verifiedHosts: ['*.ply.example'],
      networks: ['203.0.113.0/24'],
      expireAfterDays: 90,
      createdAt: now,
    };
    assert.deepEqual(presentService(service), { ...service, createdAt: '2026-08-26T10:00:00Z' });
  });

  it('include the fields of a token, without its owner', () => {
    const token = {
      id: 't1',
      accountId: 'a1',
      hint: 'rap_abcd…',
      label: 'laptop',
      createdAt: now,
      expiresAt: undefined,
      lastUsedAt: now,
      revokedAt: undefined,
      issuerId: undefined,
      origin: 'unknown' as const,
    };
    assert.deepEqual(presentToken(token), {
      id: 't1',
      hint: 'rap_abcd…',
      label: 'laptop',
      createdAt: '2026-08-26T10:00:00Z',
      expiresAt: null,
      lastUsedAt: '2026-08-26T10:00:00Z',
      revokedAt: null,
      issuedBy: null,
      issuedVia: 'unknown',
    });
  });

  it('include all of an audit entry', () => {
    const entry = { id: 1, at: now, actor: 'admin', action: 'a', subject: 's', detail: { x: 1 } };
    assert.deepEqual(presentAuditPage({ entries: [entry], nextBefore: undefined }), {
      entries: [{ ...entry, at: '2026-08-26T10:00:00Z' }],
      nextBefore: null,
    });
  });
});

describe('the quota headers', () => {
  it('of a daily quota state limit, remaining units, window and reset in both forms', () => {
    assert.deepEqual(quotaHeaders(account.quota, now), {
      'x-ratelimit-limit': '10',
      'x-ratelimit-remaining': '7',
      'x-ratelimit-reset': '1787788800',
      'ratelimit-policy': '"lookup";q=10;w=86400',
      ratelimit: '"lookup";r=7;t=50400',
    });
  });

  it('of a monthly quota state the length of the current month', () => {
    const quota: QuotaBalance = {
      limit: 10,
      period: 'month',
      remaining: 0,
      resetsAt: new Date('2028-03-01T00:00:00Z'),
    };
    const headers = quotaHeaders(quota, new Date('2028-02-29T23:59:59.500Z'));
    assert.equal(headers['ratelimit-policy'], `"lookup";q=10;w=${29 * 86_400}`);
    assert.equal(headers['ratelimit'], '"lookup";r=0;t=1');
  });

  it('of a prepaid quota state no window and no reset', () => {
    const quota: QuotaBalance = { limit: 10, period: 'none', remaining: 3, resetsAt: undefined };
    assert.deepEqual(quotaHeaders(quota, now), {
      'x-ratelimit-limit': '10',
      'x-ratelimit-remaining': '3',
      'ratelimit-policy': '"lookup";q=10',
      ratelimit: '"lookup";r=3',
    });
  });

  it('without a limit state the largest number that a structured field can hold', () => {
    const quota: QuotaBalance = { ...account.quota, limit: null, remaining: null };
    const headers = quotaHeaders(quota, now);
    assert.equal(headers['x-ratelimit-limit'], '999999999999999');
    assert.equal(headers['x-ratelimit-remaining'], '999999999999999');
    assert.equal(headers['ratelimit-policy'], '"lookup";q=999999999999999;w=86400');
    assert.equal(headers['ratelimit'], '"lookup";r=999999999999999;t=50400');
  });

  it('never state a negative time, even if the window has just ended', () => {
    const headers = quotaHeaders(account.quota, new Date('2026-08-27T00:00:01Z'));
    assert.equal(headers['ratelimit'], '"lookup";r=7;t=0');
  });
});
