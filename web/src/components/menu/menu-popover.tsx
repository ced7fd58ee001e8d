import type { RefObject } from 'react';
import { Header, Menu, MenuItem, MenuSection, Popover } from 'react-aria-components';
import styles from './menu.module.css';
import type { MenuGroup } from './menu-groups.ts';

interface Props {
  readonly label: string;
  readonly trigger: RefObject<HTMLElement | null>;
  readonly groups: readonly MenuGroup[];
  readonly onClose: () => void;
}

/** Loaded when the first menu is opened. */
export default function MenuPopover({ label, trigger, groups, onClose }: Props) {
  return (
    <Popover
      isOpen
      aria-label={label}
      triggerRef={trigger}
      placement="bottom end"
      className={styles['popover'] ?? ''}
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
    >
      <Menu aria-label={label} className={styles['menu'] ?? ''} autoFocus="first" onClose={onClose}>
        {groups.map((group, index) => (
          <Group key={group.title ?? index} group={group} />
        ))}
      </Menu>
    </Popover>
  );
}

function Group({ group: { title, entries } }: { readonly group: MenuGroup }) {
  const selected = entries.filter(({ isSelected }) => isSelected === true).map(({ id }) => id);
  const isChoice = entries.some(({ isSelected }) => isSelected !== undefined);
  return (
    <MenuSection
      className={styles['section'] ?? ''}
      {...(title === undefined && { 'aria-label': 'Actions' })}
      {...(isChoice && { selectionMode: 'single', selectedKeys: selected })}
    >
      {title !== undefined && <Header className={styles['heading'] ?? ''}>{title}</Header>}
      {entries.map(({ id, label, icon, isDisabled = false, onAction }) => (
        <MenuItem
          key={id}
          id={id}
          className={styles['item'] ?? ''}
          isDisabled={isDisabled}
          onAction={onAction}
        >
          {icon}
          {label}
        </MenuItem>
      ))}
    </MenuSection>
  );
}
