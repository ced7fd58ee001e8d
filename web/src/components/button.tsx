import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import styles from './button.module.css';

interface Look {
  readonly look?: 'plain' | 'primary' | 'danger' | 'quiet';
  readonly size?: 'small' | 'normal';
}

export interface ButtonProps
  extends Look,
    Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className' | 'style'> {
  readonly ref?: Ref<HTMLButtonElement>;
}

export function Button({
  look = 'plain',
  size = 'normal',
  type = 'button',
  ...props
}: ButtonProps) {
  return <button {...props} type={type} className={classOf(look, size)} />;
}

export interface IconButtonProps extends Omit<ButtonProps, 'children' | 'title' | 'aria-label'> {
  /** Read aloud, and shown as a tooltip. */
  readonly label: string;
  readonly icon: ReactNode;
  /** A shortcut, shown in the tooltip. */
  readonly shortcut?: string;
}

export function IconButton({
  label,
  icon,
  shortcut,
  look = 'quiet',
  size = 'normal',
  type = 'button',
  ...props
}: IconButtonProps) {
  return (
    <button
      {...props}
      type={type}
      aria-label={label}
      title={shortcut === undefined ? label : `${label} (${shortcut})`}
      className={`${classOf(look, size)} ${styles['icon']}`}
    >
      {icon}
    </button>
  );
}

function classOf(look: NonNullable<Look['look']>, size: NonNullable<Look['size']>): string {
  return `${styles['button']} ${styles[look]} ${styles[size]}`;
}
