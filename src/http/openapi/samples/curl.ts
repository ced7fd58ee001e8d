import { type ExampleRequest, exampleTarget } from './example-request.ts';

/** Answers that a terminal cannot show, with the name of the file to save. */
const FILES: Readonly<Record<string, string>> = { 'application/zip': 'sample.zip' };

export function curlSample(request: ExampleRequest): string {
  const { method, body, needsToken, answerType } = request;
  const file = FILES[answerType];
  const options = [
    ...(method === 'GET' || (method === 'POST' && body !== undefined) ? [] : [`-X ${method}`]),
    ...(answerType === 'text/event-stream' ? ['-N'] : []),
    ...(file === undefined ? [] : [`-o ${file}`]),
    ...(needsToken ? ['-H "Authorization: $RAPSHEET_TOKEN"'] : []),
    ...bodyOptions(body),
  ];
  const url = `"$RAPSHEET_URL${exampleTarget(request, (name) => `$${name}`)}"`;
  return (
    ['curl', ...options, url].reduce(
      (text, part, index) =>
        index < 2 ? `${text}${index ? ' ' : ''}${part}` : `${text} \\\n  ${part}`,
      '',
    ) + inputOf(body)
  );
}

function bodyOptions(body: ExampleRequest['body']): readonly string[] {
  if (body === undefined) return [];
  if (body.type === 'multipart/form-data') return ['-F file=@sample.bin'];
  return [`-H 'Content-Type: ${body.type}'`, '--data-binary @-'];
}

/** A here-document, in which no character needs an escape. */
function inputOf(body: ExampleRequest['body']): string {
  if (body === undefined || body.type === 'multipart/form-data') return '';
  const { value = {} } = body;
  const text = typeof value === 'string' ? value : `${JSON.stringify(value, null, 2)}\n`;
  return ` <<'END'\n${text}END`;
}
