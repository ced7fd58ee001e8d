import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { freePort } from '../free-port.ts';
import { TestInstallation } from '../installation.ts';
import { accept, MailSink, refuseWith } from '../outgoing/mail-sink.ts';
import { eventually } from '../until.ts';
import { line, owner, type Settings } from './feed-setup.ts';

const MAIL: Settings = { RAPSHEET_MAIL_FROM: 'reports@feeds.example.invalid' };

/** A real server process, a mail server on loopback and the command line. */
describe('mail of a running server', () => {
  const installation = new TestInstallation();
  let sink: MailSink;
  let settings: Settings;
  let mail: Settings;
  const run = (...words: string[]) => installation.run(words, { settings });
  const json = async (...words: string[]) => {
    const { code, stdout, stderr } = await run(...words, '--json');
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  const report = async (host: string) => {
    const input = line(host);
    const { code, stderr } = await installation.run(['report', 'add', 'ply', '-'], {
      settings,
      input,
    });
    assert.equal(code, 0, stderr);
  };
  const arrived = (count: number) =>
    eventually(
      () => sink.mails,
      ({ length }) => length >= count,
    );

  before(async () => {
    sink = new MailSink({});
    // Nothing else takes it while the mail server is away.
    await sink.listen(await freePort());
    // The password is not needed on loopback, and must not be shown anywhere.
    mail = { ...MAIL, RAPSHEET_SMTP_URL: `smtp://rapsheet:right@127.0.0.1:${sink.port}` };
    const { url } = await installation.server(mail);
    settings = await owner(installation, url, 'alice', 'ply');
    const words = ['service', 'set', 'ply', '--mail-to', 'abuse@ply.example.invalid'];
    const { code, stdout, stderr } = await installation.run(words, { settings: mail });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /abuse@ply\.example\.invalid \(xarf, each\)/);
  });
  after(async () => {
    await sink.close();
    await installation.close();
  });

  it('arrives once, and the owner sees where it goes', async () => {
    await report('first');
    await arrived(1);
    assert.deepEqual(sink.users, ['rapsheet']);
    assert.equal(sink.mails.length, 1);
    assert.match(sink.mails[0]?.parsed.subject ?? '', /first\.example\.invalid:4444$/);
    const { stdout } = await run('service', 'show', 'ply', '--mail');
    assert.match(
      stdout,
      /^TO +FORMAT +DELIVERY +STATE\nabuse@ply\.example\.invalid +xarf +each +works$/m,
    );
  });

  it('is tested by the owner', async () => {
    const { code, stdout, stderr } = await run('delivery', 'test', 'ply', 'mail');
    assert.equal(code, 0, stderr);
    await arrived(2);
    assert.equal(sink.mails[1]?.parsed.subject, 'Test mail for ply');
    const { deliveries } = await eventually(
      () => json('delivery', 'list', 'ply', 'mail', '--state', 'delivered'),
      (page) => page.deliveries.length === 2,
    );
    assert.partialDeepStrictEqual(deliveries[0], { id: stdout.trim(), reportId: null });
  });

  it('waits while the mail server is away, and is sent when it is back', async () => {
    const { port } = sink;
    await sink.close();
    await report('second');
    const failed = await eventually(
      () => json('delivery', 'list', 'ply', 'mail', '--state', 'waiting'),
      // An attempt is counted when it begins.
      ({ deliveries }) => (deliveries[0]?.lastError ?? null) !== null,
    );
    assert.match(failed.deliveries[0].lastError, /could not be reached/);
    sink = new MailSink({});
    await sink.listen(port);
    // The next attempt may be minutes away if this machine is slow.
    assert.equal((await run('delivery', 'replay', 'ply', 'mail', failed.deliveries[0].id)).code, 0);
    await arrived(1);
    assert.match(sink.mails[0]?.parsed.subject ?? '', /second\.example\.invalid:4444$/);
  });

  it('is a dead letter if it is refused, which the owner sees and replays', async () => {
    sink.refusal = refuseWith(550);
    await report('third');
    const { deliveries } = await eventually(
      () => json('delivery', 'list', 'ply', 'mail', '--state', 'dead'),
      (page) => page.deliveries.length > 0,
    );
    assert.equal(deliveries[0].lastStatus, 550);
    const { stdout } = await run('delivery', 'list', 'ply', 'mail', '--state', 'dead');
    assert.match(stdout, / dead .* The mail server refused this mail with 550\./);
    sink.refusal = accept;
    const before = sink.mails.length;
    const replayed = await run('delivery', 'replay', 'ply', 'mail', deliveries[0].id);
    assert.match(replayed.stdout, /is queued again\.$/m);
    await arrived(before + 1);
  });

  it('is refused on the command line without a mail server, and doctor warns of it', async () => {
    const words = ['service', 'set', 'ply', '--mail-to', 'desk@ply.example.invalid'];
    const refused = await installation.run(words);
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /RAPSHEET_SMTP_URL and RAPSHEET_MAIL_FROM are not set/);
    const doctor = await installation.run(['doctor', '--quick']);
    assert.match(doctor.stdout + doctor.stderr, /ply gets no mail: RAPSHEET_SMTP_URL is not set/);
    const configured = await installation.run(['doctor', '--quick'], { settings: mail });
    assert.doesNotMatch(configured.stdout + configured.stderr, /gets no mail|right/);
    const ended = await installation.run(['service', 'set', 'ply', '--no-mail']);
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(
      (await run('service', 'show', 'ply', '--mail')).stdout,
      /^ply gets no mail\. An administrator can/,
    );
    assert.equal((await run('delivery', 'test', 'ply', 'mail')).code, 3);
  });

  it('is not possible with half of the settings', async () => {
    const { code, stderr } = await installation.run(['service', 'list'], { settings: MAIL });
    assert.notEqual(code, 0);
    assert.match(stderr, /RAPSHEET_SMTP_URL and RAPSHEET_MAIL_FROM belong together/);
    const wrong = { ...MAIL, RAPSHEET_SMTP_URL: 'http://u:hidden-pass@mail.example' };
    const url = await installation.run(['service', 'list'], { settings: wrong });
    assert.match(url.stderr, /RAPSHEET_SMTP_URL must be smtp:/);
    assert.doesNotMatch(url.stderr, /hidden-pass/);
  });
});
