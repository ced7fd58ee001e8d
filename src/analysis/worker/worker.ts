import { openEngine } from '../engine.ts';
import { serveRequests } from './worker-loop.ts';

/** The entry point of the isolated processes that parse samples. */
await serveRequests((rules, image) => openEngine(rules, undefined, image));
