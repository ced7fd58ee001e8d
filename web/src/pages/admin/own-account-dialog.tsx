import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/overlays/dialog.tsx';
import { visible } from '../../text/visible.ts';

interface Props {
  readonly name: string;
  readonly onClose: () => void;
}

/** Instead of the question whether to disable the own account. Loaded when it is opened. */
export default function OwnAccountDialog({ name, onClose }: Props) {
  return (
    <Dialog
      title="You cannot disable your own account"
      onClose={onClose}
      actions={
        <Button look="primary" onClick={onClose}>
          Close
        </Button>
      }
    >
      <p>
        Nobody might be left who can enable it again. Ask another administrator to disable it, or
        run this on the server:
      </p>
      <p>
        <code>rapsheet account set {JSON.stringify(visible(name))} --disable</code>
      </p>
    </Dialog>
  );
}
