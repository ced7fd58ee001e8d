import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Page } from '../../components/page.tsx';
import { chooseTheme, chosenTheme, THEMES } from '../../design/theme.ts';
import { ControlExamples } from './control-examples.tsx';
import { MarkExamples } from './mark-examples.tsx';
import { OverlayExamples } from './overlay-examples.tsx';
import { PlotExamples } from './plot-examples.tsx';
import { StateExamples } from './state-examples.tsx';
import { TableExamples } from './table-examples.tsx';
import { TokenExamples } from './token-examples.tsx';

/** Every shared component in all its states, in either theme. Only in development. */
export function GalleryPage() {
  const [theme, setTheme] = useState(chosenTheme);
  return (
    <Page
      title="Gallery"
      actions={THEMES.map((one) => (
        <Button
          key={one}
          size="small"
          look={one === theme ? 'primary' : 'plain'}
          aria-pressed={one === theme}
          onClick={() => {
            chooseTheme(one);
            setTheme(one);
          }}
        >
          {one}
        </Button>
      ))}
    >
      <TokenExamples />
      <MarkExamples />
      <ControlExamples />
      <OverlayExamples />
      <PlotExamples />
      <TableExamples />
      <StateExamples />
    </Page>
  );
}
