import { FactList } from '../../components/fact-list.tsx';
import { Address } from '../../components/identifiers/address.tsx';
import { CopyButton } from '../../components/identifiers/copy-button.tsx';
import { Hash } from '../../components/identifiers/hash.tsx';
import { SecretOnce } from '../../components/identifiers/secret-once.tsx';
import { Chip } from '../../components/marks/chip.tsx';
import { CONFIRMATIONS, Confirmation, Misrouted } from '../../components/marks/confirmation.tsx';
import { Heat, Tag } from '../../components/marks/heat.tsx';
import { QuotaRing } from '../../components/marks/quota-ring.tsx';
import { type ReportStatus, STATUS_SIGNS, Status } from '../../components/marks/status.tsx';
import { Time } from '../../components/marks/time.tsx';
import { Section } from '../../components/page.tsx';
import { visible } from '../../text/visible.ts';
import { Example, Examples } from './example.tsx';
import { ago, HOSTILE, SHA256 } from './samples.ts';

const HEATS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] as const;

export function MarkExamples() {
  return (
    <Section title="Marks and values">
      <Examples>
        <Example name="Heat 1 to 10">
          {HEATS.map((heat) => (
            <Heat key={heat} name={`HEAT${heat}`} heat={heat} />
          ))}
        </Example>
        <Example name="Tag">
          <Tag name="rat" />
          <Tag name="ein-sehr-langes-wort-ohne-ende-das-niemand-lesen-mag" />
        </Example>
        <Example name="Hostile tags">
          {HOSTILE.map((text) => (
            <Tag key={text.slice(0, 20)} name={text} />
          ))}
        </Example>
        <Example name="Status">
          {(Object.keys(STATUS_SIGNS) as ReportStatus[]).map((status) => (
            <Status key={status} status={status} />
          ))}
          <Status status="actioned" reason="taken_down" />
          <Status status="rejected" reason="insufficient_evidence" />
        </Example>
        <Example name="Confirmation and route">
          {CONFIRMATIONS.map((value) => (
            <Confirmation key={value} value={value} />
          ))}
          <Misrouted report={{ misrouted: true, routedTo: 'ply' }} />
        </Example>
        <Example name="Hash: whole, linked, short">
          <Hash value={SHA256} kind="SHA-256" />
          <Hash value={SHA256} kind="SHA-256" isLinked />
          <Hash value={SHA256} kind="SHA-256" isShort />
        </Example>
        <Example name="Address: C2, host, IPv6, not linked">
          <Address value="c2.example.invalid:6606" />
          <Address value="198.51.100.7" />
          <Address value="[2001:db8::7]:443" />
          <Address value={`${'very-long-label.'.repeat(8)}example:4444`} isLinked={false} />
        </Example>
        <Example name="Time">
          <Time at={ago(0)} />
          <Time at={ago(40)} />
          <Time at={ago(3 * 3600)} />
          <Time at={ago(-3 * 86_400)} />
          <Time at={ago(3600)} isFull />
        </Example>
        <QuotaExamples />
        <Example name="Chip">
          <Chip name="status" value="open" onRemove={() => undefined} />
          <Chip name="tag" value={visible(HOSTILE[0])} onRemove={() => undefined} />
        </Example>
        <Example name="Copy">
          <CopyButton text={SHA256} what="SHA-256" />
        </Example>
        <Example name="Secret, shown once">
          <SecretOnce secret="rap_0123456789abcdefghijklmnopqrstuvwxyz" what="token" />
        </Example>
        <Example name="Facts">
          <FactList
            facts={[
              { name: 'Name', value: 'asyncrat.exe' },
              { name: 'SHA-256', value: <Hash value={SHA256} kind="SHA-256" /> },
              { name: 'Hostile', value: visible(HOSTILE[1]) },
            ]}
          />
        </Example>
      </Examples>
    </Section>
  );
}

function QuotaExamples() {
  return (
    <Example name="Quota: full, half, low, none, prepaid, no limit">
      <QuotaRing quota={{ limit: 1000, period: 'day', remaining: 1000 }} />
      <QuotaRing quota={{ limit: 1000, period: 'day', remaining: 480 }} />
      <QuotaRing quota={{ limit: 1000, period: 'month', remaining: 72 }} />
      <QuotaRing quota={{ limit: 1000, period: 'day', remaining: 0 }} />
      <QuotaRing quota={{ limit: 0, period: 'none', remaining: 50 }} />
      <QuotaRing quota={{ limit: null, period: 'none', remaining: null }} />
    </Example>
  );
}
