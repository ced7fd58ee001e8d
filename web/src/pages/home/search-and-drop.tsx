import { DropZone } from '../../components/drop-zone.tsx';
import { SearchBox } from '../../components/search/search-box.tsx';
import styles from './home-page.module.css';
import { useUpload } from './use-upload.ts';

/** The search, on which files can be dropped too, unless the page has an area for them. */
export function SearchAndDrop({ takesFiles }: { readonly takesFiles: boolean }) {
  const upload = useUpload();
  const search = (
    <div className={styles['search']}>
      <SearchBox size="large" />
    </div>
  );
  if (!takesFiles) return <div className={styles['alone']}>{search}</div>;
  return (
    <DropZone onFiles={upload} look="quiet">
      {search}
      <p className={styles['hint']}>Or drop files here to have them analysed</p>
    </DropZone>
  );
}
