import { lazy, type ReactNode, Suspense, useRef, useState } from 'react';
import { Button, type ButtonProps, IconButton } from '../button.tsx';
import type { MenuGroup } from './menu-groups.ts';

// Menus are opened after the first view, so their code is loaded then.
const MenuPopover = lazy(() => import('./menu-popover.tsx'));

interface Props extends Pick<ButtonProps, 'look' | 'size' | 'tabIndex'> {
  readonly label: string;
  /** Instead of the label. */
  readonly icon?: ReactNode;
  readonly groups: readonly MenuGroup[];
}

/** A button that opens a menu. */
export function MenuButton({ label, icon, groups, look, size, tabIndex }: Props) {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const props = {
    ref: button,
    'aria-haspopup': 'menu' as const,
    'aria-expanded': isOpen,
    onClick: () => setOpen(true),
    ...(look !== undefined && { look }),
    ...(size !== undefined && { size }),
    ...(tabIndex !== undefined && { tabIndex }),
  };
  return (
    <>
      {icon === undefined ? (
        <Button {...props}>{label}</Button>
      ) : (
        <IconButton {...props} label={label} icon={icon} />
      )}
      {isOpen && (
        <Suspense fallback={null}>
          <MenuPopover
            label={label}
            trigger={button}
            groups={groups}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  );
}
