import { Copy, Trash2 } from 'lucide-react';
import { Button, IconButton } from '../../components/button.tsx';
import { DropZone } from '../../components/drop-zone.tsx';
import { CheckBox, SelectField, TextArea, TextField } from '../../components/field.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { Section } from '../../components/page.tsx';
import { SearchBox } from '../../components/search/search-box.tsx';
import { Example, Examples } from './example.tsx';

const LOOKS = ['plain', 'primary', 'danger', 'quiet'] as const;
const SIZES = ['normal', 'small'] as const;
const OPTIONS = [
  { value: 'a', label: 'in 30 days' },
  { value: 'b', label: 'never' },
];

export function ControlExamples() {
  return (
    <Section title="Controls">
      <Examples>
        {SIZES.map((size) => (
          <Example key={size} name={`Button, ${size}`}>
            {LOOKS.map((look) => (
              <Button key={look} look={look} size={size}>
                {look}
              </Button>
            ))}
            <Button size={size} disabled>
              disabled
            </Button>
          </Example>
        ))}
        <Example name="Icon button">
          <IconButton label="Copy" icon={<Copy aria-hidden />} />
          <IconButton label="Delete" shortcut="d" icon={<Trash2 aria-hidden />} size="small" />
          <IconButton label="Copy" icon={<Copy aria-hidden />} disabled />
        </Example>
        <Example name="Link as a button">
          <LinkButton to="/">plain</LinkButton>
          <LinkButton to="/" look="primary">
            primary
          </LinkButton>
          <LinkButton to="/" look="quiet" size="small">
            quiet
          </LinkButton>
        </Example>
        <FieldExamples />
        <Example name="Search, normal">
          <SearchBox />
        </Example>
        <Example name="Drop zone">
          <DropZone onFiles={() => undefined}>
            <p>Drop files here</p>
          </DropZone>
        </Example>
        <Example name="Drop zone, quiet">
          <DropZone onFiles={() => undefined} look="quiet">
            <p>Drop files here</p>
          </DropZone>
        </Example>
      </Examples>
    </Section>
  );
}

function FieldExamples() {
  return (
    <>
      <Example name="Text field: with a hint, an error, disabled">
        <TextField label="Label" hint="What will use it" placeholder="nightly import" />
        <TextField label="C2" isMono defaultValue="evil" error="An address is host:port." />
        <TextField label="Fixed" defaultValue="ply" disabled />
      </Example>
      <Example name="Text area, choice, check boxes">
        <TextArea label="Note" hint="At most 1,000 characters" />
        <SelectField label="Expires" options={OPTIONS} />
        <CheckBox label="Researcher" defaultChecked />
        <CheckBox label="Administrator" disabled />
      </Example>
    </>
  );
}
