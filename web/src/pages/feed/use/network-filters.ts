import {
  BEARER,
  type Consumer,
  exportPath,
  fetchCommand,
  quote,
  type Subject,
} from './consumer.ts';

/** Programs that block or detect in a network. */
export function networkFilters(subject: Subject): readonly Consumer[] {
  return [
    suricata(subject),
    bind(subject),
    unbound(subject),
    hosts(subject),
    nftables(subject),
    plain(subject),
  ];
}

function suricata(subject: Subject): Consumer {
  const { origin, service } = subject;
  const url = quote(
    `${origin}${exportPath(subject, { format: 'suricata', options: { file: 'set' } })}`,
  );
  return {
    title: 'Suricata',
    note: 'Rules with their datasets as one archive. The number of a rule stays the same for a report and is never used again.',
    snippets: [
      {
        label: 'Shell, once; afterwards suricata-update keeps the rules up to date',
        text: `suricata-update add-source rapsheet-${service} ${url} \\\n  --http-header "Authorization: Bearer $TOKEN"\nsuricata-update`,
      },
    ],
    reads: { format: 'suricata' },
  };
}

function bind(subject: Subject): Consumer {
  const reads = { format: 'rpz' };
  return {
    title: 'BIND',
    note: 'A response policy zone: reported names and their subdomains do not exist for your resolver.',
    snippets: [
      { label: 'cron, every five minutes', text: fetchCommand(subject, reads, 'rapsheet.rpz') },
      {
        label: 'named.conf',
        text: 'options {\n  response-policy { zone "rapsheet.rpz"; };\n};\nzone "rapsheet.rpz" {\n  type primary;\n  file "/etc/bind/rapsheet.rpz";\n};',
      },
    ],
    reads,
  };
}

function unbound(subject: Subject): Consumer {
  const reads = { format: 'rpz' };
  return {
    title: 'Unbound',
    note: 'The same zone, read from a file.',
    snippets: [
      { label: 'cron, every five minutes', text: fetchCommand(subject, reads, 'rapsheet.rpz') },
      {
        label: 'unbound.conf',
        text: 'server:\n  module-config: "respip validator iterator"\nrpz:\n  name: rapsheet.rpz\n  zonefile: /etc/unbound/rapsheet.rpz',
      },
    ],
    reads,
  };
}

function hosts(subject: Subject): Consumer {
  const reads = { format: 'hosts' };
  return {
    title: 'dnsmasq, hosts file',
    note: 'Reported names without their subdomains.',
    snippets: [
      { label: 'cron, every five minutes', text: fetchCommand(subject, reads, 'rapsheet.hosts') },
      { label: 'dnsmasq.conf', text: 'addn-hosts=/etc/rapsheet.hosts' },
    ],
    reads,
  };
}

function nftables(subject: Subject): Consumer {
  const reads = { format: 'nftables' };
  return {
    title: 'nftables',
    note: 'Sets of address and port, loaded in one transaction. Ports matter: customers of a tunnel share its addresses.',
    snippets: [
      {
        label: 'cron, every five minutes',
        text: `${fetchCommand(subject, reads, 'rapsheet.nft')} &&\n  nft -f rapsheet.nft`,
      },
    ],
    reads,
  };
}

function plain(subject: Subject): Consumer {
  const reads = { format: 'txt' };
  return {
    title: 'Plain list',
    note: 'One address and port on each line, for firewalls and proxies that fetch a list.',
    snippets: [
      {
        label: 'Shell',
        text: `curl -fsS ${quote(`${subject.origin}${exportPath(subject, reads)}`)} ${BEARER}`,
      },
    ],
    reads,
  };
}
