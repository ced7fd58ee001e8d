import { openEngine } from '../engine.ts';
import { serveOrders } from './worker-loop.ts';

/** The program of the isolated child processes in which samples are parsed. */
await serveOrders((rules) => openEngine(rules));
