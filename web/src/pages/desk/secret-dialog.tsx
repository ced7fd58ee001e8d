import type { ReactNode } from 'react';
import { Button } from '../../components/button.tsx';
import { SecretOnce } from '../../components/identifiers/secret-once.tsx';
import { Dialog } from '../../components/overlays/dialog.tsx';

interface Props {
  readonly title: string;
  readonly secret: string;
  readonly children?: ReactNode;
  readonly onClose: () => void;
}

/** The signing secret of a webhook, shown once. */
export default function SecretDialog({ title, secret, children, onClose }: Props) {
  return (
    <Dialog title={title} onClose={onClose} actions={<Button onClick={onClose}>Done</Button>}>
      {children}
      <SecretOnce secret={secret} what="secret" />
    </Dialog>
  );
}
