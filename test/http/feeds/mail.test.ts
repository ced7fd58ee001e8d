import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { xarfIdOf, xarfOf } from '../../../src/exports/xarf/xarf-object.ts';
import { MailRunner } from '../../../src/jobs/deliver-mail.ts';
import { createLog } from '../../../src/observability/log.ts';
import { SmtpMail } from '../../../src/outgoing/mail/smtp-mail.ts';
import { xarfProblems } from '../../exports/xarf-schema.ts';
import { accept, openMailSink, refuseWith, type SunkMail } from '../../outgoing/mail-sink.ts';
import { ownRig } from '../http-rig.ts';

const FROM = 'reports@feeds.example.invalid';
const TO = 'abuse@ply.example.invalid';
const HOUR_MS = 3_600_000;

/** A server and a runner that sends to a sink when the test says so. */
async function openMailRig(test: TestContext, mail: Record<string, unknown> = {}) {
  const sink = await openMailSink(test);
  const lines: string[] = [];
  let runner: MailRunner | undefined;
  const rig = await ownRig(test, { sendsMail: true, wakeDeliveries: () => runner?.wake() });
  const server = { host: '127.0.0.1', port: sink.port, secure: false, credentials: undefined };
  const running = new MailRunner({
    ...rig.deps,
    outgoingMail: new SmtpMail(server, FROM),
    xarf: {
      id: ({ id }) => xarfIdOf(id),
      text: (report, confidenceScale, contact) =>
        JSON.stringify(
          xarfOf(
            { ...report, reportedAt: report.reportedAt.toISOString() },
            { confidenceScale, contact },
          ),
        ),
    },
    log: createLog('trace', { write: (line) => void lines.push(line) }),
    random: () => 0,
    settled: () => undefined,
  });
  runner = running;
  test.after(() => running.stop(0));
  const service = await rig.service();
  const owner = await rig.owner(service);
  const researcher = await rig.researcher();
  const settings = { to: TO, ...mail };
  const change = (body: unknown) =>
    rig.ask('PATCH', `/admin/services/${service}`, { token: rig.admin, body });
  const changed = await change({ mail: settings });
  assert.equal(changed.status, 200, changed.text);
  const ask = (method: string, rest = '') =>
    rig.ask(method, `/feed/${service}/mail${rest}`, { token: owner.token });
  const deliveries = async (query = '') => {
    const answer = await ask('GET', `/deliveries${query}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.json['deliveries'] as readonly Record<string, unknown>[];
  };
  const send = async () => {
    running.wake();
    await running.idle();
  };
  const report = (members: Record<string, unknown> = {}) =>
    rig.report(service, researcher.token, members);
  return { rig, sink, service, owner, researcher, change, ask, deliveries, send, report, lines };
}

function xarfsOf({ parsed }: SunkMail): readonly Record<string, unknown>[] {
  return parsed.attachments
    .filter(({ contentType }) => contentType === 'application/json')
    .map(({ content }) => JSON.parse(content.toString()));
}

describe('the mail settings of a service', () => {
  it('are set by administrators and seen by owners', async (test) => {
    const { rig, service, ask, change, researcher } = await openMailRig(test, { format: 'arf' });
    const settings = { to: TO, format: 'arf', delivery: 'each' };
    const { json } = await ask('GET');
    assert.partialDeepStrictEqual(json, { mail: { service, ...settings, failingSince: null } });
    const listed = await rig.ask('GET', '/admin/services', { token: rig.admin });
    const services = listed.json['services'] as readonly Record<string, unknown>[];
    assert.deepEqual(services.find(({ slug }) => slug === service)?.['mail'], settings);
    // Readers of feeds do not see the address.
    const shown = await rig.ask('GET', '/api/services', { token: researcher.token });
    assert.doesNotMatch(shown.text, /abuse@/);
    const other = await rig.ask('GET', `/feed/${service}/mail`, { token: researcher.token });
    assert.equal(other.status, 403);

    assert.equal((await change({ mail: null })).status, 200);
    assert.deepEqual((await ask('GET')).json, { mail: null, successful: true });
    for (const [method, path] of [
      ['GET', '/deliveries'],
      ['POST', '/test'],
    ] as const)
      assert.equal((await ask(method, path)).headers['x-error-code'], 'no_mail');
    const audit = JSON.stringify(await rig.audit());
    assert.match(audit, /abuse@ply\.example\.invalid/);
  });

  it('are not set by owners of the feed', async (test) => {
    const { rig, service, owner } = await openMailRig(test);
    const body = { mail: { to: 'stranger@evil.example' } };
    const { status } = await rig.ask('PATCH', `/admin/services/${service}`, {
      token: owner.token,
      body,
    });
    assert.equal(status, 403);
  });

  it('are no webhook', async (test) => {
    const { rig, service, owner } = await openMailRig(test);
    const { json } = await rig.ask('GET', `/feed/${service}/webhooks`, { token: owner.token });
    assert.deepEqual(json['webhooks'], []);
    const all = await rig.ask('GET', `/admin/webhooks?service=${service}`, { token: rig.admin });
    assert.deepEqual(all.json['webhooks'], []);
  });

  const wrong = [
    'x',
    'a@b@c',
    'a b@c.example',
    'a@c.example\r\nBcc: x@y',
    '<a@c.example>',
    'ä@c.example',
    '@c',
  ];
  for (const to of wrong) {
    it(`have no address such as ${JSON.stringify(to)}`, async (test) => {
      const { change } = await openMailRig(test);
      const { status, json } = await change({ mail: { to } });
      assert.equal(status, 400);
      assert.equal(json['error'], 'mail.to must be one mail address, such as abuse@ply.example.');
    });
  }

  it('are refused with the rule of the member that is wrong', async (test) => {
    const { change } = await openMailRig(test);
    for (const [mail, rule] of [
      ['x', /^mail must be null or \{to, format, delivery\}: to a mail address/],
      [{}, /^mail\.to is missing; it must be one mail address/],
      [{ to: TO, format: 'html' }, /^mail\.format must be one of xarf, arf\.$/],
      [{ to: TO, delivery: 'weekly' }, /^mail\.delivery must be one of each, daily\.$/],
      [{ to: TO, cc: TO }, /^mail must be null or \{to, format, delivery\}/],
    ] as const)
      assert.match(String((await change({ mail })).json['error']), rule);
  });

  it('are refused by a server without a mail server', async (test) => {
    const rig = await ownRig(test);
    const body = { slug: 'ply', mail: { to: TO } };
    const { status, json, headers } = await rig.ask('POST', '/admin/services', {
      token: rig.admin,
      body,
    });
    assert.equal(status, 409);
    assert.equal(headers['x-error-code'], 'mail_not_configured');
    assert.match(String(json['error']), /RAPSHEET_SMTP_URL/);
    const without = await rig.ask('POST', '/admin/services', {
      token: rig.admin,
      body: { slug: 'ply', mail: null },
    });
    assert.equal(without.status, 201);
  });
});

describe('a test mail', () => {
  it('is sent at once, even before a digest is due, and is in the log', async (test) => {
    const { sink, ask, send, report, deliveries } = await openMailRig(test, { delivery: 'daily' });
    await report();
    const { status, json } = await ask('POST', '/test');
    assert.equal(status, 202);
    await send();
    assert.equal(sink.mails.length, 1);
    const { parsed } = sink.mails[0] as SunkMail;
    assert.match(parsed.subject ?? '', /^Test mail for /);
    assert.match(parsed.text ?? '', /once a day, as XARF 4\. There is nothing to do\./);
    assert.deepEqual(parsed.attachments, []);
    const [tested] = await deliveries('?state=delivered');
    assert.partialDeepStrictEqual(tested, { id: json['delivery'], sequence: 0, reportId: null });
  });

  it('fails like a report', async (test) => {
    const { sink, ask, send, deliveries } = await openMailRig(test);
    sink.refusal = refuseWith(550);
    await ask('POST', '/test');
    await send();
    assert.partialDeepStrictEqual((await deliveries())[0], { state: 'dead', lastStatus: 550 });
    const { failingSince } = (await ask('GET')).json['mail'] as Record<string, unknown>;
    assert.notEqual(failingSince, null);
  });

  it('is limited, and for owners and administrators only', async (test) => {
    const { rig, sink, ask, send, service, researcher } = await openMailRig(test);
    const path = `/feed/${service}/mail/test`;
    const other = await rig.ask('POST', path, { token: researcher.token });
    assert.equal(other.status, 403);
    const stranger = await rig.owner(await rig.service());
    assert.equal((await rig.ask('POST', path, { token: stranger.token })).status, 403);
    assert.equal((await rig.ask('POST', path, { token: rig.admin })).status, 202);
    await send();
    assert.equal(sink.mails.length, 1);
    const answers = [];
    for (let sent = 0; sent < 4; sent += 1) answers.push(await ask('POST', '/test'));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [202, 202, 202, 429],
    );
    assert.equal(answers[3]?.headers['x-error-code'], 'rate_limited');
    assert.ok(Number(answers[3]?.headers['retry-after']) > 50);
  });

  it('is refused by a server without a mail server', async (test) => {
    const rig = await ownRig(test);
    const service = await rig.service();
    const { token } = await rig.owner(service);
    const { headers } = await rig.ask('POST', `/feed/${service}/mail/test`, { token });
    assert.equal(headers['x-error-code'], 'mail_not_configured');
  });
});

describe('a new report', () => {
  it('is mailed once, as XARF', async (test) => {
    const { rig, sink, service, researcher, report, send, deliveries } = await openMailRig(test);
    const id = await report({ tags: ['AsyncRAT'], c2Address: 'evil.example:4444' });
    await send();
    await send();
    const [mail] = sink.mails;
    assert.ok(mail !== undefined);
    assert.equal(sink.mails.length, 1);
    assert.equal(mail.from, FROM);
    assert.deepEqual(mail.to, [TO]);
    assert.equal(mail.parsed.subject, 'Abuse report: C2 server evil.example:4444');
    assert.equal(mail.parsed.messageId, `<${xarfIdOf(id)}@feeds.example.invalid>`);
    assert.match(mail.parsed.text ?? '', /C2 address: {2}evil\.example:4444\n/);
    assert.match(mail.parsed.text ?? '', new RegExp(`/reports/${id}\n`));
    const [xarf] = xarfsOf(mail);
    assert.deepEqual(xarfProblems(xarf), []);
    assert.partialDeepStrictEqual(xarf, {
      report_id: xarfIdOf(id),
      source_identifier: 'evil.example',
      source_port: 4444,
      sender: { contact: FROM },
    });
    const [delivery] = await deliveries();
    assert.deepEqual(delivery, {
      id: delivery?.['id'],
      sequence: 1,
      reportId: id,
      state: 'delivered',
      attempts: 1,
      nextAttemptAt: null,
      lastStatus: 250,
      lastError: null,
      createdAt: '2026-08-26T10:00:00Z',
      finishedAt: '2026-08-26T10:00:00Z',
    });
    // Other changes are not mailed.
    assert.equal((await rig.remove(service, id, researcher.token)).status, 200);
    await send();
    assert.equal(sink.mails.length, 1);
  });

  it('is mailed in the classic form to a desk without XARF', async (test) => {
    const { sink, report, send } = await openMailRig(test, { format: 'arf' });
    await report({ c2Address: '203.0.113.7:8443' });
    await report({ c2Address: 'evil.example:1' });
    await send();
    const sources = sink.mails.map(({ source }) => source).join('\n');
    assert.match(
      sources,
      /\r\nFeedback-Type: abuse\r\nUser-Agent: Rapsheet\/1\r\nVersion: 1\r\nArrival-Date: Wed, 26 Aug 2026 10:00:00 \+0000\r\nSource-IP: 203\.0\.113\.7\r\nSource-Port: 8443\r\nIncidents: 1\r\n/,
    );
    assert.match(sources, /\r\nReported-Domain: evil\.example\r\nSource-Port: 1\r\n/);
    assert.match(sources, /Content-Type: text\/rfc822-headers/);
    assert.match(sources, /X-Rapsheet-Note: There is no original mail/);
  });

  it('cannot change the mail with its text', async (test) => {
    const { rig, sink, service, report, send } = await openMailRig(test);
    const tags = [
      'a"; filename="x',
      '=?utf-8?q?Bcc:_x=40y?=',
      '日本',
      '--_NmP',
      '.',
      'Bcc: all@evil.example',
    ];
    const name = 'Ply "Bcc: x@y" 日本 <script>';
    const body = { name };
    await rig.ask('PATCH', `/admin/services/${service}`, { token: rig.admin, body });
    await report({ tags, referenceLink: 'https://lab.example/%0d%0aBcc:x' });
    await send();
    const [mail] = sink.mails;
    assert.ok(mail !== undefined);
    assert.deepEqual(mail.to, [TO]);
    assert.deepEqual([...mail.parsed.headers.keys()].toSorted(), [
      'auto-submitted',
      'content-type',
      'date',
      'from',
      'message-id',
      'mime-version',
      'subject',
      'to',
    ]);
    assert.equal(mail.parsed.attachments.length, 2);
    assert.deepEqual(xarfProblems(xarfsOf(mail)[0]), []);
    const text = (mail.parsed.text ?? '').split('\n');
    assert.equal(text[0], `A command-and-control server (C2) of malware was reported at ${name}.`);
    assert.equal(
      text.find((line) => line.startsWith('Tags:')),
      `Tags:        ${tags.join(', ')}`,
    );
  });

  it('is mailed again after a failure, later and later, with the same Message-ID', async (test) => {
    const { rig, sink, report, send, deliveries } = await openMailRig(test);
    sink.refusal = refuseWith(451);
    await report();
    await send();
    assert.partialDeepStrictEqual((await deliveries())[0], {
      state: 'waiting',
      attempts: 1,
      nextAttemptAt: '2026-08-26T10:00:05Z',
      lastStatus: 451,
      lastError: 'The mail server answered 451.',
    });
    sink.refusal = accept;
    await send();
    assert.equal(sink.mails.length, 0);
    rig.clock.advance(6000);
    await send();
    assert.equal(sink.mails.length, 1);
    assert.partialDeepStrictEqual((await deliveries())[0], { state: 'delivered', attempts: 2 });
  });

  it('is a dead letter at once if the mail server refuses it, until it is replayed', async (test) => {
    const { sink, report, send, ask, deliveries, lines } = await openMailRig(test);
    sink.refusal = refuseWith(550);
    const id = await report();
    await send();
    const [dead] = await deliveries('?state=dead');
    assert.partialDeepStrictEqual(dead, {
      reportId: id,
      state: 'dead',
      attempts: 1,
      lastStatus: 550,
      lastError: 'The mail server refused this mail with 550.',
    });
    assert.notEqual(
      ((await ask('GET')).json['mail'] as Record<string, unknown>)['failingSince'],
      null,
    );
    assert.doesNotMatch(lines.join(''), /secret text|abuse@/);
    sink.refusal = accept;
    const replayed = await ask('POST', `/deliveries/${dead?.['id']}/replay`);
    assert.equal(replayed.status, 202);
    await send();
    assert.equal(sink.mails.length, 1);
    assert.deepEqual(await deliveries('?state=dead'), []);
    assert.equal(
      ((await ask('GET')).json['mail'] as Record<string, unknown>)['failingSince'],
      null,
    );
    const unknown = await ask('POST', `/deliveries/${id}/replay`);
    assert.equal(unknown.headers['x-error-code'], 'unknown_mail');
  });

  it('is a dead letter after ten failures', async (test) => {
    const { rig, sink, report, send, deliveries } = await openMailRig(test);
    sink.refusal = refuseWith(421, 'message');
    await report();
    for (let attempt = 0; attempt < 10; attempt += 1) {
      await send();
      rig.clock.advance(25 * HOUR_MS);
    }
    assert.partialDeepStrictEqual((await deliveries())[0], { state: 'dead', attempts: 10 });
  });

  it('is not mailed if it was deleted before', async (test) => {
    const { rig, sink, service, researcher, report, send, deliveries, ask } = await openMailRig(
      test,
      {
        delivery: 'daily',
      },
    );
    const id = await report();
    await report({ c2Address: 'other.example:1' });
    assert.equal((await rig.remove(service, id, researcher.token)).status, 200);
    rig.clock.advance(14 * HOUR_MS);
    await send();
    assert.equal(sink.mails.length, 1);
    assert.equal(xarfsOf(sink.mails[0] as SunkMail).length, 1);
    const dead = await deliveries('?state=dead');
    assert.equal(dead[0]?.['lastError'], 'The report was deleted before it was sent.');
    assert.equal(
      ((await ask('GET')).json['mail'] as Record<string, unknown>)['failingSince'],
      null,
    );
  });

  it('goes to the new address if that changes before it is sent', async (test) => {
    const { sink, report, change, send } = await openMailRig(test);
    await report();
    await change({ mail: { to: 'desk@ply.example.invalid' } });
    await send();
    assert.deepEqual(sink.mails[0]?.to, ['desk@ply.example.invalid']);
  });

  it('is not mailed after the address was removed', async (test) => {
    const { sink, report, change, send } = await openMailRig(test);
    await report();
    await change({ mail: null });
    await report({ c2Address: 'other.example:1' });
    await send();
    assert.equal(sink.mails.length, 0);
  });
});

describe('a daily digest', () => {
  it('has all reports of a UTC day, each as an attachment', async (test) => {
    const { rig, sink, service, report, send } = await openMailRig(test, { delivery: 'daily' });
    for (const port of [1, 2, 3]) await report({ c2Address: `evil.example:${port}` });
    rig.clock.advance(13 * HOUR_MS);
    await send();
    assert.equal(sink.mails.length, 0);
    rig.clock.advance(HOUR_MS);
    await report({ c2Address: 'tomorrow.example:1' });
    await send();
    const [mail] = sink.mails;
    assert.ok(mail !== undefined);
    assert.equal(sink.mails.length, 1);
    assert.equal(mail.parsed.subject, `Abuse reports for ${service}: 3 C2 servers`);
    const xarfs = xarfsOf(mail);
    assert.deepEqual(xarfs.flatMap(xarfProblems), []);
    assert.deepEqual(
      xarfs.map((xarf) => xarf['source_port']),
      [1, 2, 3],
    );
    assert.match(mail.parsed.text ?? '', /evil\.example:2/);
    rig.clock.advance(24 * HOUR_MS);
    await send();
    assert.equal(sink.mails.length, 2);
  });

  it('is divided if it has more than 100 reports', async (test) => {
    const { rig, sink, service, researcher, send } = await openMailRig(test, {
      delivery: 'daily',
      format: 'arf',
    });
    const lines = Array.from({ length: 103 }, (_, index) => ({
      c2Address: `evil.example:${index + 1}`,
      file256Hash: 'ab'.repeat(32),
    }));
    await rig.bulk(service, researcher.token, lines);
    rig.clock.advance(24 * HOUR_MS);
    await send();
    assert.deepEqual(
      sink.mails.map(({ parsed }) => parsed.attachments.length),
      [100, 3],
    );
  });

  it('is retried as a whole', async (test) => {
    const { rig, sink, report, send, deliveries } = await openMailRig(test, { delivery: 'daily' });
    for (const port of [1, 2]) await report({ c2Address: `evil.example:${port}` });
    rig.clock.advance(24 * HOUR_MS);
    sink.refusal = refuseWith(451);
    await send();
    sink.refusal = accept;
    rig.clock.advance(6000);
    await send();
    assert.equal(sink.mails.length, 1);
    assert.equal(xarfsOf(sink.mails[0] as SunkMail).length, 2);
    assert.deepEqual(
      (await deliveries()).map(({ state }) => state),
      ['delivered', 'delivered'],
    );
  });
});
