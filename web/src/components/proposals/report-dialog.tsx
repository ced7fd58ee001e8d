import { UNDO_MS } from '../../api/held-actions.ts';
import type { ReportableC2 } from '../../api/reportable-c2.ts';
import { defang } from '../../text/defang.ts';
import { count } from '../../text/format.ts';
import { Button } from '../button.tsx';
import { Dialog } from '../overlays/dialog.tsx';
import { byService, type ServiceShare } from './by-service.ts';
import styles from './proposals.module.css';

interface Props {
  readonly proposals: readonly ReportableC2[];
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** The addresses of a service that are shown at once. */
const SHOWN = 8;

/** Shows what goes to which service, and asks. Loaded when it is opened. */
export default function ReportDialog({ proposals, onConfirm, onClose }: Props) {
  const shares = byService(proposals);
  const reports = count(proposals.length, 'report');
  return (
    <Dialog
      title={`Send ${reports} to ${count(shares.length, 'service')}?`}
      role="alertdialog"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" onClick={onConfirm}>
            Send {reports}
          </Button>
        </>
      }
    >
      {shares.map((share) => (
        <Share key={share.service} share={share} />
      ))}
      <p className={styles['quiet']}>
        They are sent after {UNDO_MS / 1000} seconds; until then you can undo. If you leave the
        page, they are sent at once.
      </p>
    </Dialog>
  );
}

function Share({ share: { service, addresses, reports } }: { readonly share: ServiceShare }) {
  const more = addresses.slice(SHOWN);
  return (
    <section className={styles['share']} aria-label={`To ${service}`}>
      <h3>
        {service}: {count(reports, 'report')}
      </h3>
      <Addresses addresses={addresses.slice(0, SHOWN)} />
      {more.length > 0 && (
        <details>
          <summary>{count(more.length, 'more address', 'more addresses')}</summary>
          <Addresses addresses={more} />
        </details>
      )}
    </section>
  );
}

function Addresses({ addresses }: { readonly addresses: readonly string[] }) {
  return (
    <ul className={styles['addresses']}>
      {addresses.map((address) => (
        <li key={address}>{defang(address)}</li>
      ))}
    </ul>
  );
}
