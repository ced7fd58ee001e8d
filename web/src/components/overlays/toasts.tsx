import { X } from 'lucide-react';
import { Store } from '../../api/store.ts';
import { useStore } from '../../api/use-store.ts';
import { explain } from '../../text/explain.ts';
import { Button, IconButton } from '../button.tsx';
import styles from './toasts.module.css';

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isError?: boolean;
  /** An action such as undo. It closes the message. */
  readonly action?: { readonly label: string; readonly run: () => void };
}

const SHOWN_MS = 6000;
const toasts = new Store<readonly Toast[]>([]);
let lastId = 0;

/** Shows a message for some seconds; an error stays until it is closed. Returns its id. */
export function showToast(toast: Omit<Toast, 'id'>, shownMs = SHOWN_MS): number {
  lastId += 1;
  const id = lastId;
  toasts.set([...toasts.value.slice(-3), { ...toast, id }]);
  if (toast.isError !== true) setTimeout(() => closeToast(id), shownMs);
  return id;
}

/** Shows why something failed. */
export function showError(error: unknown): void {
  showToast({ text: explain(error).text, isError: true });
}

export function closeToast(id: number): void {
  toasts.set(toasts.value.filter((toast) => toast.id !== id));
}

/** The messages, at the foot of the screen. */
export function Toasts() {
  const shown = useStore(toasts);
  return (
    <section className={styles['toasts']} aria-live="polite" aria-label="Messages">
      {shown.map(({ id, text, isError, action }) => (
        <div key={id} className={`${styles['toast']} ${isError === true ? styles['error'] : ''}`}>
          <span className={styles['text']}>{text}</span>
          {action !== undefined && (
            <Button
              size="small"
              onClick={() => {
                closeToast(id);
                action.run();
              }}
            >
              {action.label}
            </Button>
          )}
          <IconButton
            size="small"
            label="Close"
            icon={<X aria-hidden />}
            onClick={() => closeToast(id)}
          />
        </div>
      ))}
    </section>
  );
}
