import { PROBLEMS } from '../../src/domain/problem.ts';
import { STATUS } from '../../src/http/responses/error-replies.ts';
import { escapeMarkdown, GENERATED, markdownTable } from './markdown.ts';

const INTRODUCTION = `# Errors

Every error has the body \`{"error": "…", "successful": false}\`. The text in \`error\` is for people and may change. Programs read the
status and the header \`X-Error-Code\`, which do not change. Every response has an \`X-Request-Id\`, which identifies the call in the log.

- A call is checked in this order: token, role, service, for creates and uploads the rate of the account, then body or query.
- **401** has \`WWW-Authenticate\`. A missing token and a bad one have different codes.
- **404** is the same for an unknown id, a deleted one and one of another feed.
- **405** has \`Allow\`, the methods of the URL.
- **429** has \`Retry-After\` if waiting helps. \`quota_exhausted\` has none if the quota is prepaid and never resets.
- **500** and **503** take no quota. A 503 also changes nothing; retry.
- A lookup takes its unit even if it returns 400 or 404.

\`{problems}\` is one sentence per problem, with the name of the member and its rule; all problems are listed. Other words in braces are
placeholders too.
`;

/** The page that lists every error, generated from the table that the code uses. */
export function errorsPage(): string {
  const rows = Object.entries(PROBLEMS)
    .map(([code, { kind, text }]) => ({ code, status: STATUS[kind], text }))
    .sort((one, other) => one.status - other.status)
    .map(({ code, status, text }) => [`\`${code}\``, String(status), escapeMarkdown(text)]);
  return `${GENERATED}\n\n${INTRODUCTION}\n${markdownTable(['Code', 'Status', 'Text'], rows)}`;
}
