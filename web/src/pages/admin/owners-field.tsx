import { useId, useState } from 'react';
import type { Account } from '../../../../src/client/wire.ts';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chip.tsx';
import { TextField } from '../../components/field.tsx';
import { visible } from '../../text/visible.ts';
import form from './form.module.css';

interface Props {
  readonly owners: readonly string[];
  readonly accounts: readonly Account[];
  readonly error: string | undefined;
  readonly onChange: (owners: readonly string[]) => void;
}

const MAX_SUGGESTIONS = 50;

/** The accounts that own a service, as chips, and a field that adds one. */
export function OwnersField({ owners, accounts, error, onChange }: Props) {
  const [name, setName] = useState('');
  const listId = useId();
  const add = () => {
    const added = name.trim();
    if (added !== '' && !owners.includes(added)) onChange([...owners, added]);
    setName('');
  };
  const suggested = accounts
    .filter((account) => !owners.includes(account.name) && account.name.includes(name.trim()))
    .slice(0, MAX_SUGGESTIONS);
  return (
    <div className={form['form']}>
      <div className={form['addOwner']}>
        <TextField
          label="Owners"
          hint="Accounts that answer the reports of this service"
          list={listId}
          value={name}
          error={error}
          onChange={({ target }) => setName(target.value)}
          onBlur={add}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || name.trim() === '') return;
            // The dialog is not sent: the name is added.
            event.preventDefault();
            add();
          }}
        />
        <Button disabled={name.trim() === ''} onClick={add}>
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
              onRemove={() => onChange(owners.filter((one) => one !== owner))}
            />
          ))}
        </div>
      )}
    </div>
  );
}
