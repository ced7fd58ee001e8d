import { useRouter } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, MouseEvent } from 'react';

interface Props extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'style' | 'target'> {
  /** A path of the application, encoded. */
  readonly href: string;
  /** The path at the time of the click, where it depends on the page. */
  readonly target?: () => string;
}

/**
 * A link to a page of the application for long tables: unlike the link of the router it neither
 * follows the location nor preloads, so that scrolling creates hundreds without a pause.
 */
export function LightLink({ href, target = () => href, ...props }: Props) {
  const router = useRouter();
  const follow = (event: MouseEvent) => {
    const isModified = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (event.defaultPrevented || isModified || event.button !== 0) return;
    event.preventDefault();
    router.history.push(target());
  };
  return <a {...props} href={href} onClick={follow} />;
}
