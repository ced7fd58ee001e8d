import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { always } from '../test/always.ts';
import { ConfigError } from './config/environment.ts';
import { rowsOf } from './config/read-settings.ts';
import { CLIENT_SETTINGS, SETTINGS, type Setting, type SettingTable } from './config/settings.ts';
import { describeSetting } from './config/settings-in-force.ts';
import { readClientConfig, readConfig } from './config.ts';
import { NO_LIMIT } from './domain/accounts/account-limits.ts';
import { formatToken } from './domain/accounts/token.ts';

const TOKEN = formatToken(new Uint8Array(24).fill(1));
const OTHER = formatToken(new Uint8Array(24).fill(2));

function problemsOf(environment: Readonly<Record<string, string>>): readonly string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('the mail settings', () => {
  const mailOf = (url: string) =>
    readConfig({ RAPSHEET_SMTP_URL: url, RAPSHEET_MAIL_FROM: 'reports@feeds.example' }).mail;

  it('are a server, with or without credentials, and a sender', () => {
    assert.deepEqual(mailOf('smtps://me%40x:p%3Aw@mail.example'), {
      server: {
        host: 'mail.example',
        port: 465,
        secure: true,
        credentials: { user: 'me@x', password: 'p:w' },
      },
      from: 'reports@feeds.example',
    });
    const { host, port, secure, credentials } = mailOf('smtp://[::1]')?.server ?? {};
    assert.deepEqual([host, port, secure, credentials], ['::1', 587, false, undefined]);
  });

  const wrong = [
    'mail.example',
    'http://m.example',
    'smtp://',
    'smtp://u@m.example',
    'smtp://a:%@m',
  ];
  for (const url of wrong)
    it(`have no server ${url}`, () => {
      assert.throws(() => mailOf(url), /RAPSHEET_SMTP_URL must be smtp:/);
    });

  it('do not show the password', () => {
    const config = readConfig({
      RAPSHEET_SMTP_URL: 'smtp://u:hidden@mail.example',
      RAPSHEET_MAIL_FROM: 'reports@feeds.example',
    });
    assert.doesNotMatch(JSON.stringify(config.settings), /hidden/);
  });
});

describe('the settings', () => {
  it('start a server on this machine alone where nothing is set', () => {
    const { settings: _, limits, ...config } = readConfig({});
    const { memoryBytes, ...others } = limits;
    assert.ok(memoryBytes >= 16 * 1024 ** 2 && memoryBytes <= 96 * 1024 ** 2);
    assert.deepEqual(others, {
      connections: 10_000,
      connectionsPerAddress: 2000,
      writeTimeoutMs: 30_000,
    });
    assert.deepEqual(config, {
      port: 8080,
      host: '127.0.0.1',
      baseUrl: undefined,
      analysisUrl: undefined,
      dataDir: resolve('data'),
      database: { kind: 'sqlite', file: resolve('data/rapsheet.db') },
      databasePool: 10,
      httpWorkers: 1,
      samples: { kind: 'folder', folder: resolve('data/samples') },
      uploadLimitBytes: 104_857_600,
      accountLimits: {
        uploads: 8,
        streams: 100,
        webSockets: 20,
        exports: 8,
        tokens: 100,
        storedBytes: 50 * 1024 ** 3,
        statusBytes: 32 * 1024 ** 2,
        createRate: { perMinute: 6000, burst: 20_000 },
        uploadRate: { perMinute: 600, burst: 600 },
      },
      analysisWorkers: Math.max(1, availableParallelism() - 1),
      localWorkers: availableParallelism(),
      rulesFolder: undefined,
      directoryFolder: undefined,
      asnDatabase: undefined,
      countryDatabase: undefined,
      compatWebSocket: false,
      changesKeptDays: 365,
      exportsMaxBytes: 8 * 1024 ** 3,
      suricataFirstSid: 90_000_000,
      webhookAllowHttp: false,
      webhookAllowNetworks: [],
      dnsResolver: undefined,
      wellKnownPort: undefined,
      allowList: [],
      secretKey: undefined,
      mail: undefined,
      programPath: '/usr/bin:/bin',
      adminToken: undefined,
      trustProxy: [],
      corsOrigins: [],
      metricsPort: 9464,
      metricsHost: '127.0.0.1',
      logLevel: 'info',
      unknownSettings: [],
    });
  });

  it('number Suricata rules so that no number exceeds 32 bits', () => {
    const read = (text: string) => readConfig({ RAPSHEET_SURICATA_FIRST_SID: text });
    assert.equal(read('4000001').suricataFirstSid, 4_000_001);
    assert.equal(read('4000000000').suricataFirstSid, 4_000_000_000);
    for (const text of ['4000000', '4000000001', '-1', '1e9', 'many'])
      assert.throws(() => read(text), /RAPSHEET_SURICATA_FIRST_SID must be a whole number/, text);
  });

  it('name one name server by its address, with or without a port', () => {
    const read = (text: string) => readConfig({ RAPSHEET_DNS_RESOLVER: text }).dnsResolver;
    for (const text of ['192.0.2.1', '127.0.0.1:5353', '2001:db8::53', '[::1]', '[::1]:53'])
      assert.equal(read(text), text);
    for (const text of ['dns.example', '192.0.2.1:0', '192.0.2.1:65536', '[192.0.2.1]', '::1:x'])
      assert.throws(() => read(text), /RAPSHEET_DNS_RESOLVER must be an address, or/, text);
  });

  it('cannot be changed once they are read', () => {
    assert.ok(Object.isFrozen(readConfig({})));
  });

  it('that are empty count as not set', () => {
    const empty = Object.fromEntries(rowsOf(SETTINGS).map(({ name }) => [name, '']));
    assert.deepEqual(readConfig(empty), readConfig({}));
  });

  it('say where samples are kept, how many are analysed and by which rules', () => {
    const config = readConfig({
      RAPSHEET_SAMPLES_URL: 'file:///srv/samples',
      RAPSHEET_UPLOAD_LIMIT_BYTES: '1000',
      RAPSHEET_ANALYSIS_WORKERS: '0',
      RAPSHEET_RULES_DIR: 'rules',
      RAPSHEET_COMPAT_WEBSOCKET: '1',
      PATH: '/bin',
    });
    assert.deepEqual(config.samples, { kind: 'folder', folder: '/srv/samples' });
    assert.equal(config.uploadLimitBytes, 1000);
    assert.equal(config.analysisWorkers, 0);
    assert.equal(config.rulesFolder, resolve('rules'));
    assert.equal(config.compatWebSocket, true);
    assert.equal(config.programPath, '/bin');
  });

  it('name the hosts that no block list contains', () => {
    const { allowList, settings } = readConfig({
      RAPSHEET_ALLOW_LIST: 'Good.example, 9.9.9.9, 2620:FE::/48, 10.0.0.0/8',
    });
    assert.deepEqual(allowList, ['good.example', '9.9.9.9/32', '2620:fe::/48', '10.0.0.0/8']);
    const shown = settings.find(({ name }) => name === 'RAPSHEET_ALLOW_LIST');
    assert.equal(shown?.value, 'good.example,9.9.9.9/32,2620:fe::/48,10.0.0.0/8');
  });

  for (const [name, value, rule] of [
    ['RAPSHEET_S3_REGION', 'Frankfurt am Main', 'must be the name of a region'],
    ['RAPSHEET_S3_ENDPOINT', 'https://key:secret@s3.example', 'must be an http or https URL'],
    ['RAPSHEET_UPLOAD_LIMIT_BYTES', '0', 'must be a whole number from 1 to'],
    ['RAPSHEET_ANALYSIS_WORKERS', '-1', 'must be a whole number from 0 to 64'],
    ['RAPSHEET_COMPAT_WEBSOCKET', 'yes', 'must be 0 or 1'],
    ['RAPSHEET_ALLOW_LIST', 'good.example,*.fine.example', 'must be host names without a wildcard'],
    ['RAPSHEET_ALLOW_LIST', '10.0.0.0/33', 'must be host names without a wildcard'],
  ] as const) {
    it(`refuse ${name}=${value}`, () => {
      assert.ok(problemsOf({ [name]: value }).some((line) => line.startsWith(`${name} ${rule}`)));
    });
  }

  it('are listed with their values and sources, without secrets', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rapsheet-settings-'));
    after(() => rmSync(folder, { recursive: true }));
    const file = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const { settings } = readConfig({
      RAPSHEET_PORT: '9000',
      RAPSHEET_ACCOUNT_STREAMS: '0',
      RAPSHEET_CONFIG_FILE: file('settings', 'RAPSHEET_LOG_LEVEL=warn\nRAPSHEET_HOST=\n'),
      RAPSHEET_ADMIN_TOKEN_FILE: file('token', TOKEN),
      RAPSHEET_DATABASE_URL: 'postgres://me:hunter2@db.example/x?sslpassword=hunter3',
    });
    const shown = (name: string) => {
      const { value, source } = settings.find((one) => one.name === name) ?? {};
      return [value, source];
    };
    assert.deepEqual(shown('RAPSHEET_PORT'), ['9000', 'environment']);
    assert.deepEqual(shown('RAPSHEET_HOST'), ['127.0.0.1', 'default']);
    assert.deepEqual(shown('RAPSHEET_LOG_LEVEL'), ['warn', 'config file']);
    assert.deepEqual(shown('RAPSHEET_ADMIN_TOKEN'), [undefined, 'secret file']);
    assert.deepEqual(shown('RAPSHEET_ACCOUNT_STREAMS'), ['0', 'environment']);
    assert.deepEqual(shown('RAPSHEET_ACCOUNT_TOKENS'), ['100', 'default']);
    assert.deepEqual(shown('RAPSHEET_DATABASE_URL'), ['postgres://me@db.example/x', 'environment']);
    assert.deepEqual(
      settings.map(({ name }) => name),
      rowsOf(SETTINGS).map(({ name }) => name),
    );
    assert.doesNotMatch(JSON.stringify(settings), new RegExp(`hunter|${TOKEN}`));
  });

  it('say what an account may take at most', () => {
    const { accountLimits } = readConfig({
      RAPSHEET_ACCOUNT_UPLOADS: '2',
      RAPSHEET_ACCOUNT_STREAMS: '0',
      RAPSHEET_ACCOUNT_CREATES_PER_MINUTE: '60',
      RAPSHEET_ACCOUNT_CREATES_BURST: '10',
      RAPSHEET_ACCOUNT_UPLOADS_PER_MINUTE: '0',
    });
    assert.deepEqual(accountLimits, {
      ...readConfig({}).accountLimits,
      uploads: 2,
      streams: NO_LIMIT,
      createRate: { perMinute: 60, burst: 10 },
      uploadRate: { perMinute: undefined, burst: 0 },
    });
  });

  it('are told to be wrong all at once, each by its name', () => {
    const problems = problemsOf({
      RAPSHEET_PORT: '70000',
      RAPSHEET_METRICS_PORT: 'x',
      RAPSHEET_BASE_URL: 'rapsheet.example',
      RAPSHEET_ADMIN_TOKEN: 'secret',
      RAPSHEET_DATABASE_URL: 'mysql://x',
      RAPSHEET_LOG_LEVEL: 'loud',
      RAPSHEET_TRUST_PROXY: 'everybody',
    });
    assert.deepEqual(problems.map((text) => text.split(' ')[0]).sort(), [
      'RAPSHEET_ADMIN_TOKEN',
      'RAPSHEET_BASE_URL',
      'RAPSHEET_DATABASE_URL',
      'RAPSHEET_LOG_LEVEL',
      'RAPSHEET_METRICS_PORT',
      'RAPSHEET_PORT',
      'RAPSHEET_TRUST_PROXY',
    ]);
  });

  it('are described in words for people, whatever the text', () => {
    const texts = ['-', '9'.repeat(30), 'a b', 'é'];
    for (const { name } of rowsOf(SETTINGS))
      for (const text of texts)
        for (const problem of problemsOf({ [name]: text }))
          assert.match(problem, /^RAPSHEET_\w+ (must|names|and) /);
  });

  it('never show a secret when they are wrong', () => {
    const problems = problemsOf({
      RAPSHEET_ADMIN_TOKEN: `${TOKEN}x`,
      RAPSHEET_DATABASE_URL: 'postgres://user:hunter2@host',
    });
    assert.equal(problems.length, 2);
    assert.doesNotMatch(problems.join(), /rap_|hunter2/);
  });

  it('are told apart from other variables with the prefix', () => {
    const known = rowsOf({ ...SETTINGS, ...CLIENT_SETTINGS });
    const { unknownSettings } = readConfig({
      ...Object.fromEntries(known.map(({ name }) => [name, ''])),
      RAPSHEET_URL: 'http://127.0.0.1:8080',
      RAPSHEET_TOKEN_FILE: '/run/token',
      RAPSHEET_TRUST_PROXIES: '127.0.0.1',
      RAPSHEET_ALLOWLIST: 'good.example',
      PATH: '/bin',
    });
    assert.deepEqual(unknownSettings, ['RAPSHEET_ALLOWLIST', 'RAPSHEET_TRUST_PROXIES']);
  });
});

describe('the table of settings', () => {
  const rows = rowsOf({ server: SETTINGS, client: CLIENT_SETTINGS });

  /** The rows with their keys, which are the names of their values in the code. */
  const keyed = (table: SettingTable): readonly (readonly [string, Setting])[] =>
    Object.entries(table).flatMap(([key, entry]) => {
      const [first] = rowsOf({ [key]: entry });
      return first === entry ? [[key, first] as const] : keyed(entry as SettingTable);
    });

  it('has every name once', () => {
    const names = rows.map(({ name }) => name);
    assert.deepEqual(names, [...new Set(names)]);
    for (const name of names) assert.match(name, /^RAPSHEET_[A-Z0-9_]+$/);
  });

  for (const [key, setting] of keyed({ server: SETTINGS, client: CLIENT_SETTINGS })) {
    const { name, text, byDefault, usedIn, type } = setting;

    it(`says what ${name} is for, and what holds without it`, () => {
      assert.match(text, /^\S.{10,}[^\s.]$/);
      assert.doesNotMatch(text, /by default|_FILE/);
      assert.ok(byDefault !== undefined || setting.default !== undefined);
      assert.notEqual(byDefault, '');
    });

    it(`gives ${name} a default that is a valid value`, () => {
      const { default: value } = setting;
      if (value === undefined || byDefault !== undefined) return;
      const given = typeof value === 'boolean' ? String(Number(value)) : String(value);
      assert.deepEqual(type.parse(given), value);
    });

    it(`names a file that reads ${name}`, () => {
      const code = readFileSync(join(import.meta.dirname, usedIn), 'utf8');
      assert.match(code, new RegExp(`\\b(?:${key}|${name})\\b`), usedIn);
    });
  }

  it('shows constants as they are set, sizes also in units, and other defaults in words', () => {
    const shown = (setting: Setting) => describeSetting(setting).default;
    assert.equal(shown(SETTINGS.port), '`8080`');
    assert.equal(shown(SETTINGS.compatWebSocket), '`0`');
    assert.equal(shown(SETTINGS.uploadLimitBytes), '`104857600` (100 MiB)');
    assert.equal(shown(SETTINGS.baseUrl), 'the listen address');
    assert.equal(shown(SETTINGS.analysisWorkers), 'one fewer than the processors');
  });
});

describe('a port', () => {
  it('is any number from 0 to 65535', () => {
    always(
      fc.property(fc.integer({ min: 0, max: 65_535 }), (port) => {
        assert.equal(readConfig({ RAPSHEET_PORT: String(port) }).port, port);
        assert.equal(readConfig({ RAPSHEET_METRICS_PORT: String(port) }).metricsPort, port);
      }),
    );
  });

  for (const text of ['65536', '-1', '+1', '80.0', '8e1', '0x50', ' 80', '80 ', 'http', '８０']) {
    it(`is not ${JSON.stringify(text)}`, () => {
      assert.deepEqual(problemsOf({ RAPSHEET_PORT: text }), [
        'RAPSHEET_PORT must be a port from 0 to 65535',
      ]);
    });
  }
});

describe('an address from outside', () => {
  it('is kept without slashes at its end', () => {
    const { baseUrl } = readConfig({ RAPSHEET_BASE_URL: 'https://rapsheet.example/feeds//' });
    assert.equal(baseUrl, 'https://rapsheet.example/feeds');
  });

  it('may differ for feeds and for the lookup', () => {
    const config = readConfig({
      RAPSHEET_BASE_URL: 'https://feed.example',
      RAPSHEET_ANALYSIS_URL: 'https://lookup.example:8443',
    });
    assert.equal(config.baseUrl, 'https://feed.example');
    assert.equal(config.analysisUrl, 'https://lookup.example:8443');
  });

  for (const text of [
    'rapsheet.example',
    'ftp://rapsheet.example',
    'https://',
    'https:///x',
    'https://a b',
    'https://a?b',
    'https://a#b',
    'https://user:secret@a',
  ]) {
    it(`is not ${JSON.stringify(text)}`, () => {
      assert.deepEqual(problemsOf({ RAPSHEET_BASE_URL: text }), [
        'RAPSHEET_BASE_URL must be an http or https URL',
      ]);
    });
  }
});

describe('the database', () => {
  it('lies in the data folder', () => {
    const { database } = readConfig({ RAPSHEET_DATA_DIR: '/var/lib/rapsheet' });
    assert.deepEqual(database, { kind: 'sqlite', file: '/var/lib/rapsheet/rapsheet.db' });
  });

  for (const [text, file] of [
    ['sqlite:/srv/a.db', '/srv/a.db'],
    ['sqlite:///srv/a.db', '/srv/a.db'],
    ['sqlite:a.db', resolve('a.db')],
    ['sqlite://a.db', resolve('a.db')],
  ] as const) {
    it(`may be ${text}`, () => {
      assert.deepEqual(readConfig({ RAPSHEET_DATABASE_URL: text }).database, {
        kind: 'sqlite',
        file,
      });
    });
  }

  for (const url of ['postgres://h/d', 'postgresql://user:word@h:5433/d?sslmode=verify-full']) {
    it(`may be ${url}`, () => {
      const database = { kind: 'postgres', url };
      assert.deepEqual(readConfig({ RAPSHEET_DATABASE_URL: url }).database, database);
    });
  }

  it('may have many processes for requests only where more than one can write', () => {
    const workers = { RAPSHEET_HTTP_WORKERS: '2' };
    const problems = problemsOf(workers);
    assert.equal(problems.length, 1);
    assert.match(
      problems.join(),
      /RAPSHEET_HTTP_WORKERS must be 1 on SQLite.*one writer.*RAPSHEET_DATABASE_URL/,
    );
    const on = { ...workers, RAPSHEET_DATABASE_URL: 'postgres://h/d' };
    assert.equal(readConfig(on).httpWorkers, 2);
  });

  for (const text of [
    'a.db',
    'sqlite:',
    'sqlite://',
    'sqlite:///',
    'postgres://h',
    'postgres://h/',
    'postgres:///d x',
    'mysql://h/d',
  ]) {
    it(`is not ${text}`, () => {
      assert.match(
        problemsOf({ RAPSHEET_DATABASE_URL: text }).join(),
        /^RAPSHEET_DATABASE_URL must/,
      );
    });
  }
});

describe('a bucket for samples', () => {
  const bucketOf = (environment: Readonly<Record<string, string>>) =>
    readConfig(environment).samples;

  it('is one at AWS where nothing else is said', () => {
    assert.deepEqual(bucketOf({ RAPSHEET_SAMPLES_URL: 's3://samples' }), {
      kind: 's3',
      bucket: 'samples',
      prefix: '',
      endpoint: undefined,
      region: 'us-east-1',
      credentials: undefined,
    });
  });

  it('may be anywhere', () => {
    const bucket = bucketOf({
      RAPSHEET_SAMPLES_URL: 's3://my.samples-1/rapsheet/live/',
      RAPSHEET_S3_ENDPOINT: 'http://127.0.0.1:9000/',
      RAPSHEET_S3_REGION: 'eu-central-1',
      RAPSHEET_S3_ACCESS_KEY_ID: 'me',
      RAPSHEET_S3_SECRET_ACCESS_KEY: 'hunter2',
    });
    assert.deepEqual(bucket, {
      kind: 's3',
      bucket: 'my.samples-1',
      prefix: 'rapsheet/live',
      endpoint: 'http://127.0.0.1:9000',
      region: 'eu-central-1',
      credentials: { accessKeyId: 'me', secretAccessKey: 'hunter2' },
    });
  });

  for (const text of [
    's3://',
    's3:///prefix',
    's3://Samples',
    's3://-samples',
    's3://samples//prefix',
    's3://samples/../other',
    's3://samples/.',
    's3://samples/a b',
    's3://samples?versionId=1',
    's3://key:secret@samples',
    'https://samples',
    'samples',
    'file:',
  ]) {
    it(`is not ${text}`, () => {
      assert.deepEqual(problemsOf({ RAPSHEET_SAMPLES_URL: text }), [
        'RAPSHEET_SAMPLES_URL must be file:<folder> or s3://<bucket>/<prefix>, with a bucket of 3 to 63 lower-case letters, digits, dots and hyphens',
      ]);
    });
  }

  for (const half of ['RAPSHEET_S3_ACCESS_KEY_ID', 'RAPSHEET_S3_SECRET_ACCESS_KEY']) {
    it(`is not opened by ${half} alone`, () => {
      const problems = problemsOf({ RAPSHEET_SAMPLES_URL: 's3://samples', [half]: 'hunter2' });
      assert.match(problems.join(), /^RAPSHEET_S3_ACCESS_KEY_ID and .* set both or neither$/);
      assert.doesNotMatch(problems.join(), /hunter2/);
    });
  }
});

describe('a trusted proxy', () => {
  it('is nobody by default', () => {
    assert.deepEqual(readConfig({}).trustProxy, []);
  });

  it('is an address or a network, of which there may be several', () => {
    const text = '127.0.0.1, 10.0.0.0/8 ,::1,,fd00::/8,loopback';
    assert.deepEqual(readConfig({ RAPSHEET_TRUST_PROXY: text }).trustProxy, [
      '127.0.0.1',
      '10.0.0.0/8',
      '::1',
      'fd00::/8',
      'loopback',
    ]);
  });

  for (const text of ['true', '1', '*', 'proxy.example', '10.0.0.0/99', '10.0.0.0/0', '::1, x']) {
    it(`is not ${JSON.stringify(text)}, which the server could not start with`, () => {
      assert.match(problemsOf({ RAPSHEET_TRUST_PROXY: text }).join(), /^RAPSHEET_TRUST_PROXY must/);
    });
  }
});

describe('the origins whose pages may call the API', () => {
  it('are none by default', () => assert.deepEqual(readConfig({}).corsOrigins, []));

  it('are exact, and there may be several', () => {
    const text = 'https://tools.example, http://127.0.0.1:3000 ,';
    assert.deepEqual(readConfig({ RAPSHEET_CORS_ORIGINS: text }).corsOrigins, [
      'https://tools.example',
      'http://127.0.0.1:3000',
    ]);
  });

  for (const text of [
    '*',
    'null',
    'tools.example',
    'https://tools.example/',
    'https://*.example',
    'https://Tools.example',
    'https://tools.example:443',
    'ftp://tools.example',
    'https://user@tools.example',
  ]) {
    it(`are not ${JSON.stringify(text)}, which no browser sends`, () => {
      assert.match(
        problemsOf({ RAPSHEET_CORS_ORIGINS: `https://a.example,${text}` }).join(),
        /^RAPSHEET_CORS_ORIGINS must be exact origins such as/,
      );
    });
  }
});

describe('settings in files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-config-'));
  after(() => rmSync(folder, { recursive: true }));

  function fileWith(name: string, text: string): string {
    const file = join(folder, name);
    writeFileSync(file, text);
    return file;
  }

  it('are read', () => {
    const file = fileWith('a.env', '# ours\nRAPSHEET_PORT=81\nRAPSHEET_HOST="::1"\n');
    const { port, host } = readConfig({ RAPSHEET_CONFIG_FILE: file });
    assert.deepEqual({ port, host }, { port: 81, host: '::1' });
  });

  it('yield to the environment', () => {
    const file = fileWith('b.env', 'RAPSHEET_PORT=81\n');
    assert.equal(readConfig({ RAPSHEET_CONFIG_FILE: file, RAPSHEET_PORT: '82' }).port, 82);
  });

  it('that are empty count as not set', () => {
    const file = fileWith('c.env', 'RAPSHEET_PORT=\nRAPSHEET_ADMIN_TOKEN_FILE=\n');
    assert.equal(readConfig({ RAPSHEET_CONFIG_FILE: file }).port, 8080);
  });

  it('are told to be missing by the name of the file', () => {
    const file = join(folder, 'absent.env');
    assert.deepEqual(problemsOf({ RAPSHEET_CONFIG_FILE: file }), [
      `RAPSHEET_CONFIG_FILE names a file that cannot be read: ${file}`,
    ]);
  });

  it('may hold the token alone', () => {
    const file = fileWith('token', `${TOKEN}\n`);
    assert.equal(readConfig({ RAPSHEET_ADMIN_TOKEN_FILE: file }).adminToken, TOKEN);
  });

  it('may hold the secret for the bucket of samples', () => {
    const { samples } = readConfig({
      RAPSHEET_SAMPLES_URL: 's3://samples',
      RAPSHEET_S3_ACCESS_KEY_ID: 'me',
      RAPSHEET_S3_SECRET_ACCESS_KEY_FILE: fileWith('secret', 'hunter2\n'),
    });
    assert.ok(samples.kind === 's3');
    assert.equal(samples.credentials?.secretAccessKey, 'hunter2');
  });

  it('hold no token beside one in the environment', () => {
    const file = fileWith('token', TOKEN);
    const problems = problemsOf({ RAPSHEET_ADMIN_TOKEN_FILE: file, RAPSHEET_ADMIN_TOKEN: OTHER });
    assert.deepEqual(problems, [
      'RAPSHEET_ADMIN_TOKEN and RAPSHEET_ADMIN_TOKEN_FILE are both set: set one of them',
    ]);
  });

  it('hold a token in the format of Rapsheet or none', () => {
    const file = fileWith('token', 'secret');
    const [problem = ''] = problemsOf({ RAPSHEET_ADMIN_TOKEN_FILE: file });
    assert.match(problem, /^RAPSHEET_ADMIN_TOKEN must be a token in the format of Rapsheet/);
  });

  it('with a token that cannot be read stop the start', () => {
    const file = join(folder, 'absent');
    assert.deepEqual(problemsOf({ RAPSHEET_ADMIN_TOKEN_FILE: file }), [
      `RAPSHEET_ADMIN_TOKEN_FILE names a file that cannot be read: ${file}`,
    ]);
  });
});

describe('the token of the first account', () => {
  it('is in the format of Rapsheet', () => {
    assert.equal(readConfig({ RAPSHEET_ADMIN_TOKEN: TOKEN }).adminToken, TOKEN);
  });

  it('is refused with any one character missing', () => {
    for (let index = 0; index < TOKEN.length; index += 1) {
      const cut = TOKEN.slice(0, index) + TOKEN.slice(index + 1);
      assert.equal(problemsOf({ RAPSHEET_ADMIN_TOKEN: cut }).length, 1);
    }
  });
});

describe('the settings of a client', () => {
  it('name no server where nothing is set', () => {
    assert.deepEqual(readClientConfig({ HOME: '/home/alice' }), {
      url: undefined,
      token: undefined,
      tokenSetting: 'RAPSHEET_TOKEN',
      profile: undefined,
      configDir: '/home/alice/.config/rapsheet',
      dataDir: resolve('data'),
    });
  });

  it('say where the server is, and who calls', () => {
    const { url, token } = readClientConfig({
      RAPSHEET_URL: 'https://rapsheet.example/',
      RAPSHEET_TOKEN: TOKEN,
    });
    assert.deepEqual({ url, token }, { url: 'https://rapsheet.example', token: TOKEN });
  });

  it('are told to be wrong all at once, without showing the token', () => {
    const environment = { RAPSHEET_URL: 'x', RAPSHEET_TOKEN: `${TOKEN}x` };
    assert.throws(
      () => readClientConfig(environment),
      (error) =>
        error instanceof ConfigError &&
        error.problems.length === 2 &&
        !error.message.includes(TOKEN),
    );
  });

  it('do not mind what is wrong with the settings of a server', () => {
    assert.doesNotThrow(() => readClientConfig({ RAPSHEET_PORT: 'x' }));
  });
});
