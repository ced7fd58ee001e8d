import { Page } from '../../components/page.tsx';
import { Empty } from '../../components/states.tsx';

export function UploadPage() {
  return (
    <Page title="Upload">
      <Empty title="Upload" />
    </Page>
  );
}
