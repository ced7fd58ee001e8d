import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import styles from './dialog.module.css';

interface Props {
  readonly title: string;
  /** `alertdialog` for a question that must be answered. */
  readonly role?: 'dialog' | 'alertdialog';
  readonly children: ReactNode;
  /** The buttons at the foot. */
  readonly actions: ReactNode;
  /** Whether Escape leaves it open: it shows something that is not shown again. */
  readonly keepsOpen?: boolean;
  readonly onClose: () => void;
}

/**
 * A modal dialog. Escape and its buttons close it, a click beside it does not: what was typed would
 * be lost. Load it lazily: it is not part of a first view.
 */
export function Dialog(props: Props) {
  const { title, role = 'dialog', children, actions, keepsOpen = false, onClose } = props;
  useReturnOfFocus();
  return (
    <ModalOverlay
      isOpen
      isKeyboardDismissDisabled={keepsOpen}
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
          <Content>{children}</Content>
          <div className={styles['actions']}>{actions}</div>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

let opened = 0;
let opener: Element | null = null;

/** After a sequence of dialogs, the focus returns to the element that opened the first. */
function useReturnOfFocus(): void {
  useLayoutEffect(() => {
    opened += 1;
    const { activeElement } = document;
    if (opened === 1 && activeElement !== document.body) opener = activeElement;
    return () => {
      opened -= 1;
      // Runs after react-aria has restored the focus itself.
      requestAnimationFrame(() => requestAnimationFrame(returnFocus));
    };
  }, []);
}

function returnFocus(): void {
  const isLost = opened === 0 && document.activeElement === document.body;
  if (isLost && opener instanceof HTMLElement && opener.isConnected) opener.focus();
}

const FIELDS = 'input:not([readonly], :disabled), textarea, select';

/** Puts the focus into the first field; without one the dialog itself has it. */
function Content({ children }: { readonly children: ReactNode }) {
  const content = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const fields = [...(content.current?.querySelectorAll<HTMLInputElement>(FIELDS) ?? [])];
    // In a group of radio buttons, the checked one.
    const first = fields.find(({ type, checked }) => type !== 'radio' || checked);
    first?.focus();
  }, []);
  return (
    <div ref={content} className={styles['content']}>
      {children}
    </div>
  );
}
