import { Copy } from 'lucide-react';
import { defang } from '../text/defang.ts';
import { copyText } from './copy-text.ts';
import styles from './identifiers.module.css';
import { LightLink } from './light-link.tsx';
import { MenuButton } from './menu/menu-button.tsx';

interface Props {
  /** `host:port`, or a host. */
  readonly value: string;
  readonly isLinked?: boolean;
  /** In a row that the arrow keys reach: the tab key passes it. */
  readonly isInRow?: boolean;
}

/** An address in the form that no program follows by accident. Both forms can be copied. */
export function Address({ value, isLinked = true, isInRow = false }: Props) {
  const tabIndex = isInRow ? -1 : 0;
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
        <LightLink href={pageOf(value)} className={styles['text']} tabIndex={tabIndex}>
          {shown}
        </LightLink>
      ) : (
        <span className={styles['text']}>{shown}</span>
      )}
      <MenuButton
        size="small"
        look="quiet"
        label={`Copy ${shown}`}
        icon={<Copy aria-hidden />}
        groups={groups}
        tabIndex={tabIndex}
      />
    </span>
  );
}

function pageOf(value: string): string {
  const hasPort = /[^:]:\d{1,5}$|\]:\d{1,5}$/.test(value);
  return `/${hasPort ? 'c2' : 'hosts'}/${encodeURIComponent(value)}`;
}
