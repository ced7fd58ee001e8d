import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** The parts of an analysis that matter for an ordinary file. */
export interface FileFindings {
  readonly families: readonly string[];
  readonly configs: readonly string[];
  /** Whether a limit left content unread. */
  readonly isCut: boolean;
  /** Tags of heat 7 and 8. */
  readonly hot: readonly HotTag[];
}

export interface HotTag {
  readonly tag: string;
  readonly source: string;
  readonly member?: string | undefined;
}

const ANALYSER = new URL('analyser.ts', import.meta.url);
/** The memory of the rule engine never shrinks, so processes are replaced. */
const FILES_PER_PROCESS = 1000;

/** Analyses the files in several processes; `onResult` is called once for each. */
export async function analyseFiles<File extends { readonly path: string }>(
  files: Iterator<File>,
  processes: number,
  onResult: (file: File, findings: FileFindings) => void,
): Promise<void> {
  const work = async () => {
    let child: ChildProcess | undefined;
    let analysed = 0;
    for (let next = files.next(); next.done !== true; next = files.next()) {
      child ??= await start();
      onResult(next.value, await ask(child, next.value.path));
      analysed += 1;
      if (analysed % FILES_PER_PROCESS !== 0) continue;
      child.disconnect();
      child = undefined;
    }
    child?.disconnect();
  };
  await Promise.all(Array.from({ length: processes }, work));
}

async function start(): Promise<ChildProcess> {
  const child = fork(ANALYSER);
  await once(child, 'message');
  return child;
}

function ask(child: ChildProcess, path: string): Promise<FileFindings> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error(`the analysis of ${path} ended its process`));
    child.once('exit', fail);
    child.once('message', (findings) => {
      child.off('exit', fail);
      resolve(findings as FileFindings);
    });
    child.send(path);
  });
}
