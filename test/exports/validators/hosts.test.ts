import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { describe, it } from 'node:test';
import { hosts } from '../../../src/exports/hosts.ts';
import { freePort } from '../../free-port.ts';
import { linesOf, outputsOf } from './outputs.ts';
import { run, temporaryFiles, whyNo } from './tool.ts';

const file = temporaryFiles();

/** Starts dnsmasq with the file and returns its log until it has read it. */
async function logOf(name: string): Promise<string> {
  const options = ['--no-daemon', '--conf-file=/dev/null', '--no-resolv', '--no-hosts'];
  const listen = [`--port=${await freePort()}`, '--listen-address=127.0.0.1', '--bind-interfaces'];
  const dnsmasq = spawn(
    'dnsmasq',
    [...options, ...listen, '--user=', '--pid-file=', `--addn-hosts=${name}`],
    {
      env: { PATH: `${process.env['PATH']}:/usr/sbin` },
      timeout: 20_000,
    },
  );
  let log = '';
  dnsmasq.stderr.setEncoding('utf8');
  for await (const text of dnsmasq.stderr) {
    log += text;
    if (/ read .* names$/m.test(log)) dnsmasq.kill();
  }
  return log;
}

describe('dnsmasq', { skip: whyNo('dnsmasq') }, () => {
  for (const { label, text } of outputsOf(hosts)) {
    it(`reads every name of the hosts file of ${label}`, async () => {
      const name = file(`${label}.hosts`, text);
      assert.equal(
        run('dnsmasq', '--test', '--conf-file=/dev/null', `--addn-hosts=${name}`).status,
        0,
      );
      const log = await logOf(name);
      assert.match(log, new RegExp(` - ${linesOf(text).length} names$`, 'm'));
      assert.doesNotMatch(log, /bad (?:name|address)/);
    });
  }
});
