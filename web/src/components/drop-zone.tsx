import { type ReactNode, useRef, useState } from 'react';
import { Button } from './button.tsx';
import styles from './drop-zone.module.css';

interface Props {
  readonly onFiles: (files: readonly File[]) => void;
  readonly children?: ReactNode;
  /** `quiet` has no frame until files are dragged over it. */
  readonly look?: 'plain' | 'quiet';
}

/** An area on which files are dropped, with a button that opens the browser's dialog. */
export function DropZone({ onFiles, children, look = 'plain' }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button does the same by keyboard
    <div
      className={`${styles['zone']} ${styles[look]} ${isOver ? styles['over'] : ''}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        onFiles([...event.dataTransfer.files]);
      }}
    >
      {children}
      <Button size={look === 'quiet' ? 'small' : 'normal'} onClick={() => input.current?.click()}>
        Choose files
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          target.value = '';
        }}
      />
    </div>
  );
}
