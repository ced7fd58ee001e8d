import { PROBLEMS } from '../../src/domain/problem.ts';
import { STATUS } from '../../src/http/responses/error-replies.ts';
import { escapeMarkdown, GENERATED, markdownTable } from './markdown.ts';

const INTRODUCTION = `# Errors

Every refusal has the body \`{"error": "…", "successful": false}\`. The text in \`error\` is for people and may be
worded better one day. Programs read the header \`X-Error-Code\`, which stays as it is, and the status. Every
answer has an \`X-Request-Id\`: with it the call is found in the log.

- A call is checked in this order: token, role, service, for creates and uploads the rate of the account, then body or
  query.
- **401** comes with \`WWW-Authenticate\`. A missing token and a bad one have different codes.
- **404** is the same for an id that never was, a deleted one and one of another feed.
- **405** comes with \`Allow\`, the methods that the address takes.
- **429** comes with \`Retry-After\` where waiting helps. \`quota_exhausted\` has none where the quota is prepaid and
  never resets.
- **500** and **503** took nothing of the quota. After a 503 nothing was changed either; try again.
- A lookup takes its unit also where it answers 400 or 404.

\`{problems}\` stands for one sentence for each thing that is wrong, with the name of the member and what is right;
all of them are told at once. Other words in braces are filled in as well.
`;

/** The page that lists every refusal, from the table that the code itself takes them from. */
export function errorsPage(): string {
  const rows = Object.entries(PROBLEMS)
    .map(([code, { kind, text }]) => ({ code, status: STATUS[kind], text }))
    .sort((one, other) => one.status - other.status)
    .map(({ code, status, text }) => [`\`${code}\``, String(status), escapeMarkdown(text)]);
  return `${GENERATED}\n\n${INTRODUCTION}\n${markdownTable(['Code', 'Status', 'Text'], rows)}`;
}
