import { askWorkerState } from '../../src/server/worker-state-messages.ts';

/** A process that serves HTTP: asks the primary process once, and sends back what it heard. */
process.send?.({ heard: await askWorkerState() }, () => process.disconnect?.());
