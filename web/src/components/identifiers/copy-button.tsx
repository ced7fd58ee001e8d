import { Check, Copy, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { IconButton } from '../button.tsx';
import { copyText } from './copy-text.ts';

interface Props {
  readonly text: string;
  /** What is copied: `SHA-256`, `address`. */
  readonly what: string;
}

const SHOWN_MS = 1500;

export function CopyButton({ text, what }: Props) {
  const [result, setResult] = useState<'copied' | 'failed' | undefined>();
  useEffect(() => {
    if (result === undefined) return;
    const timer = setTimeout(() => setResult(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [result]);
  return (
    <IconButton
      size="small"
      label={labelOf(result, what)}
      icon={iconOf(result)}
      onClick={() => void copyText(text).then((isDone) => setResult(isDone ? 'copied' : 'failed'))}
    />
  );
}

function labelOf(result: 'copied' | 'failed' | undefined, what: string): string {
  if (result === 'copied') return 'Copied';
  return result === 'failed' ? 'The browser refused to copy' : `Copy ${what}`;
}

function iconOf(result: 'copied' | 'failed' | undefined) {
  if (result === 'copied') return <Check aria-hidden />;
  return result === 'failed' ? <X aria-hidden /> : <Copy aria-hidden />;
}
