import { useId } from 'react';
import { CheckBox } from '../../components/field.tsx';
import styles from './admin-page.module.css';
import form from './form.module.css';

interface Props {
  readonly label: string;
  readonly hint: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly chosen: readonly string[];
  readonly error: string | undefined;
  readonly onChange: (chosen: readonly string[]) => void;
}

const LONG = 12;

/** Check boxes of which any number may be chosen. */
export function Choices({ label, hint, options, chosen, error, onChange }: Props) {
  const id = useId();
  return (
    <fieldset
      className={form['group']}
      aria-describedby={error === undefined ? undefined : id}
      aria-invalid={error !== undefined}
    >
      <legend>{label}</legend>
      <div className={`${form['choices']} ${options.length > LONG ? form['long'] : ''}`}>
        {options.map(({ value, label: text }) => (
          <CheckBox
            key={value}
            label={text}
            checked={chosen.includes(value)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, value] : chosen.filter((one) => one !== value))
            }
          />
        ))}
        {options.length === 0 && <span className={styles['faint']}>There are none yet.</span>}
      </div>
      {error !== undefined && (
        <p id={id} role="alert" className={form['error']}>
          {error}
        </p>
      )}
      <p className={form['hint']}>{hint}</p>
    </fieldset>
  );
}
