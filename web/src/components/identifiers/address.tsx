import { Link } from '@tanstack/react-router';
import { Copy } from 'lucide-react';
import { useState } from 'react';
import { defang } from '../../text/defang.ts';
import { MenuButton } from '../menu/menu-button.tsx';
import { AddressText } from './address-text.tsx';
import { copyText } from './copy-text.ts';
import styles from './identifiers.module.css';

interface Props {
  /** `host:port`, or a host. */
  readonly value: string;
  readonly isLinked?: boolean;
  /** In a row that the arrow keys reach: the tab key passes it. */
  readonly isInRow?: boolean;
}

/** An address in the form that no program follows by accident. Both forms can be copied. */
export function Address({ value, isLinked = true, isInRow = false }: Props) {
  const shown = defang(value);
  const tabIndex = isInRow ? -1 : 0;
  // In a row, the menu is created on use: this saves a fifth of the CPU time of a scroll.
  const [isUsed, setUsed] = useState(!isInRow);
  const use = () => setUsed(true);
  return (
    <span className={styles['identifier']} {...(!isUsed && { onPointerEnter: use, onFocus: use })}>
      {isLinked ? (
        <Link
          {...pageOf(value)}
          preload={false}
          className={styles['text']}
          tabIndex={tabIndex}
          title={shown}
          aria-label={shown}
        >
          <AddressText shown={shown} />
        </Link>
      ) : (
        <span className={styles['text']}>
          <AddressText shown={shown} />
        </span>
      )}
      {isUsed && <CopyMenu value={value} shown={shown} tabIndex={tabIndex} />}
    </span>
  );
}

interface CopyProps {
  readonly value: string;
  readonly shown: string;
  readonly tabIndex?: number;
}

/** Copies an address as it is shown, or as programs need it. */
export function CopyMenu({ value, shown, tabIndex = 0 }: CopyProps) {
  const groups = [
    {
      entries: [
        { id: 'defanged', label: `Copy ${shown}`, onAction: () => void copyText(shown) },
        { id: 'as-is', label: 'Copy as a program needs it', onAction: () => void copyText(value) },
      ],
    },
  ];
  return (
    <MenuButton
      size="small"
      look="quiet"
      label={`Copy ${shown}`}
      icon={<Copy aria-hidden />}
      groups={groups}
      tabIndex={tabIndex}
    />
  );
}

/** The page of `host:port`, or of a host. */
export function pageOf(value: string) {
  const hasPort = /[^:]:\d{1,5}$|\]:\d{1,5}$/.test(value);
  return hasPort
    ? ({ to: '/c2/$c2', params: { c2: value } } as const)
    : ({ to: '/hosts/$host', params: { host: value } } as const);
}
