import { RapsheetError } from '../../../../src/client/error.ts';
import { Button } from '../../components/button.tsx';
import { Section } from '../../components/page.tsx';
import { Empty, Failure, NoPermission, Skeleton } from '../../components/states.tsx';
import { Example, Examples } from './example.tsx';

const FAILURES: Readonly<Record<string, unknown>> = {
  'no answer': new RapsheetError('', { code: 'no_answer' }),
  refused: new RapsheetError('"q" must be a text of 1 to 200 visible characters.', {
    code: 'invalid_request',
    status: 400,
    requestId: '01a1e320-09d3',
  }),
  'no permission': new RapsheetError('Only owners of the feed may do this.', {
    code: 'forbidden',
    status: 403,
  }),
  'not found': new RapsheetError('There is no such report.', { code: 'not_found', status: 404 }),
  'no units left': new RapsheetError('The quota is used up until 2026-11-17T00:00:00Z.', {
    code: 'quota_exhausted',
    status: 429,
  }),
  'server failed': new RapsheetError('The server could not answer.', {
    code: 'internal',
    status: 500,
    requestId: '01a1e320-09d3',
  }),
  defect: new Error('a defect'),
};

export function StateExamples() {
  return (
    <Section title="States">
      <Examples>
        <Example name="Loading">
          <Skeleton lines={5} label="Loading the example" />
        </Example>
        <Example name="Empty">
          <Empty title="No tokens" action={<Button>New token</Button>}>
            <p>A token lets a program call the API as you. It is shown once.</p>
          </Empty>
        </Example>
        <Example name="No permission">
          <NoPermission need="the role admin" helper="An administrator can give it to you." />
        </Example>
        {Object.entries(FAILURES).map(([name, error]) => (
          <Example key={name} name={`Failure: ${name}`}>
            <Failure error={error} onRetry={() => undefined} />
          </Example>
        ))}
      </Examples>
    </Section>
  );
}
