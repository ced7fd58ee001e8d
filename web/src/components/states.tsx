import { type ReactNode, useEffect, useState } from 'react';
import { explain } from '../text/explain.ts';
import { Button } from './button.tsx';
import { LinkButton } from './link-button.tsx';
import styles from './states.module.css';

export { explain };

const LATE_MS = 200;

/** Shows its content only if loading takes noticeable time: a quick answer must not flicker. */
function Late({ children }: { readonly children: ReactNode }) {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), LATE_MS);
    return () => clearTimeout(timer);
  }, []);
  return isLate ? children : <div className={styles['early']}>{children}</div>;
}

interface SkeletonProps {
  /** The number of lines. */
  readonly lines?: number;
  /** What is loading, read aloud. */
  readonly label?: string;
}

/** Grey lines in the layout of what is loading. */
export function Skeleton({ lines = 3, label = 'Loading' }: SkeletonProps) {
  return (
    <Late>
      <div role="status" aria-label={label} className={styles['skeleton']}>
        {Array.from({ length: lines }, (_, line) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines are alike and never move
          <span key={line} className={styles['line']} />
        ))}
      </div>
    </Late>
  );
}

interface EmptyProps {
  readonly title: string;
  /** What it is for, and what to do next. */
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

export function Empty({ title, children, action }: EmptyProps) {
  return (
    <div className={styles['panel']}>
      <h2>{title}</h2>
      {children !== undefined && <div className={styles['text']}>{children}</div>}
      {action !== undefined && <div className={styles['actions']}>{action}</div>}
    </div>
  );
}

interface FailureProps {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
}

/** What happened, what to do, and the id for support. */
export function Failure({ error, onRetry }: FailureProps) {
  const { title, text, requestId, isFinal } = explain(error);
  return (
    <div role="alert" className={`${styles['panel']} ${styles['failure']}`}>
      <h2>{title}</h2>
      <p className={styles['text']}>{text}</p>
      {requestId !== undefined && (
        <p className={styles['id']}>
          Request id for the operator: <code>{requestId}</code>
        </p>
      )}
      {onRetry !== undefined && (
        <div className={styles['actions']}>
          {isFinal ? (
            <LinkButton to="/">Start page</LinkButton>
          ) : (
            <Button onClick={onRetry}>Try again</Button>
          )}
        </div>
      )}
    </div>
  );
}

/** For a page that needs a role or the ownership of a feed. */
export function NoPermission({ need, helper }: { readonly need: string; readonly helper: string }) {
  return (
    <Empty title="This page is not for your account">
      <p>
        It needs {need}. {helper}
      </p>
    </Empty>
  );
}
