import { type ReactNode, useRef, useState } from 'react';
import { Button } from './button.tsx';
import styles from './drop-zone.module.css';
import { readDropped } from './dropped-files.ts';

interface Props {
  readonly onFiles: (files: readonly File[]) => void;
  readonly children?: ReactNode;
  /** `quiet` has no frame until files are dragged over it, and no button for folders. */
  readonly look?: 'plain' | 'quiet';
}

/** An area on which files and folders are dropped, with buttons that open the browser's dialog. */
export function DropZone({ onFiles, children, look = 'plain' }: Props) {
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const take = ({ target }: { target: HTMLInputElement }) => {
    onFiles([...(target.files ?? [])]);
    target.value = '';
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the buttons do the same by keyboard
    <div
      className={`${styles['zone']} ${styles[look] ?? ''} ${isOver ? styles['over'] : ''}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void readDropped(event.dataTransfer).then(onFiles);
      }}
    >
      {children}
      <div className={styles['buttons']}>
        <Button
          look={look === 'quiet' ? 'plain' : 'primary'}
          size={look === 'quiet' ? 'small' : 'normal'}
          onClick={() => files.current?.click()}
        >
          Choose files
        </Button>
        {look === 'plain' && (
          <Button onClick={() => folder.current?.click()}>Choose a folder</Button>
        )}
      </div>
      <input ref={files} type="file" multiple hidden aria-label="Files to upload" onChange={take} />
      <input
        ref={folder}
        type="file"
        webkitdirectory=""
        hidden
        aria-label="Folder to upload"
        onChange={take}
      />
    </div>
  );
}

declare module 'react' {
  interface InputHTMLAttributes<T> {
    /** Chooses a folder with all files in it. React's types lack it. */
    webkitdirectory?: T extends HTMLInputElement ? '' : never;
  }
}
