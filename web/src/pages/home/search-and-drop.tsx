import { useNavigate } from '@tanstack/react-router';
import { isResearcher, useMe } from '../../api/session.ts';
import { DropZone } from '../../components/drop-zone.tsx';
import { SearchBox } from '../../components/search/search-box.tsx';
import styles from './home-page.module.css';

/** The search, on which files can be dropped too. */
export function SearchAndDrop() {
  const navigate = useNavigate();
  const me = useMe();
  if (!isResearcher(me))
    return (
      <div className={styles['alone']}>
        <div className={styles['search']}>
          <SearchBox size="large" />
        </div>
      </div>
    );
  const upload = async (files: readonly File[]) => {
    if (files.length === 0) return;
    const { uploads } = await import('../../api/upload/upload-queue.ts');
    uploads.add(files);
    await navigate({ to: '/upload' });
  };
  return (
    <DropZone onFiles={(files) => void upload(files)} look="quiet">
      <div className={styles['search']}>
        <SearchBox size="large" />
      </div>
      <p className={styles['hint']}>Or drop files here to have them analysed</p>
    </DropZone>
  );
}
