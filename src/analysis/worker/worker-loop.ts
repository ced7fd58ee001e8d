import type { Engine } from '../engine.ts';
import type { RuleSource } from '../rules/rule-source.ts';
import type { RulesImage } from '../rules/yara/rules-image.ts';
import { readFrame, writeFrame } from './frames.ts';
import { closeDescriptors } from './inherited-descriptors.ts';
import type { WorkerRequest, WorkerResponse } from './messages.ts';
import { trimAnalysis } from './trim-analysis.ts';

const REQUESTS_FD = 0;
const RESPONSES_FD = 3;

/** Serves requests until the pool closes the pipe. */
export async function serveRequests(
  open: (rules: readonly RuleSource[], image?: RulesImage) => Promise<Engine>,
): Promise<void> {
  closeDescriptors(process.argv.slice(2));
  let engine: Engine | undefined;
  for (let frame = readFrame(REQUESTS_FD); frame !== undefined; frame = readFrame(REQUESTS_FD)) {
    // Only our own pool writes to this pipe.
    const request = frame.header as WorkerRequest;
    if (request.kind === 'open') {
      const { rules, image } = request;
      engine = await open(rules, image && { header: image, memory: frame.body });
      respond({ kind: 'ready', ruleProblems: engine.ruleProblems });
    } else if (engine !== undefined) {
      respond(await analyse(engine, request, frame.body));
    }
  }
}

async function analyse(
  engine: Engine,
  { fileName, digests, at }: Extract<WorkerRequest, { kind: 'analyse' }>,
  bytes: Buffer,
): Promise<WorkerResponse> {
  try {
    const analysis = await engine.analyse({ bytes, fileName, digests }, new Date(at));
    return { kind: 'done', analysis: trimAnalysis(analysis), rssBytes: process.memoryUsage.rss() };
  } catch (cause) {
    // An engine that throws is a defect of ours; the worker reports it and stays usable.
    const message = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
    return { kind: 'failed', message: message.slice(0, 1000), rssBytes: process.memoryUsage.rss() };
  }
}

function respond(message: WorkerResponse): void {
  writeFrame(RESPONSES_FD, message as object);
}
