import { Hash } from '../../components/identifiers/hash.tsx';
import { Section } from '../../components/page.tsx';
import { Empty } from '../../components/states.tsx';
import { count, formatBytes } from '../../text/format.ts';
import { brief } from '../../text/visible.ts';
import type { LookedUpFile } from './file.ts';
import styles from './file-page.module.css';
import { IMPORTED } from './verdict.ts';

/** The parts of a path through containers are joined by this. */
const STEP = ' → ';

/** The members of containers, as a tree. */
export function InsideTab({ file: { details, isImported } }: { readonly file: LookedUpFile }) {
  const { members } = details;
  if (members.length === 0)
    return (
      <Empty title={isImported ? 'Members are not known' : 'Nothing is inside'}>
        <p>{isImported ? IMPORTED : 'The file is no container, or it is empty.'}</p>
      </Empty>
    );
  return (
    <Section
      title={count(members.length, 'member')}
      aside={<span className={styles['quiet']}>Opening one costs one unit.</span>}
    >
      <div className={styles['scroll']}>
        <table className={`${styles['table']} ${styles['members']}`}>
          <thead>
            <tr>
              <th scope="col">Member</th>
              <th scope="col">Type</th>
              <th scope="col">Size</th>
              <th scope="col">SHA-256</th>
            </tr>
          </thead>
          <tbody>
            {members.map(({ path, sizeBytes, sha256, type }) => {
              const steps = path.split(STEP);
              return (
                <tr key={`${path} ${sha256}`}>
                  <th scope="row" title={brief(path)}>
                    <span aria-hidden>{'\u2003'.repeat(steps.length - 1)}</span>
                    {brief(steps.at(-1) ?? path)}
                  </th>
                  <td>{brief(type)}</td>
                  <td className={styles['number']}>{formatBytes(sizeBytes)}</td>
                  <td>
                    <Hash value={sha256} kind="SHA-256" isShort isLinked />
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </Section>
  );
}
