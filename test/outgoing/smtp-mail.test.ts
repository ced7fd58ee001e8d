import assert from 'node:assert/strict';
import { Resolver } from 'node:dns';
import { describe, it, type TestContext } from 'node:test';
import { SmtpMail, type SmtpServer } from '../../src/outgoing/mail/smtp-mail.ts';
import type { MailMessage } from '../../src/ports/outgoing-mail.ts';
import { freePort } from '../free-port.ts';
import { CERTIFICATE, type MailSink, openMailSink, refuseWith, TLS } from './mail-sink.ts';

const FROM = 'reports@feeds.example.invalid';
const MAIL: MailMessage = {
  id: '550e8400-e29b-41d4-a716-446655440000',
  to: 'abuse@ply.example.invalid',
  subject: 'Abuse report: C2 server evil.example:4444',
  date: new Date('2026-11-16T10:00:00Z'),
  kind: 'report',
  parts: [
    {
      contentType: 'text/plain; charset=utf-8',
      content: 'Größe: 7\r\n',
      encoding: 'quoted-printable',
    },
    {
      contentType: 'message/feedback-report',
      content: 'Feedback-Type: xarf\r\nUser-Agent: Rapsheet/1\r\nVersion: 1\r\n',
      encoding: '7bit',
    },
    {
      contentType: 'application/json; name=xarf.json',
      content: '{"a":"ö"}',
      encoding: 'base64',
      filename: 'xarf.json',
    },
  ],
};
const NO_TLS = {
  kind: 'failed',
  code: undefined,
  error: 'No valid TLS connection to the mail server could be made.',
};
const never = new AbortController().signal;

function clientOf(sink: Pick<MailSink, 'port'>, changes: Partial<SmtpServer> = {}): SmtpMail {
  const server = { host: '127.0.0.1', port: sink.port, secure: false, credentials: undefined };
  return new SmtpMail({ ...server, ...changes }, FROM);
}

async function sentTo(test: TestContext, mail: MailMessage = MAIL) {
  const sink = await openMailSink(test);
  assert.deepEqual(await clientOf(sink).send(mail, never), { kind: 'accepted', code: 250 });
  const [received] = sink.mails;
  assert.ok(received !== undefined && sink.mails.length === 1);
  return received;
}

describe('a mail', () => {
  it('is a feedback report with three parts', async (test) => {
    const { from, to, source, parsed } = await sentTo(test);
    assert.equal(from, FROM);
    assert.deepEqual(to, [MAIL.to]);
    assert.match(
      source,
      /^Content-Type: multipart\/report; report-type=feedback-report;\r\n boundary/im,
    );
    assert.match(source, /^Auto-Submitted: auto-generated\r$/m);
    assert.match(source, /^Content-Type: message\/feedback-report\r$/m);
    assert.match(
      source,
      /\r\n\r\nFeedback-Type: xarf\r\nUser-Agent: Rapsheet\/1\r\nVersion: 1\r\n/,
    );
    assert.equal(parsed.messageId, `<${MAIL.id}@feeds.example.invalid>`);
    assert.equal(parsed.date?.toISOString(), '2026-11-16T10:00:00.000Z');
    assert.equal(parsed.text?.split('\n')[0], 'Größe: 7');
    const json = parsed.attachments.find(({ filename }) => filename === 'xarf.json');
    assert.equal(json?.contentType, 'application/json');
    assert.equal(json?.content.toString(), '{"a":"ö"}');
    // Bare line feeds are refused by strict servers.
    assert.doesNotMatch(source, /[^\r]\n/);
  });

  it('cannot get another header from its subject', async (test) => {
    const subject = 'a\r\nBcc: all@evil.example\r\n\r\nbody';
    const { to, parsed } = await sentTo(test, { ...MAIL, subject });
    assert.deepEqual(to, [MAIL.to]);
    assert.equal(parsed.bcc, undefined);
    assert.equal(parsed.subject, 'a Bcc: all@evil.example body');
  });
});

describe('the client of the mail server', () => {
  it('tells a refusal for good from one that may be retried', async (test) => {
    const sink = await openMailSink(test);
    const client = clientOf(sink);
    const results: unknown[] = [];
    for (const refusal of [refuseWith(550), refuseWith(554, 'message'), refuseWith(451)]) {
      sink.refusal = refusal;
      results.push(await client.send(MAIL, never));
    }
    assert.deepEqual(results, [
      { kind: 'refused', code: 550 },
      { kind: 'refused', code: 554 },
      { kind: 'failed', code: 451, error: 'The mail server answered 451.' },
    ]);
    assert.equal(sink.mails.length, 0);
  });

  it('fails for now if there is no server', async () => {
    const port = await freePort();
    const error = 'The mail server could not be reached, or ended the connection.';
    assert.deepEqual(await clientOf({ port }).send(MAIL, never), {
      kind: 'failed',
      code: undefined,
      error,
    });
  });

  it('signs in, and treats wrong credentials as a fault that an operator repairs', async (test) => {
    const sink = await openMailSink(test);
    const credentials = { user: 'rapsheet', password: 'right' };
    assert.equal((await sendWith(sink, credentials)).kind, 'accepted');
    assert.deepEqual(sink.users, ['rapsheet']);
    const result = await sendWith(sink, { ...credentials, password: 'wrong' });
    assert.deepEqual(result, {
      kind: 'failed',
      code: 535,
      error: 'The mail server did not accept the credentials of this service.',
    });
  });

  async function sendWith(sink: MailSink, credentials: SmtpServer['credentials']) {
    const result = await clientOf(sink, { credentials }).send(MAIL, never);
    assert.ok(result !== 'interrupted');
    return result;
  }

  it('verifies the certificate of the server', async (test) => {
    const sink = await openMailSink(test, { ...TLS, secure: true });
    const untrusted = await clientOf(sink, { secure: true }).send(MAIL, never);
    assert.deepEqual(untrusted, NO_TLS);
    assert.equal(sink.mails.length, 0);
    const trusted = await clientOf(sink, { secure: true, ca: CERTIFICATE }).send(MAIL, never);
    assert.deepEqual(trusted, { kind: 'accepted', code: 250 });
  });

  it('stops when it is interrupted', { timeout: 20_000 }, async (test) => {
    const controller = new AbortController();
    const sink = await openMailSink(test, {
      // Never answers.
      onConnect: () => controller.abort(),
    });
    assert.equal(await clientOf(sink).send(MAIL, controller.signal), 'interrupted');
  });
});

/** The name in the certificate of the sink. */
const HOST = 'hook.example.invalid';
const STARTTLS = { ...TLS, hideSTARTTLS: false };
const credentials = { user: 'rapsheet', password: 'right' };

describe('the client of a mail server on another machine', () => {
  /** A sink on this machine that every name leads to, so that it counts as another machine. */
  async function elsewhere(test: TestContext, options: Parameters<typeof openMailSink>[1] = {}) {
    let connections = 0;
    const sink = await openMailSink(test, {
      ...options,
      onConnect: (_session, done) => {
        connections += 1;
        done();
      },
    });
    type Answer = (error: null, addresses: readonly string[]) => void;
    const answer = (addresses: readonly string[]) => (_host: string, done: Answer) =>
      setImmediate(done, null, addresses);
    test.mock.method(Resolver.prototype, 'resolve4', answer(['127.0.0.1']));
    test.mock.method(Resolver.prototype, 'resolve6', answer([]));
    const send = (changes: Partial<SmtpServer> = {}) =>
      clientOf(sink, { host: HOST, credentials, ...changes }).send(MAIL, never);
    return { sink, send, connections: () => connections };
  }

  it('signs in and sends over TLS after STARTTLS', async (test) => {
    const { sink, send } = await elsewhere(test, STARTTLS);
    assert.deepEqual(await send({ ca: CERTIFICATE }), { kind: 'accepted', code: 250 });
    assert.deepEqual(
      sink.mails.map(({ isSecure }) => isSecure),
      [true],
    );
    assert.deepEqual(sink.users, ['rapsheet']);
  });

  const refusals: Readonly<Record<string, [object, Partial<SmtpServer>]>> = {
    'to one without TLS': [{ disabledCommands: ['STARTTLS'] }, { ca: CERTIFICATE }],
    'to one with a certificate that nobody vouches for': [STARTTLS, {}],
    'to one with the certificate of another name': [
      STARTTLS,
      { ca: CERTIFICATE, host: 'other.example.invalid' },
    ],
  };
  for (const [what, [options, changes]] of Object.entries(refusals))
    it(`sends neither mail nor password ${what}`, async (test) => {
      const { sink, send, connections } = await elsewhere(test, options);
      assert.partialDeepStrictEqual(await send(changes), {
        kind: NO_TLS.kind,
        error: NO_TLS.error,
      });
      assert.equal(connections(), 1, 'it was reached');
      assert.deepEqual(sink.mails, []);
      assert.deepEqual(sink.users, []);
    });
});
