import type { MailSettings } from '../../../../../src/client/wire.ts';
import { SelectField, TextField } from '../../../components/field.tsx';
import form from '../form.module.css';
import type { ServiceDraft } from './service-draft.ts';

const FORMATS = [
  { value: 'xarf', label: 'XARF 4' },
  { value: 'arf', label: 'ARF, for desks without XARF' },
] as const;
const DELIVERIES = [
  { value: 'each', label: 'One mail per report' },
  { value: 'daily', label: 'Once a day, together' },
] as const;

interface Props {
  readonly draft: ServiceDraft;
  readonly error: string | undefined;
  readonly onChange: (changes: Partial<ServiceDraft>) => void;
}

/** How the service gets its new reports by mail. */
export function MailFields({ draft, error, onChange }: Props) {
  return (
    <>
      <TextField
        label="Mail new reports to"
        hint="Empty: no mail. Ask the desk before you set its address."
        inputMode="email"
        spellCheck={false}
        value={draft.mailTo}
        error={error}
        onChange={({ target }) => onChange({ mailTo: target.value })}
      />
      {draft.mailTo.trim() !== '' && (
        <div className={form['pair']}>
          <SelectField
            label="Mail format"
            options={FORMATS}
            value={draft.mailFormat}
            onChange={({ target }) =>
              onChange({ mailFormat: target.value as MailSettings['format'] })
            }
          />
          <SelectField
            label="Delivery"
            options={DELIVERIES}
            value={draft.mailDelivery}
            onChange={({ target }) =>
              onChange({ mailDelivery: target.value as MailSettings['delivery'] })
            }
          />
        </div>
      )}
    </>
  );
}
