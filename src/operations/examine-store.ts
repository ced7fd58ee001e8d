import type { CheckedPart, Examination, ExpectedFile, StoreCheck } from '../ports/examination.ts';
import { DamagedSample, type SampleFiles } from '../ports/sample-files.ts';

export interface ExaminationDependencies {
  readonly store: { readonly examination: Examination };
  readonly files: Pick<SampleFiles, 'has' | 'read'>;
}

export interface ExaminationOptions {
  /** Checks that the files of samples exist, but does not read them. */
  readonly quick: boolean;
  progress?(step: ExaminationStep): void;
}

export interface ExaminationStep {
  readonly check: string;
  /** From 0 to 1. The last check, which reads the samples, advances by bytes. */
  readonly share: number;
  /** Rows examined so far. */
  readonly examined: number;
}

export interface CheckResult {
  readonly name: string;
  /** At most ten. */
  readonly wrong: readonly string[];
  readonly hasMore: boolean;
}

/** The checks whose findings can be repaired. */
export type CheckName = 'order of publication' | 'statistics of feeds';

const MAX_SHOWN = 10;
const FILES_CHECK = 'files of samples';
const PAGE = 500;

/** Runs the consistency checks of the store one after the other. */
export async function* examineStore(
  { store: { examination }, files }: ExaminationDependencies,
  options: ExaminationOptions,
): AsyncGenerator<CheckResult> {
  const checks = [...examination.checks, filesCheck(examination, files, options.quick)];
  const totalBytes = options.quick ? 0 : await examination.uploadedBytes();
  let examined = 0;
  for (const [index, check] of checks.entries()) {
    let bytes = 0;
    yield await runTwice(check, (part) => {
      examined += part.examined;
      bytes += part.bytes ?? 0;
      const inside = totalBytes === 0 ? 0 : Math.min(1, bytes / totalBytes);
      options.progress?.({ check: check.name, share: (index + inside) / checks.length, examined });
    });
  }
}

type OnPart = (part: CheckedPart) => void;

/** The result of the check with that name. */
export async function examinePart(
  { store: { examination } }: Pick<ExaminationDependencies, 'store'>,
  name: CheckName,
): Promise<CheckResult> {
  const check = examination.checks.find((one) => one.name === name);
  if (check === undefined) throw new Error(`there is no check of the ${name}`);
  return await runTwice(check, () => undefined);
}

/** A concurrent write can look like damage, so a finding counts only if a second run repeats it. */
async function runTwice(check: StoreCheck, onPart: OnPart): Promise<CheckResult> {
  const { name } = check;
  const first = await findWrong(check, onPart);
  if (first.length === 0) return { name, wrong: [], hasMore: false };
  const second = new Set(await findWrong(check, onPart));
  const wrong = first.filter((one) => second.has(one));
  return { name, wrong: wrong.slice(0, MAX_SHOWN), hasMore: wrong.length > MAX_SHOWN };
}

/** Stops early: in a store that is damaged throughout, the check would run very long. */
async function findWrong(check: StoreCheck, onPart: OnPart): Promise<readonly string[]> {
  const wrong: string[] = [];
  for await (const part of check.run()) {
    onPart(part);
    wrong.push(...part.wrong);
    if (wrong.length > MAX_SHOWN) break;
  }
  return wrong.slice(0, MAX_SHOWN + 1);
}

function filesCheck(
  examination: Examination,
  files: ExaminationDependencies['files'],
  quick: boolean,
): StoreCheck {
  return {
    name: FILES_CHECK,
    async *run() {
      let after: string | undefined;
      do {
        const page = await examination.uploads(after, PAGE);
        for (const upload of page) {
          const wrong = await faultOfFile(files, upload, quick);
          const found = wrong === undefined ? [] : [`sample ${upload.sha256}: ${wrong}`];
          yield { examined: 1, bytes: upload.sizeBytes, wrong: found };
        }
        after = page.at(-1)?.sha256;
      } while (after !== undefined);
    },
  };
}

async function faultOfFile(
  files: ExaminationDependencies['files'],
  { sha256, sizeBytes }: ExpectedFile,
  quick: boolean,
): Promise<string | undefined> {
  if (quick) return (await files.has(sha256)) ? undefined : 'its file is missing';
  const pieces = await files.read(sha256);
  if (pieces === undefined) return 'its file is missing';
  let bytes = 0;
  try {
    for await (const piece of pieces) bytes += piece.length;
  } catch (cause) {
    if (cause instanceof DamagedSample) return 'its file has other bytes';
    throw cause;
  }
  return bytes === sizeBytes ? undefined : `its file has ${bytes} bytes instead of ${sizeBytes}`;
}
