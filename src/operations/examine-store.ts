import type { CheckedPart, Examination, KeptUpload, StoreCheck } from '../ports/examination.ts';
import { DamagedSample, type SampleFiles } from '../ports/sample-files.ts';

export interface ExaminationDependencies {
  readonly store: { readonly examination: Examination };
  readonly files: Pick<SampleFiles, 'has' | 'read'>;
}

export interface ExaminationOptions {
  /** Leaves out the bytes of samples, which are only looked for. */
  readonly quick: boolean;
  progress?(step: ExaminationStep): void;
}

export interface ExaminationStep {
  readonly check: string;
  /** Of all checks; of the bytes of samples within the last. */
  readonly share: number;
  readonly looked: number;
}

export interface CheckResult {
  readonly name: string;
  /** The first ten. */
  readonly wrong: readonly string[];
  readonly hasMore: boolean;
}

const MOST_SHOWN = 10;
const FILES_CHECK = 'files of samples';
const PAGE = 500;

/** Looks whether the store keeps its promises, one check after the other. */
export async function* examineStore(
  { store: { examination }, files }: ExaminationDependencies,
  options: ExaminationOptions,
): AsyncGenerator<CheckResult> {
  const checks = [...examination.checks, filesCheck(examination, files, options.quick)];
  const totalBytes = options.quick ? 0 : await examination.uploadedBytes();
  let looked = 0;
  for (const [place, check] of checks.entries()) {
    let bytes = 0;
    yield await lookTwice(check, (part) => {
      looked += part.looked;
      bytes += part.bytes ?? 0;
      const inside = totalBytes === 0 ? 0 : Math.min(1, bytes / totalBytes);
      options.progress?.({ check: check.name, share: (place + inside) / checks.length, looked });
    });
  }
}

type Watch = (part: CheckedPart) => void;

/** What seemed wrong may just have been changing: it counts only if it is still so at a second look. */
async function lookTwice(check: StoreCheck, watch: Watch): Promise<CheckResult> {
  const { name } = check;
  const first = await findWrong(check, watch);
  if (first.length === 0) return { name, wrong: [], hasMore: false };
  const second = new Set(await findWrong(check, watch));
  const wrong = first.filter((one) => second.has(one));
  return { name, wrong: wrong.slice(0, MOST_SHOWN), hasMore: wrong.length > MOST_SHOWN };
}

/** Stops when it has enough: a store that is wrong throughout would never end. */
async function findWrong(check: StoreCheck, watch: Watch): Promise<readonly string[]> {
  const wrong: string[] = [];
  for await (const part of check.run()) {
    watch(part);
    wrong.push(...part.wrong);
    if (wrong.length > MOST_SHOWN) break;
  }
  return wrong.slice(0, MOST_SHOWN + 1);
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
          const wrong = await wrongFile(files, upload, quick);
          const found = wrong === undefined ? [] : [`sample ${upload.sha256}: ${wrong}`];
          yield { looked: 1, bytes: upload.sizeBytes, wrong: found };
        }
        after = page.at(-1)?.sha256;
      } while (after !== undefined);
    },
  };
}

async function wrongFile(
  files: ExaminationDependencies['files'],
  { sha256, sizeBytes }: KeptUpload,
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
