import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { openControlGroups } from './control-groups.ts';

const SERVER = 100;

/** Folders that look like `/proc` and `/sys/fs/cgroup`; the files keep what is written to them. */
describe('control groups', () => {
  let folder: string;
  let proc: string;
  let service: string;

  function write(path: string, text: string): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  function read(...path: string[]): string {
    return readFileSync(join(service, ...path), 'latin1');
  }

  /** The processes of the group, with their parents. */
  function runs(processes: Readonly<Record<number, number>>): void {
    write(join(service, 'cgroup.procs'), `${Object.keys(processes).join('\n')}\n`);
    for (const [pid, parent] of Object.entries(processes))
      write(join(proc, pid, 'stat'), `${pid} (a (strange) name) S ${parent} 1 1`);
  }

  function open() {
    return openControlGroups({ proc, pid: SERVER });
  }

  /** The kernel would take the processes out of the group; a folder cannot. */
  function vacated(): void {
    write(join(service, 'cgroup.procs'), '');
  }

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'rapsheet-groups-'));
    proc = join(folder, 'proc');
    const mount = join(folder, 'cgroup');
    service = join(mount, 'system.slice/rapsheet.service');
    write(join(proc, 'self/cgroup'), '0::/system.slice/rapsheet.service\n');
    write(
      join(proc, 'self/mountinfo'),
      `22 1 0:20 / /proc rw - proc proc rw\n36 25 0:30 / ${mount} rw,nosuid - cgroup2 cgroup2 rw\n`,
    );
    write(join(service, 'cgroup.controllers'), 'cpu memory pids\n');
    write(join(service, 'cgroup.subtree_control'), '');
    vacated();
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it('limit memory, swap and threads of each worker', () => {
    const groups = open();
    assert.ok(groups !== undefined);
    assert.equal(read('cgroup.subtree_control'), '+memory +pids');
    const { enter } = groups.create();
    const entered = execFileSync('/bin/sh', [...enter.slice(1), 'echo', 'the command']);
    assert.equal(`${entered}`, 'the command\n');
    const name = readdirSync(service).find((one) => existsSync(join(service, one, 'cgroup.procs')));
    assert.match(name ?? '', /^worker-/);
    assert.ok(name !== undefined);
    assert.equal(read(name, 'cgroup.procs'), '0\n');
    assert.equal(read(name, 'memory.max'), `${1792 * 1024 * 1024}`);
    assert.equal(read(name, 'memory.swap.max'), '0');
    assert.equal(read(name, 'memory.oom.group'), '1');
    assert.equal(read(name, 'pids.max'), '64');
  });

  it('are beside the group of the service, to which its own processes move', () => {
    runs({ [SERVER]: 1, 101: SERVER, 102: 101 });
    // It does not become empty here, and then the controllers cannot be enabled.
    assert.equal(open(), undefined);
    assert.equal(read('server/cgroup.procs'), '102');
    assert.equal(read('cgroup.subtree_control'), '');
  });

  it('are found from the group of the service', () => {
    write(join(proc, 'self/cgroup'), '0::/system.slice/rapsheet.service/server\n');
    write(join(service, 'server/cgroup.procs'), `${SERVER}\n`);
    assert.ok(open() !== undefined);
    assert.ok(readdirSync(service).some((name) => name.startsWith('worker-')));
  });

  it('are found if only a part of the hierarchy is mounted', () => {
    write(
      join(proc, 'self/mountinfo'),
      `36 25 0:30 /system.slice ${dirname(service)} rw - cgroup2 c rw\n`,
    );
    assert.ok(open() !== undefined);
    write(
      join(proc, 'self/mountinfo'),
      `36 25 0:30 /other ${dirname(service)} rw - cgroup2 c rw\n`,
    );
    assert.equal(open(), undefined);
  });

  it('are not used if other processes are in the group, which stay there', () => {
    runs({ 50: 1, [SERVER]: 50 });
    assert.equal(open(), undefined);
    assert.equal(existsSync(join(service, 'server')), false);
  });

  it('are not used without the controllers, without the second version, and without permission', () => {
    write(join(service, 'cgroup.controllers'), 'memory hugetlb\n');
    assert.equal(open(), undefined);
    write(join(proc, 'self/cgroup'), '4:memory:/a\n');
    assert.equal(open(), undefined);
    assert.equal(openControlGroups({ proc: join(folder, 'nowhere'), pid: SERVER }), undefined);
  });

  it('are not used if the group belongs to another user', {
    skip: process.getuid?.() === 0 ? 'root may write everywhere' : false,
  }, () => {
    chmodSync(join(service, 'cgroup.subtree_control'), 0o444);
    assert.equal(open(), undefined);
  });
});
