import type { HashReply, HashRequest } from './hash-worker.ts';

let worker: Worker | undefined;
let lastId = 0;

/** The SHA-256 of a file, computed in a worker. */
export function hashFile(file: File, onBytes: (bytes: number) => void): Promise<string> {
  worker ??= new Worker(new URL('./hash-worker.ts', import.meta.url), { type: 'module' });
  const used = worker;
  lastId += 1;
  const id = lastId;
  return new Promise((resolve, reject) => {
    const stop = () => {
      used.removeEventListener('message', onMessage);
      used.removeEventListener('error', onError);
    };
    const onMessage = ({ data }: MessageEvent<HashReply>) => {
      if (data.id !== id) return;
      if (data.kind === 'progress') return onBytes(data.bytes);
      stop();
      if (data.kind === 'done') resolve(data.sha256);
      else reject(new Error(data.reason));
    };
    const onError = () => {
      stop();
      worker = undefined;
      reject(new Error('The browser could not start the worker that hashes files.'));
    };
    used.addEventListener('message', onMessage);
    used.addEventListener('error', onError);
    used.postMessage({ id, file } satisfies HashRequest);
  });
}
