import type { Dialect } from '../../../src/storage/units/query.ts';

/**
 * A store with many rows in every growing table, and with the largest possible groups: all reports
 * are in one feed, have the same C2, file and tag, and come from one account. A statement that
 * reads a whole group instead of a part exceeds the limit on its work.
 *
 * Small are only tables that are bounded otherwise: services (added by operators), webhooks and
 * their secrets (added by owners of feeds), and the reporters of one C2 in one feed.
 */
const SERVICES = 40;
const WEBHOOKS = 10;
const REPORTERS_OF_ONE_C2 = 10;

/** The time in all rows. Parameters are times around it. */
export const AT = '2026-11-01T00:00:00.000Z';
const LONG_AGO = '2026-01-01T00:00:00.000Z';

interface Expressions {
  /** A number as that many hexadecimal digits. */
  hex(number: string, digits: number): string;
  bytes(hex: string): string;
  words(text: string): string;
}

const EXPRESSIONS: Readonly<Record<Dialect, Expressions>> = {
  sqlite: {
    hex: (number, digits) => `printf('%0${digits}x', ${number})`,
    bytes: (hex) => `unhex(${hex})`,
    words: (text) => text,
  },
  postgres: {
    hex: (number, digits) => `lpad(to_hex(${number}), ${digits}, '0')`,
    bytes: (hex) => `decode(${hex}, 'hex')`,
    words: (text) => `array_to_tsvector(string_to_array(${text}, ' '))`,
  },
};

/** The id of the report, account, token, webhook or delivery with that number. */
export const idOf = (kind: string, number: number) =>
  `${kind}-${number.toString(16).padStart(12, '0')}`;

/**
 * Statements that fill an empty store with `rows` rows per table. `absent` are columns that a store
 * of an older version does not have.
 */
export function fillStatements(
  dialect: Dialect,
  size: number,
  absent: readonly string[] = [],
): readonly string[] {
  const { hex, bytes, words } = EXPRESSIONS[dialect];
  const id = (kind: string, number = 'i') => `'${kind}-' || ${hex(number, 12)}`;
  const hash = (salt: number, digits: number) => bytes(hex(`i * 8 + ${salt}`, digits));
  const insert = (table: string, rows: number, values: Readonly<Record<string, string>>) => {
    const columns = Object.entries(values).filter(([name]) => !absent.includes(name));
    return `
    insert into ${table} (${columns.map(([name]) => name).join(', ')})
    with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < ${rows})
    select ${columns.map(([, value]) => value).join(', ')} from numbers`;
  };
  const now = `'${AT}'${dialect === 'postgres' ? '::timestamptz' : ''}`;
  const old = now.replace(AT, LONG_AGO);
  const state = (...names: readonly string[]) =>
    `case i % ${names.length} ${names.map((name, rest) => `when ${rest} then ${name}`).join(' ')} end`;
  return [
    // Their ids begin with 1: the built-in one is deleted first.
    `${dialect === 'postgres' ? 'truncate service restart identity cascade' : 'delete from service'};
    ${insert('service', SERVICES, {
      slug: id('service'),
      name: id('service'),
      confidence_scale: '100',
      hosts: "'[]'",
      networks: "'[]'",
      last_sequence: String(size),
      last_added: String(2 * size),
      created_at: now,
    })}`,
    insert('account', size, {
      id: id('account'),
      name: id('name'),
      roles: `'["researcher"]'`,
      quota_period: "'day'",
      created_at: now,
      name_key: state('null', id('key')),
    }),
    insert('account_service', SERVICES, { account_id: id('account', '1'), service_id: 'i' }),
    insert('token', size, {
      id: id('token'),
      account_id: id('account', '1'),
      digest: hash(1, 64),
      hint: "'hint'",
      label: "'label'",
      created_at: now,
      expires_at: state('null', old),
      revoked_at: state('null', 'null', old),
    }),
    insert('account_day', size, { account_id: id('account', '1'), day: id('day'), units: '1' }),
    insert('account_day', 90, {
      account_id: id('account', '2'),
      day: `'2026-' || ${hex('i', 4)}`,
      units: '1',
    }),
    insert('account_charge', size, {
      account_id: id('account', '1'),
      day: `'2026-' || ${hex('i', 4)}`,
      token_id: id('token'),
      operation: "'lookup'",
      units: '1',
      first_at: now,
      last_at: now,
    }),
    insert('service_pattern', SERVICES, {
      key: "'example.evil'",
      slug: id('service'),
      pattern: "'evil.example'",
    }),
    insert('service_pattern', size, {
      key: id('key'),
      slug: id('service', '1'),
      pattern: "'evil.example'",
    }),
    insert('network_length', 32, { version: '4', length: 'i', patterns: '1' }),
    insert('service_challenge', SERVICES, { slug: id('service'), token: "'t'", created_at: now }),
    // A service has at most 1000 hosts.
    insert('service_claim', size, {
      slug: `case when i <= 20 then ${id('service', '1')} else ${id('service', '2')} end`,
      suffix: id('suffix'),
      method: "'dns'",
      verified_at: now,
      asked_at: now,
      due_at: now,
      leased_until: old,
    }),
    ...['session', 'sign_in_link'].map((table) =>
      insert(table, size, {
        id: id(table),
        // An account has at most 100.
        account_id: `case when i <= 100 then ${id('account', '1')} else ${id('account')} end`,
        digest: hash(1, 64),
        ...(table === 'session' ? { token_id: id('token') } : { purpose: "'sign-in'" }),
        created_at: now,
        expires_at: state(now, old),
      }),
    ),
    insert('audit', size, { at: now, actor: "'a'", action: "'b'", subject: "'c'", detail: "'{}'" }),
    insert('report', size, {
      number: 'i',
      id: id('report'),
      service_id: '1',
      created_sequence: 'i',
      sequence: 'i',
      name: "'lantern'",
      tags: `'["rat"]'`,
      host: "'evil.example'",
      port: '443',
      sha256: `'${'a'.repeat(64)}'`,
      reporter_id: id('account', '1'),
      reported_by: id('name', '1'),
      reported_at: now,
      first_seen_id: id('report', '1'),
      reference: "''",
      confidence: '50',
      status: state("'open'", "'acknowledged'", "'actioned'", "'rejected'", "'expired'"),
      updated_at: now,
      expires_at: old,
      corroboration: '0',
      sightings: '1',
      recurrence: '0',
      body: "'{}'",
      added_at: 'i',
    }),
    insert('report_tag', size, { service_id: '1', tag: "'rat'", number: 'i' }),
    insert('host_report', size, { service_id: '1', host: "'evil.example'", number: 'i' }),
    insert('c2_reporter', REPORTERS_OF_ONE_C2, {
      service_id: '1',
      host: "'evil.example'",
      port: '443',
      reporter_id: id('account'),
      reports: '5',
    }),
    insert('c2_reporter', size, {
      service_id: '1',
      host: "'many.example'",
      port: 'i',
      reporter_id: id('account', '1'),
      reports: '5',
    }),
    insert('c2_rejection', size, {
      service_id: '1',
      host: "case when i = 1 then 'evil.example' else 'many.example' end",
      port: 'case when i = 1 then 443 else i end',
      reports: '1',
      sequence: '1',
      pending_below: 'i',
    }),
    insert('status_change', size, { number: '1', sequence: 'i', at: now, status: "'open'" }),
    insert('status_change', size, { number: 'i + 1', sequence: 'i', at: now, status: "'open'" }),
    insert('statistic_total', size, { scope: 'i', open: 'i' }),
    insert('statistic_day', size, {
      scope: '1',
      day: `'1999-' || ${hex('i', 8)}`,
      reported: 'i',
    }),
    insert('statistic_day', 90, { scope: '1', day: `'2026-' || ${hex('i', 4)}`, reported: 'i' }),
    insert('statistic_reporter', size, {
      reporter_id: id('account'),
      service_id: '1',
      open: 'i',
    }),
    insert('deleted_judgement', size, { reporter_id: id('account'), service_id: '1' }),
    insert('statistic_family', size, { scope: '1', name: id('name'), reports: 'i' }),
    insert('event', size, {
      service_id: '1',
      sequence: 'i',
      type: "'created'",
      report_id: id('report'),
      at: old,
      number: 'i',
    }),
    insert('tombstone', size, {
      report_id: id('gone'),
      service_id: '1',
      sequence: 'i',
      deleted_at: now,
      deleted_by: "'a'",
      reason: "''",
      added_at: `${size} + i`,
      number: 'i',
      created_sequence: 'i',
      name: "'lantern'",
      host: "'evil.example'",
      port: '443',
      sha256: `'${'a'.repeat(64)}'`,
      reported_at: now,
    }),
    insert('report_day', size, { service_id: '1', day: id('day'), reports: '1' }),
    insert('misp_event', size, {
      id: id('event'),
      service_id: '1',
      day: id('day'),
      part: '1',
      stamp: 'i',
      first_reported_at: old,
      last_reported_at: old,
    }),
    insert('misp_position', SERVICES, { service_id: 'i', added_at: '1' }),
    insert('taxii_status', size, {
      id: id('submission'),
      account_id: id('account', '1'),
      created_at: old,
      body: "'{}'",
    }),
    insert('idempotency', size, {
      account_id: id('account', '1'),
      route: "'create'",
      key: id('key'),
      fingerprint: bytes("'00'"),
      answer: "''",
      created_at: old,
    }),
    insert('sample', size, {
      id: 'i',
      sha256: hash(2, 64),
      blake3: hash(4, 64),
      sha512: hash(5, 128),
      family: "'LANTERN'",
      analysed_at: now,
      body: "'{}'",
    }),
    insert('sample_hash', size, { id: 'i * 100', sample_id: 'i' }),
    insert('sample_tombstone', size, {
      sha256: hash(3, 64),
      deleted_at: now,
      deleted_by: "'a'",
      reason: "''",
    }),
    insert('upload', size, {
      sha256: hash(2, 64),
      blake3: hash(4, 64),
      sha512: hash(5, 128),
      md5: hash(6, 32),
      sha1: hash(7, 40),
      size_bytes: '1',
      file_name: "'a'",
      uploaded_by: id('account', '1'),
      uploaded_at: now,
      state: state("'queued'", "'running'", "'done'", "'failed'"),
      ended_at: now,
      reanalysis: state('null', 'null', "'queued'", 'null'),
    }),
    insert('further_upload', size, {
      sha256: hash(2, 64),
      account_id: id('account'),
      file_name: "'a'",
      uploaded_at: now,
    }),
    insert('proposal', size, {
      id: id('proposal'),
      account_id: id('account', '1'),
      sha256: hash(2, 64),
      file_name: "'a'",
      service_id: '1',
      host: "'evil.example'",
      port: '443',
      tags: `'["rat"]'`,
      created_at: old,
      changed_at: old,
    }),
    insert('sample_detail', size, { sample_id: 'i', body: "'{}'" }),
    insert('fuzzy_hash', size, {
      id: 'i',
      text: "'3:abc:def'",
      file_name: "'a'",
      tags: "'[]'",
      due: 'i % 2',
    }),
    insert('gram', size, { gram: '1', fuzzy_hash_id: 'i' }),
    insert('gram', size, { gram: 'i + 1', fuzzy_hash_id: '1' }),
    insert('tlsh', size, { id: 'i', text: "'T1'" }),
    insert('tlsh_band', size, { band: '1007', tlsh_id: 'i' }),
    insert('tlsh_band', size, { band: 'i + 10000', tlsh_id: '1' }),
    insert('webhook', WEBHOOKS, {
      id: id('webhook'),
      service_id: '1',
      url: "''",
      events: "'[]'",
      format: "'standard'",
      created_by: "'a'",
      account_id: id('account', '1'),
      created_at: now,
      disabled_at: state('null', 'null', old),
    }),
    insert('webhook_secret', WEBHOOKS, {
      webhook_id: id('webhook'),
      number: '1',
      sealed: bytes("'00'"),
    }),
    insert('delivery', size, {
      id: id('delivery'),
      webhook_id: id('webhook', '1'),
      event: "'report.created'",
      sequence: 'i',
      report_id: id('report'),
      state: state("'waiting'", "'delivered'", "'dead'"),
      due_at: old,
      created_at: old,
      finished_at: state('null', old, old),
    }),
    insert('search_host', size, { reversed: `'example.' || ${hex('i', 12)}`, service_id: '1' }),
    insert('search_term', size, {
      service_id: '1',
      text: id('term'),
      folded: id('term'),
    }),
    // The first term has no text, so that one can be inserted.
    insert('term_text', size, { rowid: 'i + 1', words: words(`'common ' || ${id('term')}`) }),
    insert('sample_text', size, { rowid: 'i', words: words(`'common ' || ${id('term')}`) }),
    insert('sample_c2', size, {
      reversed: "'example.evil'",
      port: '443',
      sample_id: 'i',
      leads: '1',
    }),
    ...(dialect === 'sqlite'
      ? [
          `update installation set last_report = ${size}`,
          insert('job', size, { kind: "'analyse'", key: id('job'), due_at: old, created_at: old }),
        ]
      : []),
  ];
}
