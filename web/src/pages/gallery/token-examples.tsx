import { useEffect, useRef } from 'react';
import { Section } from '../../components/page.tsx';
import styles from './gallery.module.css';

const COLOURS = [
  'paper',
  'surface',
  'sunken',
  'hover',
  'selected',
  'line',
  'line-strong',
  'ink',
  'ink-soft',
  'ink-faint',
  'accent',
  'danger',
  'good',
  'warning',
  'heat-low',
  'heat-medium',
  'heat-high',
  'heat-top',
  'plot-1',
  'plot-2',
  'plot-3',
  'plot-4',
  'plot-5',
] as const;

export function TokenExamples() {
  return (
    <Section title="Colours">
      <ul className={styles['colours']}>
        {COLOURS.map((name) => (
          <Colour key={name} name={name} />
        ))}
      </ul>
    </Section>
  );
}

function Colour({ name }: { readonly name: string }) {
  const swatch = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    swatch.current?.style.setProperty('--swatch', `var(--${name})`);
  }, [name]);
  return (
    <li>
      <span ref={swatch} className={styles['swatch']} />
      <code>{name}</code>
    </li>
  );
}
