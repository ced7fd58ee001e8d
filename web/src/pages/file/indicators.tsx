import { Link, useNavigate } from '@tanstack/react-router';
import { client } from '../../api/client.ts';
import { isResearcher, useMe } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { CopyMenu, pageOf } from '../../components/identifiers/address.tsx';
import { showError, showToast } from '../../components/overlays/toasts.tsx';
import { Section } from '../../components/page.tsx';
import { defang, defangLink } from '../../text/defang.ts';
import { brief, excerpt, visible } from '../../text/visible.ts';
import type { LookedUpFile } from './file.ts';
import styles from './file-page.module.css';
import { addressOfIndicator } from './indicator-address.ts';

const SHOWN = 500;
const SHOWN_LENGTH = 300;

/** Addresses in the bytes: each can be copied and reported, and leads to what is known of it. */
export function Indicators({ file: { report, details } }: { readonly file: LookedUpFile }) {
  const { indicators } = details;
  const mayReport = isResearcher(useMe());
  const hasMembers = indicators.some(({ member }) => member !== undefined);
  return (
    <Section
      title="Addresses in the bytes"
      aside={<span className={styles['quiet']}>They were not contacted.</span>}
    >
      <div className={styles['scroll']}>
        <table className={`${styles['table']} ${styles['indicators']}`}>
          <thead>
            <tr>
              <th scope="col">Kind</th>
              <th scope="col">Value</th>
              <th scope="col">Offset</th>
              {hasMembers && <th scope="col">In</th>}
              {mayReport && (
                <th scope="col">
                  <span className="visually-hidden">Report</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {indicators.slice(0, SHOWN).map((indicator) => {
              const { kind, value, offset, member } = indicator;
              const found = addressOfIndicator(indicator);
              return (
                <tr key={`${kind} ${value} ${offset} ${member}`}>
                  <td>{brief(kind)}</td>
                  <td>
                    <Value value={value} address={found?.address} />
                  </td>
                  <td className={styles['number']}>0x{offset.toString(16)}</td>
                  {hasMembers && <td>{brief(member ?? '')}</td>}
                  {mayReport && (
                    <td>
                      {found?.hasPort && (
                        <Report address={found.address} sha256={report.sha256Hash} />
                      )}
                    </td>
                  )}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </Section>
  );
}

interface ValueProps {
  readonly value: string;
  /** Absent for wallets, tokens and the like. */
  readonly address: string | undefined;
}

function Value({ value, address }: ValueProps) {
  const defanged = /^https?:/i.test(value) ? defangLink(value) : defang(value);
  const shown = visible(excerpt(defanged, SHOWN_LENGTH).text);
  return (
    <span className={styles['value']}>
      <code>
        {address === undefined ? (
          shown
        ) : (
          <Link {...pageOf(address)} preload={false}>
            {shown}
          </Link>
        )}
      </code>
      <CopyMenu value={value} shown={defanged} />
    </span>
  );
}

/** Asks for the feed of the address only when it is used: a file has hundreds. */
function Report({ address, sha256 }: { readonly address: string; readonly sha256: string }) {
  const navigate = useNavigate();
  const report = async () => {
    try {
      const { feed } = await client.route(address);
      const search = { c2: address, hash: sha256 };
      if (feed !== null)
        await navigate({ to: '/feeds/$service/new', params: { service: feed }, search });
      else showToast({ text: `Nobody can answer for ${defang(address)}.` });
    } catch (error) {
      showError(error);
    }
  };
  return (
    <Button size="small" aria-label={`Report ${defang(address)}`} onClick={() => void report()}>
      Report
    </Button>
  );
}
