import cluster from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkerState } from '../ports/analyser.ts';

interface StateRequest {
  readonly workerStateRequest: number;
}

interface StateResponse {
  /** The number of the request. */
  readonly workerStateResponse: number;
  readonly state: WorkerState | undefined;
}

/** A primary process that is busy for longer is treated as one without workers. */
const RESPONSE_TIMEOUT_MS = 1000;

let requests = 0;

/** In the primary process, which analyses samples: answers the processes that serve HTTP. */
export function answerWorkerState(state: () => WorkerState | undefined): void {
  cluster.on('message', (worker, message: unknown) => {
    if (!isRequest(message)) return;
    const response: StateResponse = {
      workerStateResponse: message.workerStateRequest,
      state: state(),
    };
    // Sending to a worker that has just ended fails.
    worker.send(response, () => undefined);
  });
}

/** In a process that serves HTTP: asks the primary process for the analysis workers. */
export async function askWorkerState(): Promise<WorkerState | undefined> {
  requests += 1;
  const request: StateRequest = { workerStateRequest: requests };
  const { promise, resolve } = Promise.withResolvers<WorkerState | undefined>();
  const listen = (message: unknown) => {
    if (isResponse(message) && message.workerStateResponse === request.workerStateRequest)
      resolve(message.state);
  };
  process.on('message', listen);
  try {
    if (process.connected) process.send?.(request);
    return await Promise.race([promise, sleep(RESPONSE_TIMEOUT_MS, undefined, { ref: false })]);
  } finally {
    process.off('message', listen);
  }
}

function isRequest(message: unknown): message is StateRequest {
  return typeof message === 'object' && message !== null && 'workerStateRequest' in message;
}

function isResponse(message: unknown): message is StateResponse {
  return typeof message === 'object' && message !== null && 'workerStateResponse' in message;
}
