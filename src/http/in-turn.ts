import type { App } from './app.ts';

/**
 * Of requests that a caller sends without waiting for answers, each is looked at when the answers before it are out. All
 * at once, a few kilobytes of them would have us hold hundreds of megabytes for somebody who reads nothing.
 */
export function takeInTurn(app: App): void {
  app.addHook('onRequest', (_, reply, done) => {
    // Node gives the connection to an answer when those before it are out.
    if (reply.raw.socket === null) reply.raw.once('socket', () => process.nextTick(done));
    else done();
  });
}
