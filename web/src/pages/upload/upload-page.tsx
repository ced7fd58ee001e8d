import { useSyncExternalStore } from 'react';
import { isResearcher, useMe } from '../../api/session.ts';
import { uploads } from '../../api/upload/upload-queue.ts';
import { Button } from '../../components/button.tsx';
import { DropZone } from '../../components/drop-zone.tsx';
import { Page, Section } from '../../components/page.tsx';
import { NoPermission } from '../../components/states.tsx';
import { count } from '../../text/format.ts';
import styles from './upload-page.module.css';
import { UploadRow } from './upload-row.tsx';

/** Many files at once: each is hashed in the browser, and sent only if the server lacks it. */
export function UploadPage() {
  const items = useSyncExternalStore(uploads.subscribe, () => uploads.items);
  if (!isResearcher(useMe()))
    return (
      <Page title="Upload">
        <NoPermission need="the role researcher" helper="An administrator can give it to you." />
      </Page>
    );
  const ended = items.filter(({ step }) => step === 'done' || step === 'failed').length;
  return (
    <Page title="Upload">
      <DropZone onFiles={(files) => uploads.add(files)}>
        <p className={styles['invitation']}>Drop files here</p>
        <p className={styles['quiet']}>
          They are analysed without being run. Files that are known already are not sent. Uploads
          cost no lookups.
        </p>
      </DropZone>
      {items.length > 0 && (
        <Section
          title={`${ended} of ${count(items.length, 'file')} done`}
          aside={
            ended > 0 && (
              <Button size="small" look="quiet" onClick={() => uploads.clearEnded()}>
                Clear the list
              </Button>
            )
          }
        >
          <ul className={styles['list']}>
            {items.map((item) => (
              <UploadRow key={item.id} item={item} />
            ))}
          </ul>
        </Section>
      )}
    </Page>
  );
}
