import { Copy } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { MenuButton } from '../../components/menu/menu-button.tsx';
import { showToast } from '../../components/overlays/toasts.tsx';
import { Section } from '../../components/page.tsx';
import { Example, Examples } from './example.tsx';

const Question = lazy(() => import('../../components/overlays/question.tsx'));
const ExampleDialog = lazy(() => import('./example-dialog.tsx'));
const NOTHING = () => undefined;

export function OverlayExamples() {
  const [open, setOpen] = useState<'question' | 'dialog'>();
  const close = () => setOpen(undefined);
  return (
    <Section title="Menus, dialogs and messages">
      <Examples>
        <Example name="Menu">
          <MenuButton
            label="Actions"
            groups={[
              {
                title: 'With icons',
                entries: [
                  { id: 'copy', label: 'Copy', icon: <Copy aria-hidden />, onAction: NOTHING },
                  { id: 'off', label: 'Not now', isDisabled: true, onAction: NOTHING },
                ],
              },
              {
                title: 'A choice',
                entries: [
                  { id: 'one', label: 'One', isSelected: true, onAction: NOTHING },
                  { id: 'two', label: 'Two', isSelected: false, onAction: NOTHING },
                ],
              },
            ]}
          />
        </Example>
        <Example name="Dialog and question">
          <Button onClick={() => setOpen('dialog')}>Open a dialog</Button>
          <Button look="danger" onClick={() => setOpen('question')}>
            Ask a question
          </Button>
        </Example>
        <Example name="Messages">
          <Button onClick={() => showToast({ text: 'The report is in the feed.' })}>Plain</Button>
          <Button
            onClick={() =>
              showToast({
                text: '3 reports are acknowledged.',
                action: { label: 'Undo', run: NOTHING },
              })
            }
          >
            With an action
          </Button>
          <Button onClick={() => showToast({ text: 'The server refused this.', isError: true })}>
            Error
          </Button>
        </Example>
      </Examples>
      <Suspense fallback={null}>
        {open === 'dialog' && <ExampleDialog onClose={close} />}
        {open === 'question' && (
          <Question
            title="Revoke the token?"
            text="Programs that use it are refused at once."
            action="Revoke"
            onConfirm={close}
            onClose={close}
          />
        )}
      </Suspense>
    </Section>
  );
}
