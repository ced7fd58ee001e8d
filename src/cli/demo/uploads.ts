import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { DAY_MS } from '../../domain/duration.ts';
import type { Dependencies } from '../../operations/dependencies.ts';
import { analyseSample } from '../../operations/samples/analyse-sample.ts';
import { submitSample } from '../../operations/samples/submit-sample.ts';
import type { Analyser, AnalysisFailure } from '../../ports/analyser.ts';
import { QUEUE_POLICIES } from '../../ports/queue.ts';
import type { OpenDependencies } from '../../server/open-dependencies.ts';
import type { DemoHistory, Step } from './history.ts';

/** A line of `demo/uploads.ndjson`: a harmless file in the form of a family, and its sender. */
interface UploadLine {
  /** In `demo/uploads`, packed, so that none is executable; `filler` has an overlay alone. */
  readonly file: string;
  readonly name: string;
  readonly by: string;
  readonly daysAgo: number;
  /** What its settings name. */
  readonly c2s: readonly string[];
  /** Bytes behind the file: another build, similar to the first. */
  readonly overlayBytes?: number;
  /** Nothing in the repository crashes the analysis, so that failure is staged. */
  readonly fails?: AnalysisFailure;
}

export interface DemoUpload extends UploadLine {
  readonly bytes: Uint8Array;
  readonly sha256: string;
}

export function readUploads(folder: URL, file = 'uploads.ndjson'): readonly DemoUpload[] {
  const lines = readFileSync(new URL(file, folder), 'utf8').trimEnd().split('\n');
  return lines.map((text) => {
    const line: UploadLine = JSON.parse(text);
    const bytes = bytesOf(folder, line);
    return { ...line, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
  });
}

function bytesOf(folder: URL, { file, name, overlayBytes = 0 }: UploadLine): Uint8Array {
  const overlay = createHash('shake256', { outputLength: Math.max(1, overlayBytes) })
    .update(name)
    .digest()
    .subarray(0, overlayBytes);
  if (file === 'filler') return overlay;
  const packed = readFileSync(new URL(`uploads/${file}.gz.b64`, folder), 'latin1');
  return Buffer.concat([gunzipSync(Buffer.from(packed, 'base64')), overlay]);
}

interface UploadTools {
  readonly history: DemoHistory;
  readonly analyser: Analyser;
  readonly queue: OpenDependencies['queue'];
  readonly now: number;
}

/** Sends the files and analyses them at once, with the time of the upload. */
export function uploadSteps(uploads: readonly DemoUpload[], tools: UploadTools): Step[] {
  return uploads.map((upload) => ({
    at: tools.now - upload.daysAgo * DAY_MS,
    run: (deps) => sendFile(deps, upload, tools),
  }));
}

async function sendFile(
  deps: Dependencies,
  { name, by, bytes, fails }: DemoUpload,
  { history, analyser, queue }: UploadTools,
): Promise<void> {
  const caller = await history.caller(deps, by);
  const pieces = (async function* () {
    yield bytes;
  })();
  await submitSample(deps, caller, { fileName: name, bytes: pieces });
  const used = fails === undefined ? analyser : failing(analyser, fails);
  // A last attempt, so that a staged failure is final.
  const { maxAttempts } = QUEUE_POLICIES.analyse;
  for (const job of await queue.lease('analyse', 10)) {
    const end = await analyseSample({ ...deps, analyser: used }, job.key, maxAttempts);
    if (end.kind === 'again' || (end.kind === 'failed' && fails === undefined))
      throw new Error(`the analysis of ${name} failed: ${end.message}`);
    await queue.complete(job);
  }
  history.counts.uploads += 1;
}

function failing(analyser: Analyser, failure: AnalysisFailure): Analyser {
  const analyse = async () => ({ kind: 'failed' as const, failure, message: 'staged' });
  return { ...analyser, analyse };
}
