import { CopyButton } from './copy-button.tsx';
import styles from './secret-once.module.css';

interface Props {
  readonly secret: string;
  /** `token`, `link`, `secret`. */
  readonly what: string;
}

/** A secret that the server does not show again. */
export function SecretOnce({ secret, what }: Props) {
  return (
    <>
      <p>Copy it now: the {what} is not shown again.</p>
      <div className={styles['secret']}>
        <code>{secret}</code>
        <CopyButton text={secret} what={what} />
      </div>
    </>
  );
}
