import { Button } from '../button.tsx';
import { Dialog } from './dialog.tsx';

interface Props {
  readonly title: string;
  /** What happens, and whether it can be undone. */
  readonly text: string;
  /** The label of the button that does it. */
  readonly action: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** A question before something that cannot be undone. Loaded when it is asked. */
export default function Question({ title, text, action, onConfirm, onClose }: Props) {
  return (
    <Dialog
      title={title}
      role="alertdialog"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" onClick={onConfirm}>
            {action}
          </Button>
        </>
      }
    >
      <p>{text}</p>
    </Dialog>
  );
}
