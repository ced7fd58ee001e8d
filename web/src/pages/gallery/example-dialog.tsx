import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { Dialog } from '../../components/overlays/dialog.tsx';

/** Loaded when it is opened, as all dialogs are. */
export default function ExampleDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog
      title="New token"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" onClick={onClose}>
            Create
          </Button>
        </>
      }
    >
      <TextField label="Label" hint="What will use it, such as: nightly import" />
    </Dialog>
  );
}
