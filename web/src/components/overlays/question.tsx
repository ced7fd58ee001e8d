import { useState } from 'react';
import { Button } from '../button.tsx';
import { CheckBox } from '../field.tsx';
import { Dialog } from './dialog.tsx';

interface Props {
  readonly title: string;
  /** What happens, and whether it can be undone. */
  readonly text: string;
  /** The label of the button that does it. */
  readonly action: string;
  /** The label of a check box: something that may be done too. */
  readonly option?: string;
  readonly onConfirm: (isOptionChosen: boolean) => void;
  readonly onClose: () => void;
}

/** A question before something that cannot be undone. Loaded when it is asked. */
export default function Question({ title, text, action, option, onConfirm, onClose }: Props) {
  const [isChosen, setChosen] = useState(false);
  return (
    <Dialog
      title={title}
      role="alertdialog"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" onClick={() => onConfirm(isChosen)}>
            {action}
          </Button>
        </>
      }
    >
      <p>{text}</p>
      {option !== undefined && (
        <CheckBox
          label={option}
          checked={isChosen}
          onChange={({ target }) => setChosen(target.checked)}
        />
      )}
    </Dialog>
  );
}
