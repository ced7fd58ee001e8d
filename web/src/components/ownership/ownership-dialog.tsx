import { Button } from '../button.tsx';
import { Dialog } from '../overlays/dialog.tsx';
import Ownership from './ownership.tsx';

interface Props {
  readonly service: string;
  readonly onClose: () => void;
}

/** Loaded when it is opened. */
export default function OwnershipDialog({ service, onClose }: Props) {
  return (
    <Dialog
      title={`Hosts of ${service}`}
      onClose={onClose}
      actions={<Button onClick={onClose}>Close</Button>}
    >
      <Ownership
        service={service}
        advice="Edit the service and add its hosts: then it can prove them."
      />
    </Dialog>
  );
}
