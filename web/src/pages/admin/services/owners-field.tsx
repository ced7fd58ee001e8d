import { useId } from 'react';
import type { Account } from '../../../../../src/client/wire.ts';
import { Button } from '../../../components/button.tsx';
import { TextField } from '../../../components/field.tsx';
import { Chip } from '../../../components/marks/chip.tsx';
import { visible } from '../../../text/visible.ts';
import form from '../form.module.css';

interface Props {
  readonly owners: readonly string[];
  /** A name that is typed but not added yet. */
  readonly typed: string;
  readonly accounts: readonly Account[];
  readonly error: string | undefined;
  readonly onChange: (owners: readonly string[], typed: string) => void;
}

const MAX_SUGGESTIONS = 50;

/** The accounts that own a service, as chips, and a field that adds one. */
export function OwnersField({ owners, typed, accounts, error, onChange }: Props) {
  const listId = useId();
  const name = typed.trim();
  const add = () => onChange(owners.includes(name) ? owners : [...owners, name], '');
  const suggested = accounts
    .filter((account) => !owners.includes(account.name) && account.name.includes(name))
    .slice(0, MAX_SUGGESTIONS);
  return (
    <div className={form['form']}>
      <div className={form['addOwner']}>
        <TextField
          label="Owners"
          hint="Accounts that answer the reports of this service"
          list={listId}
          value={typed}
          error={error}
          onChange={({ target }) => onChange(owners, target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || name === '') return;
            // The dialog is not sent: the name is added.
            event.preventDefault();
            add();
          }}
        />
        <Button disabled={name === ''} onClick={add}>
          Add owner
        </Button>
      </div>
      <datalist id={listId}>
        {suggested.map((account) => (
          <option key={account.id} value={account.name} />
        ))}
      </datalist>
      {owners.length > 0 && (
        <div className={form['chips']}>
          {owners.map((owner) => (
            <Chip
              key={owner}
              name="owner"
              value={visible(owner)}
              removeLabel={`Remove the owner ${visible(owner)}`}
              onRemove={() =>
                onChange(
                  owners.filter((one) => one !== owner),
                  typed,
                )
              }
            />
          ))}
        </div>
      )}
    </div>
  );
}
