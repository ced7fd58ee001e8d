import { type FormEvent, type ReactNode, useId } from 'react';
import { Button } from '../button.tsx';
import styles from './dialog.module.css';
import { Dialog } from './dialog.tsx';

interface Props {
  readonly title: string;
  /** The label of the button that sends the form, which Enter does too. */
  readonly action: string;
  readonly look?: 'primary' | 'danger';
  /** Whether the form can be sent: complete, and not being sent already. */
  readonly isReady?: boolean;
  /** Why it was refused, if no field is to blame. */
  readonly problem?: string | undefined;
  readonly children: ReactNode;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
}

/** A dialog with a form. Load it lazily: it is not part of a first view. */
export function FormDialog(props: Props) {
  const {
    title,
    action,
    look = 'primary',
    isReady = true,
    problem,
    children,
    onSubmit,
    onClose,
  } = props;
  const id = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady) onSubmit();
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          {/* Not `disabled`: the focus would be lost while the form is sent. */}
          <Button type="submit" form={id} look={look} aria-disabled={!isReady}>
            {action}
          </Button>
        </>
      }
    >
      <form id={id} className={styles['form']} onSubmit={submit}>
        {children}
        {problem !== undefined && (
          <p role="alert" className={styles['problem']}>
            {problem}
          </p>
        )}
      </form>
    </Dialog>
  );
}
