import { Page } from '../../components/page.tsx';
import { Empty } from '../../components/states.tsx';

export function GalleryPage() {
  return (
    <Page title="Gallery">
      <Empty title="Gallery" />
    </Page>
  );
}
