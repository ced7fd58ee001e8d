import { Link } from '@tanstack/react-router';
import styles from './pivot.module.css';
import { neighboursOf, type Pivot } from './pivot.ts';
import { KINDS, pageOfNode, textOf } from './pivot-graph.tsx';

/** The same nodes and links as in the graph. */
export function PivotTable({ pivot, label }: { readonly pivot: Pivot; readonly label: string }) {
  return (
    <table className={styles['table']} aria-label={label}>
      <thead>
        <tr>
          <th scope="col">Steps</th>
          <th scope="col">Kind</th>
          <th scope="col">Name</th>
          <th scope="col">Linked with</th>
        </tr>
      </thead>
      <tbody>
        {pivot.columns.flatMap((column, step) =>
          column.map((node) => (
            <tr key={node.id}>
              <td>{step}</td>
              <td>{KINDS[node.kind]}</td>
              <th scope="row">
                <Link {...pageOfNode(node)} preload={false}>
                  {textOf(node)}
                </Link>
              </th>
              <td>
                {neighboursOf(pivot, node.id)
                  .map((other) => textOf(other))
                  .join(', ')}
              </td>
            </tr>
          )),
        )}
      </tbody>
    </table>
  );
}
