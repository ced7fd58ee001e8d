import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import styles from './dialog.module.css';

interface Props {
  readonly title: string;
  /** `alertdialog` for a question that must be answered. */
  readonly role?: 'dialog' | 'alertdialog';
  readonly children: ReactNode;
  /** The buttons at the foot. */
  readonly actions: ReactNode;
  readonly onClose: () => void;
}

/** A modal dialog. Load it lazily: it is not part of a first view. */
export function Dialog({ title, role = 'dialog', children, actions, onClose }: Props) {
  return (
    <ModalOverlay
      isOpen
      isDismissable={role === 'dialog'}
      className={styles['overlay'] ?? ''}
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
    >
      <Modal className={styles['modal'] ?? ''}>
        <AriaDialog role={role} className={styles['dialog'] ?? ''}>
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          {children}
          <div className={styles['actions']}>{actions}</div>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}
