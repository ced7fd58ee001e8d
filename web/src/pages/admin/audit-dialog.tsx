import type { AuditEntry } from '../../../../src/client/wire.ts';
import { Button } from '../../components/button.tsx';
import { FactList } from '../../components/fact-list.tsx';
import { Time } from '../../components/marks/time.tsx';
import { Dialog } from '../../components/overlays/dialog.tsx';
import { visible } from '../../text/visible.ts';
import { detailText } from './detail-text.ts';

interface Props {
  readonly entry: AuditEntry;
  readonly onClose: () => void;
}

/** Loaded when it is opened. */
export default function AuditDialog({ entry, onClose }: Props) {
  const { id, at, actor, action, subject, detail } = entry;
  return (
    <Dialog title={action} onClose={onClose} actions={<Button onClick={onClose}>Close</Button>}>
      <FactList
        facts={[
          { name: 'When', value: <Time at={at} isFull /> },
          { name: 'Actor', value: visible(actor) },
          { name: 'Subject', value: visible(subject) },
          ...Object.entries(detail).map(([name, value]) => ({
            name: visible(name),
            value: <code>{visible(detailText(value))}</code>,
          })),
          { name: 'Entry', value: String(id) },
        ]}
      />
    </Dialog>
  );
}
