import type { ReactNode } from 'react';
import { Button } from '../button.tsx';
import { SecretOnce } from '../identifiers/secret-once.tsx';
import { Dialog } from './dialog.tsx';

interface Props {
  readonly title: string;
  readonly secret: string;
  /** `token`, `link`, `secret`. */
  readonly what: string;
  /** What it is for. */
  readonly children?: ReactNode;
  readonly onClose: () => void;
}

/** A secret that the server does not show again. Loaded when it is shown. */
export default function SecretDialog({ title, secret, what, children, onClose }: Props) {
  return (
    <Dialog
      title={title}
      keepsOpen
      onClose={onClose}
      actions={
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      {children}
      <SecretOnce secret={secret} what={what} />
    </Dialog>
  );
}
