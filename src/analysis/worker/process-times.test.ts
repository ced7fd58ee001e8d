import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { WorkerTimes } from './process-times.ts';

const folder = mkdtempSync(join(tmpdir(), 'rapsheet-proc-'));
after(() => rmSync(folder, { recursive: true }));

function setProcess(pid: number, parent: number, state: string, user: number, system: number) {
  const fields = [state, parent, 1, 1, 0, -1, 0, 0, 0, 0, 0, user, system, 0, 0, 39, 19];
  write(join(folder, String(pid)), `${pid} (a) b (c) ${fields.join(' ')}\n`);
}

function setThread(pid: number, thread: number, state: string) {
  write(join(folder, `${pid}`, 'task', `${thread}`), `${thread} (a) ${state} 1 ${'0 '.repeat(20)}`);
}

function write(path: string, stat: string): void {
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'stat'), stat);
}

describe('the times of a worker', () => {
  it('are those of the process and its descendants since the first reading', () => {
    mkdirSync(join(folder, 'self'), { recursive: true });
    setProcess(10, 1, 'S', 2, 1);
    setProcess(11, 10, 'S', 0, 0);
    setProcess(12, 11, 'R', 5000, 1000);
    setProcess(13, 1, 'R', 900, 900);
    const times = new WorkerTimes(10, folder);
    assert.deepEqual(times.read(), { processorMs: 0, isActive: true });
    setProcess(12, 11, 'S', 5100, 1020);
    assert.deepEqual(times.read(), { processorMs: 1200, isActive: true });
    assert.deepEqual(times.read(), { processorMs: 1200, isActive: false });
  });

  it('include a process that is started later, from then on', () => {
    setProcess(20, 1, 'S', 3, 3);
    const times = new WorkerTimes(20, folder);
    assert.deepEqual(times.read(), { processorMs: 0, isActive: false });
    setProcess(21, 20, 'R', 70, 7);
    assert.deepEqual(times.read(), { processorMs: 0, isActive: true });
    setProcess(21, 20, 'R', 71, 8);
    assert.deepEqual(times.read(), { processorMs: 20, isActive: true });
  });

  it('are active while another thread than the first waits for a processor', () => {
    setProcess(30, 1, 'S', 3, 3);
    setThread(30, 30, 'S');
    setThread(30, 31, 'R');
    const times = new WorkerTimes(30, folder);
    assert.deepEqual(times.read(), { processorMs: 0, isActive: true });
    setThread(30, 31, 'S');
    assert.deepEqual(times.read(), { processorMs: 0, isActive: false });
  });

  it('are unknown without /proc or after the end of the process', () => {
    assert.equal(new WorkerTimes(10, '/nowhere/at/all').read(), undefined);
    assert.equal(new WorkerTimes(99, folder).read(), undefined);
  });

  it('of a running process can be read', {
    skip: existsSync('/proc/self/stat') ? false : 'there is no /proc',
  }, () => {
    const times = new WorkerTimes(process.pid);
    times.read();
    const { user } = process.cpuUsage();
    while (process.cpuUsage().user - user < 50_000);
    assert.ok((times.read()?.processorMs ?? 0) >= 30);
  });
});
