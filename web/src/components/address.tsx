import { Link } from '@tanstack/react-router';
import { Copy } from 'lucide-react';
import { defang } from '../text/defang.ts';
import { copyText } from './copy-text.ts';
import styles from './identifiers.module.css';
import { MenuButton } from './menu/menu-button.tsx';

interface Props {
  /** `host:port`, or a host. */
  readonly value: string;
  readonly isLinked?: boolean;
}

/** An address in the form that no program follows by accident. Both forms can be copied. */
export function Address({ value, isLinked = true }: Props) {
  const shown = defang(value);
  const groups = [
    {
      entries: [
        { id: 'defanged', label: `Copy ${shown}`, onAction: () => void copyText(shown) },
        { id: 'as-is', label: 'Copy as a program needs it', onAction: () => void copyText(value) },
      ],
    },
  ];
  return (
    <span className={styles['identifier']}>
      {isLinked ? (
        <AddressLink value={value} shown={shown} />
      ) : (
        <span className={styles['text']}>{shown}</span>
      )}
      <MenuButton
        size="small"
        look="quiet"
        label={`Copy ${shown}`}
        icon={<Copy aria-hidden />}
        groups={groups}
      />
    </span>
  );
}

function AddressLink({ value, shown }: { readonly value: string; readonly shown: string }) {
  const hasPort = /[^:]:\d{1,5}$|\]:\d{1,5}$/.test(value);
  return hasPort ? (
    <Link to="/c2/$c2" params={{ c2: value }} className={styles['text']}>
      {shown}
    </Link>
  ) : (
    <Link to="/hosts/$host" params={{ host: value }} className={styles['text']}>
      {shown}
    </Link>
  );
}
