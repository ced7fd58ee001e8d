import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { checkClock, confirmClock, readFault } from '../../../src/operations/check-clock.ts';
import type { Store } from '../../../src/ports/store.ts';
import { ClockGuard } from '../../../src/server/clock-guard.ts';
import { audit } from './store-contract.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const START = Date.parse('2026-11-15T12:00:00Z');

/** A simulated machine that runs, sleeps and is switched off, with a clock that tests set. */
class Machine {
  #bootId = 1;
  #uptimeMs = 5000;
  #wallMs = START;
  readonly clock = { now: () => new Date(this.#wallMs), machineOffsetMs: () => this.offsetMs };
  offsetMs: number | undefined;

  get timer() {
    return { id: `boot-${this.#bootId}`, elapsedMs: () => this.#uptimeMs };
  }

  run(ms: number): void {
    this.#uptimeMs += ms;
    this.#wallMs += ms;
  }

  setClock(byMs: number): void {
    this.#wallMs += byMs;
  }

  switchOff(forMs: number): void {
    this.#bootId += 1;
    this.#uptimeMs = 0;
    this.#wallMs += forMs;
  }
}

export function clockContract(name: string, open: () => Promise<Store>): void {
  describe(`the clock of a store on ${name}`, () => {
    let store: Store;
    before(async () => {
      store = await open();
    });
    after(() => store.close());

    /** A machine whose clock was right a moment ago. */
    const machineAt = async () => {
      const machine = new Machine();
      const deps = () => ({ store, clock: machine.clock, timer: machine.timer });
      await store.clock.confirm({ ...machineReading(machine) }, audit);
      const fault = async () => {
        const checked = await checkClock(deps());
        return 'fault' in checked ? checked.fault.driftMs : undefined;
      };
      return { machine, deps, fault };
    };

    it('is trusted while it advances with real time, also over a long stop', async () => {
      const { machine, fault } = await machineAt();
      for (const ms of [0, 1000, HOUR_MS, 400 * DAY_MS]) {
        machine.run(ms);
        assert.equal(await fault(), undefined);
      }
      machine.switchOff(20 * HOUR_MS);
      assert.equal(await fault(), undefined);
    });

    it('is not trusted after a jump of more than a day, until it is corrected', async () => {
      for (const jumpMs of [366 * DAY_MS, 2 * DAY_MS, -2 * DAY_MS]) {
        const { machine, fault } = await machineAt();
        machine.setClock(jumpMs);
        assert.equal(await fault(), jumpMs);
        machine.run(10 * DAY_MS);
        assert.equal(await fault(), jumpMs, 'time alone is no proof');
        machine.setClock(-jumpMs);
        assert.equal(await fault(), undefined);
      }
    });

    it('is not trusted after the machine was off for days, until an operator confirms it', async () => {
      const { machine, deps, fault } = await machineAt();
      machine.switchOff(3 * DAY_MS);
      assert.equal(await fault(), 3 * DAY_MS);
      machine.switchOff(HOUR_MS);
      assert.equal((await readFault(deps()))?.kind, 'jump');
      await confirmClock(deps(), { actor: 'command line', at: machine.clock.now() });
      assert.equal(await fault(), undefined);
      const [entry] = (await store.audit.list({ limit: 1 })).entries;
      assert.equal(entry?.action, 'clock.confirm');
    });

    it('that was set back is trusted again when time has caught up', async () => {
      const { machine, fault } = await machineAt();
      machine.switchOff(-3 * DAY_MS);
      assert.equal(await fault(), -3 * DAY_MS);
      machine.run(2 * DAY_MS);
      assert.equal(await fault(), undefined);
    });

    it('pauses housekeeping while it is wrong, and logs that once', async () => {
      const { machine, deps } = await machineAt();
      const logged: string[] = [];
      const log = { error: recordIn(logged), info: recordIn(logged) };
      const guard = new ClockGuard(deps(), log);
      assert.deepEqual(await guard.trustedTime(), machine.clock.now());
      machine.offsetMs = -6000;
      for (let turn = 0; turn < 3; turn += 1) assert.equal(await guard.trustedTime(), undefined);
      machine.offsetMs = 4000;
      assert.deepEqual(await guard.trustedTime(), machine.clock.now());
      assert.equal(logged.length, 2);
      assert.match(logged[0] ?? '', /housekeeping is paused: .* 6 s behind that of the database/);
      assert.match(logged[1] ?? '', /right again/);
    });
  });
}

function machineReading({ clock, timer }: Machine) {
  return { at: clock.now(), timer: timer.id, timerMs: timer.elapsedMs() };
}

function recordIn(logged: string[]) {
  return (...words: unknown[]) => {
    logged.push(String(words.at(-1)));
  };
}
