import { isResearcher, useMe } from '../../api/session.ts';
import { hasEnded, uploads } from '../../api/upload/upload-queue.ts';
import { useStore } from '../../api/use-store.ts';
import { Button } from '../../components/button.tsx';
import { DropZone } from '../../components/drop-zone.tsx';
import { Page, Section } from '../../components/page.tsx';
import { NoPermission } from '../../components/states.tsx';
import { count } from '../../text/format.ts';
import { EarlierFiles } from './earlier-files.tsx';
import styles from './upload-page.module.css';
import { ReportAll } from './upload-proposals.tsx';
import { UploadRow } from './upload-row.tsx';

const SHOWN = 300;

/** Many files at once: each is hashed in the browser, and sent only if the server lacks it. */
export function UploadPage() {
  const items = useStore(uploads.items);
  const me = useMe();
  if (!isResearcher(me))
    return (
      <Page title="Upload">
        <NoPermission need="the role researcher" helper="An administrator can give it to you." />
      </Page>
    );
  const ended = items.filter(({ step }) => hasEnded(step)).length;
  const failed = items.filter(({ step }) => step === 'failed').length;
  return (
    <Page title="Upload">
      <DropZone onFiles={(files) => uploads.add(files)}>
        <p className={styles['invitation']}>Drop files or folders here</p>
        <p className={styles['quiet']}>
          Each is hashed in your browser; files that are known already are not sent. They are
          analysed without being run. Uploads cost no units.
        </p>
        <p className={styles['quiet']}>
          Every account can read the name of a file and search for it: the name that its first
          upload had.
        </p>
      </DropZone>
      {items.length === 0 && <Steps />}
      {items.length > 0 && (
        <Section
          title={`${ended} of ${count(items.length, 'file')} done${failed > 0 ? `, ${failed} failed` : ''}`}
          aside={
            <span className={styles['actions']}>
              <ReportAll items={items.slice(0, SHOWN)} />
              {ended < items.length && (
                <Button size="small" look="quiet" onClick={() => uploads.cancelAll()}>
                  Cancel all
                </Button>
              )}
              {ended > 0 && (
                <Button size="small" look="quiet" onClick={() => uploads.clearEnded()}>
                  Clear the list
                </Button>
              )}
            </span>
          }
        >
          <progress
            className={styles['total']}
            aria-label="Files done"
            max={items.length}
            value={ended}
          />
          <ul className={styles['list']}>
            {items.slice(0, SHOWN).map((item) => (
              <UploadRow key={item.id} item={item} />
            ))}
          </ul>
          {items.length > SHOWN && (
            <p className={styles['quiet']}>and {items.length - SHOWN} more</p>
          )}
          <p className={styles['quiet']}>
            Opening a file costs one unit. Uploads go on while you look at other pages of this tab.
          </p>
        </Section>
      )}
      <EarlierFiles account={me.id} shown={new Set(items.map(({ sha256 }) => sha256))} />
    </Page>
  );
}

/** Explains what happens to a file, while the list is empty. */
function Steps() {
  return (
    <ol className={styles['steps']}>
      <li>
        <b>Upload</b>
        <span>
          Executables, scripts, documents and archives, including those with the usual passwords.
        </span>
      </li>
      <li>
        <b>Read the result</b>
        <span>Family, settings and C2 addresses, with the evidence for each.</span>
      </li>
      <li>
        <b>Report</b>
        <span>For each C2 address in the settings of the file, a report is proposed below it.</span>
      </li>
    </ol>
  );
}
