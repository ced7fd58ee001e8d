import type { Problem } from '../../domain/problem.ts';

/** An error in the form of TAXII 2.1, section 3.6.1. Bytes, so that no character set is added. */
export function taxiiError(problem: Problem, status: number, requestId: string): Buffer {
  const title = problem.code.replaceAll('_', ' ');
  return Buffer.from(
    JSON.stringify({
      title: title.charAt(0).toUpperCase() + title.slice(1),
      description: problem.message,
      error_id: requestId,
      error_code: problem.code,
      http_status: String(status),
    }),
  );
}
