import { Button } from '../components/button.tsx';
import { Dialog } from '../components/overlays/dialog.tsx';
import styles from './shortcuts.module.css';

interface Shortcut {
  readonly keys: readonly string[];
  readonly action: string;
}

const SHORTCUTS: Readonly<Record<string, readonly Shortcut[]>> = {
  Everywhere: [
    { keys: ['/'], action: 'Search' },
    { keys: ['?'], action: 'Show the shortcuts' },
    { keys: ['Esc'], action: 'Close, or leave a field' },
    { keys: ['u'], action: 'Undo reporting all proposals' },
  ],
  Desk: [
    { keys: ['j', 'k'], action: 'Next and previous report' },
    { keys: ['a'], action: 'Acknowledge' },
    { keys: ['t'], action: 'Taken down' },
    { keys: ['r'], action: 'Reject with a reason' },
    { keys: ['x'], action: 'Select' },
    { keys: ['o'], action: 'Show or hide the reports of one C2' },
    { keys: ['u'], action: 'Undo' },
  ],
};

/** Loaded when it is opened. */
export default function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Shortcuts" onClose={onClose} actions={<Button onClick={onClose}>Close</Button>}>
      {Object.entries(SHORTCUTS).map(([group, shortcuts]) => (
        <section key={group} className={styles['group']}>
          <h3>{group}</h3>
          <dl className={styles['list']}>
            {shortcuts.map(({ keys, action }) => (
              <div key={action} className={styles['row']}>
                <dt>
                  {keys.map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dt>
                <dd>{action}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}
