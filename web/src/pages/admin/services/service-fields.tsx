import type { Account } from '../../../../../src/client/wire.ts';
import { TextArea, TextField } from '../../../components/field.tsx';
import {
  type FieldErrors,
  fieldErrors,
  HOSTS_RULE,
  NETWORKS_RULE,
} from '../../../text/field-errors.ts';
import { UNCLAIMED, UNCLAIMED_MEANING } from '../../../text/unclaimed.ts';
import form from '../form.module.css';
import { MailFields } from './mail-fields.tsx';
import { OwnersField } from './owners-field.tsx';
import type { ServiceDraft } from './service-draft.ts';

const FIELDS = [
  'slug',
  'name',
  'hosts',
  'networks',
  'confidenceScale',
  'expireAfterDays',
  'mail',
] as const;
const CODES = {
  service_exists: 'slug',
  scale_fixed: 'confidenceScale',
  unknown_account: 'owners',
  mail_not_configured: 'mail',
} as const;
const RULES = { hosts: HOSTS_RULE, networks: NETWORKS_RULE };

interface Props {
  readonly draft: ServiceDraft;
  readonly isNew: boolean;
  readonly accounts: readonly Account[];
  /** The refusal of the server. */
  readonly error: unknown;
  readonly onChange: (changes: Partial<ServiceDraft>) => void;
}

export function ServiceFields({ draft, isNew, accounts, error, onChange }: Props) {
  const { fields, other } = fieldErrors<(typeof FIELDS)[number] | 'owners'>(error, FIELDS, {
    codes: CODES,
    rules: RULES,
  });
  const isBuiltIn = !isNew && draft.slug === UNCLAIMED;
  return (
    <>
      <div className={form['pair']}>
        <TextField
          label="Short name"
          hint={isNew ? 'In URLs; it cannot change' : 'It cannot change'}
          isMono
          required
          readOnly={!isNew}
          value={draft.slug}
          error={fields.slug}
          onChange={({ target }) => onChange({ slug: target.value })}
        />
        <TextField
          label="Name"
          readOnly={isBuiltIn}
          value={draft.name}
          error={fields.name}
          onChange={({ target }) => onChange({ name: target.value })}
        />
      </div>
      {isBuiltIn ? (
        <p>
          {UNCLAIMED_MEANING} belong to this feed, so it has no hosts or networks. Accounts with the
          role admin or notices own it.
        </p>
      ) : (
        <Claims draft={draft} accounts={accounts} fields={fields} onChange={onChange} />
      )}
      <div className={form['pair']}>
        <TextField
          label="Confidence scale"
          hint="The highest score; fixed by the first report"
          inputMode="numeric"
          value={draft.confidenceScale}
          error={fields.confidenceScale}
          onChange={({ target }) => onChange({ confidenceScale: target.value })}
        />
        <TextField
          label="Reports expire after (days)"
          hint="Days after the last sighting"
          inputMode="numeric"
          value={draft.expireAfterDays}
          error={fields.expireAfterDays}
          onChange={({ target }) => onChange({ expireAfterDays: target.value })}
        />
      </div>
      <MailFields draft={draft} error={fields.mail} onChange={onChange} />
      {other !== undefined && (
        <p role="alert" className={form['error']}>
          {other}
        </p>
      )}
    </>
  );
}

interface ClaimsProps extends Pick<Props, 'draft' | 'accounts' | 'onChange'> {
  readonly fields: FieldErrors<'hosts' | 'networks' | 'owners'>['fields'];
}

/** What the service answers for, and who does. */
function Claims({ draft, accounts, fields, onChange }: ClaimsProps) {
  return (
    <>
      <TextArea
        label="Host patterns"
        hint="One per line: example.net, or *.example.net for all hosts below it"
        spellCheck={false}
        value={draft.hosts}
        error={fields.hosts}
        onChange={({ target }) => onChange({ hosts: target.value })}
      />
      <TextArea
        label="Networks"
        hint="One per line, by the first address: 203.0.113.0/24"
        rows={2}
        spellCheck={false}
        value={draft.networks}
        error={fields.networks}
        onChange={({ target }) => onChange({ networks: target.value })}
      />
      <OwnersField
        owners={draft.owners}
        typed={draft.newOwner}
        accounts={accounts}
        error={fields.owners}
        onChange={(owners, newOwner) => onChange({ owners, newOwner })}
      />
    </>
  );
}
