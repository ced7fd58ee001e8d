import type { ReactNode } from 'react';
import { visible } from '../text/visible.ts';
import { LinkButton } from './link-button.tsx';
import { Empty } from './states.tsx';

interface Props {
  readonly service: string;
  /** What to do instead. */
  readonly children: ReactNode;
}

/** For a page of a service that does not exist, or no longer. */
export function NoSuchService({ service, children }: Props) {
  return (
    <Empty
      title={`No service is named ${visible(service)}`}
      action={<LinkButton to="/feeds">All feeds</LinkButton>}
    >
      <p>{children}</p>
    </Empty>
  );
}
