import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes } from 'react';
import styles from './button.module.css';

interface Props extends AnchorHTMLAttributes<HTMLAnchorElement> {
  readonly look?: 'plain' | 'primary' | 'quiet';
  readonly size?: 'small' | 'normal';
}

function Anchor({ look = 'plain', size = 'normal', children, ...props }: Props) {
  return (
    <a {...props} className={`${styles['button']} ${styles[look]} ${styles[size]}`}>
      {children}
    </a>
  );
}

/** A link to a page of the application that looks like a button. */
export const LinkButton = createLink(Anchor);
