import type { EnqueueJobStep, RemoveJobStep } from './steps.ts';
import type { UnitOfWork } from './unit-of-work.ts';

export function* enqueueJob(job: EnqueueJobStep['job']): UnitOfWork<void> {
  yield { kind: 'enqueue-job', job };
}

export function* removeFromQueue(job: RemoveJobStep['job']): UnitOfWork<void> {
  yield { kind: 'remove-job', job };
}

export function* announce(service: string): UnitOfWork<void> {
  yield { kind: 'feed-changed', service };
}

export function* announceDeliveries(): UnitOfWork<void> {
  yield { kind: 'deliveries-queued' };
}

export function* announceAccessChange(): UnitOfWork<void> {
  yield { kind: 'access-changed' };
}

export function* compensateWith(compensate: () => UnitOfWork<void>): UnitOfWork<void> {
  yield { kind: 'compensation', compensate };
}
