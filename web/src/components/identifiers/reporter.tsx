import { Link } from '@tanstack/react-router';
import { visible } from '../../text/visible.ts';

/** The name of a reporter, which leads to what became of the reports. */
export function Reporter({ name }: { readonly name: string }) {
  return (
    <Link to="/reporters/$name" params={{ name }}>
      {visible(name)}
    </Link>
  );
}
