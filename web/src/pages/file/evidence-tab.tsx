import { Heat } from '../../components/marks/heat.tsx';
import { Section } from '../../components/page.tsx';
import { Empty } from '../../components/states.tsx';
import { brief } from '../../text/visible.ts';
import type { LookedUpFile } from './file.ts';
import styles from './file-page.module.css';
import { Indicators } from './indicators.tsx';
import { IMPORTED } from './verdict.ts';

const SHOWN = 500;

/** Each tag with the rule or parser that gave it, and where. */
export function EvidenceTab({ file }: { readonly file: LookedUpFile }) {
  const { details, isImported } = file;
  const { indicators } = details;
  const evidence = details.evidence.toSorted((one, other) => other.heat - one.heat);
  const hasMembers = evidence.some(({ member }) => member !== undefined);
  if (evidence.length === 0 && indicators.length === 0)
    return (
      <Empty title="No evidence">
        <p>{isImported ? IMPORTED : 'No parser or rule found anything of note.'}</p>
      </Empty>
    );
  return (
    <>
      <Section
        title="Findings"
        aside={
          <span className={styles['quiet']}>Each tag with the rule or parser that gave it</span>
        }
      >
        <div className={styles['scroll']}>
          <table className={`${styles['table']} ${styles['findings']}`}>
            <thead>
              <tr>
                <th scope="col">Tag</th>
                <th scope="col">Found by</th>
                <th scope="col">Offset</th>
                <th scope="col">Note</th>
                {hasMembers && <th scope="col">In</th>}
              </tr>
            </thead>
            <tbody>
              {evidence.slice(0, SHOWN).map((one, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
                <tr key={index}>
                  <td>
                    <Heat name={one.tag} heat={one.heat} />
                  </td>
                  <td>{brief(one.source)}</td>
                  <td className={styles['number']}>
                    {one.offset === undefined ? '' : `0x${one.offset.toString(16)}`}
                  </td>
                  <td>{brief(one.note ?? '')}</td>
                  {hasMembers && <td>{brief(one.member ?? '')}</td>}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </Section>
      {indicators.length > 0 && <Indicators file={file} />}
    </>
  );
}
