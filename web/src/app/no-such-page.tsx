import { LinkButton } from '../components/link-button.tsx';
import { Page } from '../components/page.tsx';
import { Empty } from '../components/states.tsx';

export function NoSuchPage() {
  return (
    <Page title="No such page">
      <Empty title="Nothing is here" action={<LinkButton to="/">Go to the start</LinkButton>}>
        <p>
          The address may be mistyped, or the page has moved. The search finds hashes, addresses,
          tags and families.
        </p>
      </Empty>
    </Page>
  );
}
