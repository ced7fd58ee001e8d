import type { Engine } from '../engine.ts';
import type { RuleSource } from '../rules/rules.ts';
import { fitAnswer } from './fit-answer.ts';
import { readFrame, writeFrame } from './frames.ts';
import { closeNamed } from './inherited-descriptors.ts';
import type { Answer, Order } from './messages.ts';

const ORDERS = 0;
const ANSWERS = 3;

/** Does what it is told until nobody tells it anything any more. */
export async function serveOrders(
  open: (rules: readonly RuleSource[]) => Promise<Engine>,
): Promise<void> {
  closeNamed(process.argv.slice(2));
  let engine: Engine | undefined;
  for (let frame = readFrame(ORDERS); frame !== undefined; frame = readFrame(ORDERS)) {
    // Only our own pool writes to this pipe.
    const order = frame.header as Order;
    if (order.kind === 'open') {
      engine = await open(order.rules);
      answer({ kind: 'ready', ruleProblems: engine.ruleProblems });
    } else if (engine !== undefined) {
      answer(await analyse(engine, order, frame.body));
    }
  }
}

async function analyse(
  engine: Engine,
  { fileName, digests, at }: Extract<Order, { kind: 'analyse' }>,
  bytes: Buffer,
): Promise<Answer> {
  try {
    const analysis = await engine.analyse({ bytes, fileName, digests }, new Date(at));
    return { kind: 'done', analysis: fitAnswer(analysis), rssBytes: process.memoryUsage.rss() };
  } catch (cause) {
    // A parser that throws is a defect of ours, but the next sample must not pay for it.
    const message = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
    return { kind: 'failed', message: message.slice(0, 1000), rssBytes: process.memoryUsage.rss() };
  }
}

function answer(message: Answer): void {
  writeFrame(ANSWERS, message as object);
}
