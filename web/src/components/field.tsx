import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react';
import styles from './field.module.css';

interface Described {
  readonly label: string;
  /** What belongs into the field. */
  readonly hint?: ReactNode;
  /** What is wrong with its value. */
  readonly error?: string | undefined;
}

interface Ids {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean;
}

function Field({
  label,
  hint,
  error,
  children,
}: Described & { readonly children: (ids: Ids) => ReactNode }) {
  const id = useId();
  const described = [
    hint !== undefined && `${id}-hint`,
    error !== undefined && `${id}-error`,
  ].filter(Boolean);
  return (
    <div className={styles['field']}>
      <label htmlFor={id} className={styles['label']}>
        {label}
      </label>
      {children({
        id,
        'aria-describedby': described.length === 0 ? undefined : described.join(' '),
        'aria-invalid': error !== undefined,
      })}
      {error !== undefined && (
        <p id={`${id}-error`} className={styles['error']} role="alert">
          {error}
        </p>
      )}
      {hint !== undefined && (
        <p id={`${id}-hint`} className={styles['hint']}>
          {hint}
        </p>
      )}
    </div>
  );
}

type Native<Attributes> = Omit<Attributes, 'className' | 'style' | 'id'>;

export interface TextFieldProps extends Described, Native<InputHTMLAttributes<HTMLInputElement>> {
  /** For hashes, addresses and tokens. */
  readonly isMono?: boolean;
}

export function TextField({ label, hint, error, isMono = false, ...input }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) => (
        <input
          {...input}
          {...ids}
          className={`${styles['control']} ${isMono ? styles['mono'] : ''}`}
          autoComplete={input.autoComplete ?? 'off'}
          spellCheck={input.spellCheck ?? !isMono}
        />
      )}
    </Field>
  );
}

export function TextArea({
  label,
  hint,
  error,
  ...input
}: Described & Native<TextareaHTMLAttributes<HTMLTextAreaElement>>) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) => <textarea rows={3} {...input} {...ids} className={styles['control']} />}
    </Field>
  );
}

interface SelectFieldProps extends Described, Native<SelectHTMLAttributes<HTMLSelectElement>> {
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

export function SelectField({ label, hint, error, options, ...select }: SelectFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) => (
        <select {...select} {...ids} className={styles['control']}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function CheckBox({
  label,
  ...input
}: { readonly label: ReactNode } & Native<InputHTMLAttributes<HTMLInputElement>>) {
  return (
    <label className={styles['check']}>
      <input {...input} type="checkbox" />
      <span>{label}</span>
    </label>
  );
}
