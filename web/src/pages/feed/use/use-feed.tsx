import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useId, useState } from 'react';
import { isResearcher, useMe } from '../../../api/session.ts';
import { IconButton } from '../../../components/button.tsx';
import { SelectField } from '../../../components/field.tsx';
import { CopyButton } from '../../../components/identifiers/copy-button.tsx';
import { useScreenWidth } from '../../../components/screen-width.ts';
import type { FeedFilter } from '../filters.ts';
import type { Consumer, ConsumerGroup, Snippet } from './consumer.ts';
import { consumerGroups } from './consumers.ts';
import { Preview } from './preview.tsx';
import styles from './use-feed.module.css';

interface Props {
  readonly service: string;
  readonly filter: FeedFilter;
  readonly onClose: () => void;
}

const ALL = 'all';

/** How other tools read the feed, with what to paste. Loaded when it is opened. */
export default function UseFeed({ service, filter, onClose }: Props) {
  const me = useMe();
  const heading = service === ALL ? 'Use all feeds' : 'Use this feed';
  const groups = consumerGroups({
    origin: location.origin,
    service,
    filter,
    isOwner: me.services.some(({ slug }) => slug === service),
    // Reports are sent to one feed.
    isResearcher: isResearcher(me) && service !== ALL,
  });
  const all = groups.flatMap(({ consumers }) => consumers);
  const [title, setTitle] = useState<string>();
  const chosen = all.find((one) => one.title === title) ?? all[0];
  return (
    <section className={styles['panel']} aria-label={heading}>
      <header className={styles['head']}>
        <h2>{heading}</h2>
        <IconButton label="Close" icon={<X aria-hidden />} onClick={onClose} />
      </header>
      <p className={styles['note']}>
        Replace <code>$TOKEN</code>: <Link to="/account">issue a token</Link> for each program. The
        filters of this page are part of what you paste. The <a href="/docs">API reference</a> has
        every call.
      </p>
      <div className={styles['columns']}>
        <Choice groups={groups} chosen={chosen?.title ?? ''} onChoose={setTitle} />
        {chosen !== undefined && (
          <Details key={chosen.title} consumer={chosen} service={service} filter={filter} />
        )}
      </div>
    </section>
  );
}

interface ChoiceProps {
  readonly groups: readonly ConsumerGroup[];
  readonly chosen: string;
  readonly onChoose: (title: string) => void;
}

/** A list, or one field where a list would push the rest off the screen. */
function Choice({ groups, chosen, onChoose }: ChoiceProps) {
  if (useScreenWidth() === 'narrow')
    return (
      <SelectField
        label="Tool or format"
        value={chosen}
        options={groups.flatMap(({ consumers }) =>
          consumers.map(({ title }) => ({ value: title, label: title })),
        )}
        onChange={(event) => onChoose(event.target.value)}
      />
    );
  return (
    <nav aria-label="Tools and formats" className={styles['choice']}>
      {groups.map(({ title, consumers }) => (
        <Group
          key={title}
          title={title}
          consumers={consumers}
          chosen={chosen}
          onChoose={onChoose}
        />
      ))}
    </nav>
  );
}

function Group({
  title,
  consumers,
  chosen,
  onChoose,
}: ConsumerGroup & Omit<ChoiceProps, 'groups'>) {
  const id = useId();
  return (
    <div>
      <h3 id={id} className={styles['group']}>
        {title}
      </h3>
      <ul aria-labelledby={id}>
        {consumers.map((consumer) => (
          <li key={consumer.title}>
            <button
              type="button"
              className={styles['option']}
              aria-current={consumer.title === chosen ? 'true' : undefined}
              onClick={() => onChoose(consumer.title)}
            >
              {consumer.title}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

interface DetailsProps extends Pick<Props, 'service' | 'filter'> {
  readonly consumer: Consumer;
}

function Details({ consumer, service, filter }: DetailsProps) {
  const { title, note, snippets, reads } = consumer;
  return (
    <article className={styles['details']} aria-label={title}>
      <h3>{title}</h3>
      <p className={styles['note']}>{note}</p>
      {snippets.map((snippet) => (
        <Paste key={snippet.text} snippet={snippet} />
      ))}
      {reads !== undefined && <Preview service={service} filter={filter} reads={reads} />}
    </article>
  );
}

function Paste({ snippet: { label, text } }: { readonly snippet: Snippet }) {
  return (
    <div>
      <div className={styles['label']}>
        <h4>{label}</h4>
        <CopyButton text={text} what={label} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard */}
      <pre tabIndex={0} className={styles['text']}>
        {text}
      </pre>
    </div>
  );
}
