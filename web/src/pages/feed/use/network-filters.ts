import {
  BEARER,
  type Consumer,
  cronLine,
  exportPath,
  fetchCommand,
  quote,
  type Subject,
} from './consumer.ts';
import { FETCH_SETUP } from './fetch-script.ts';

/** Programs that block or detect in a network. */
export function networkFilters(subject: Subject): readonly Consumer[] {
  return [
    suricata(subject),
    snort(subject),
    zeek(subject),
    bind(subject),
    unbound(subject),
    dnsmasq(subject),
    hosts(subject),
    adblock(subject),
    nftables(subject),
    ipset(subject),
    plain(subject),
  ];
}

function suricata(subject: Subject): Consumer {
  const url = quote(
    `${subject.origin}${exportPath(subject, { format: 'suricata', options: { file: 'set' } })}`,
  );
  return {
    title: 'Suricata',
    note: 'Rules with their datasets as one archive. The number of a rule stays the same for a report and is never used again. Use one feed, or all feeds, for each Suricata.',
    snippets: [
      {
        label: 'Shell, once; afterwards suricata-update keeps the rules up to date',
        text: `suricata-update add-source rapsheet ${url} \\\n  --http-header "Authorization: Bearer $TOKEN" --no-checksum\nsuricata-update`,
      },
    ],
    reads: { format: 'suricata' },
  };
}

function snort(subject: Subject): Consumer {
  const reads = { format: 'snort' };
  const file = '/usr/local/etc/rules/rapsheet.rules';
  const fetch = fetchCommand(subject, reads, file);
  return {
    title: 'Snort 3',
    note: 'Rules for connections to C2 servers and DNS queries of their names.',
    snippets: [
      ...FETCH_SETUP,
      {
        label: 'Shell, once',
        text: `${fetch}\nsnort -c /usr/local/etc/snort/snort.lua -R ${file} -T`,
      },
      {
        label: '/usr/local/etc/snort/snort.lua',
        text: `ips = { include = '${file}', variables = default_variables }`,
      },
      {
        label: '/etc/cron.d/rapsheet-snort',
        text: cronLine(`${fetch} && systemctl reload snort`),
      },
    ],
    reads,
  };
}

function zeek(subject: Subject): Consumer {
  const reads = { format: 'zeek' };
  const c2 = fetchCommand(subject, reads, '/var/lib/rapsheet/c2.intel');
  const files = fetchCommand(
    subject,
    { format: 'zeek', options: { indicators: 'files' } },
    '/var/lib/rapsheet/files.intel',
  );
  return {
    title: 'Zeek',
    note: 'Hosts and files as intelligence: sightings are written to intel.log.',
    snippets: [
      ...FETCH_SETUP,
      { label: 'Shell, once', text: `${c2}\n${files}` },
      {
        label: 'local.zeek; then deploy',
        text: `@load frameworks/intel/seen\nredef Intel::read_files += { "/var/lib/rapsheet/c2.intel", "/var/lib/rapsheet/files.intel" };\nevent file_new(f: fa_file) { Files::add_analyzer(f, Files::ANALYZER_SHA256); }`,
      },
      { label: '/etc/cron.d/rapsheet-zeek', text: `${cronLine(c2)}\n${cronLine(files)}` },
    ],
    reads,
  };
}

const ZONE = 'rpz.rapsheet';

function bind(subject: Subject): Consumer {
  const reads = { format: 'rpz' };
  const file = `/var/cache/bind/${ZONE}.zone`;
  const fetch = fetchCommand(subject, reads, file);
  return {
    title: 'BIND',
    note: 'A response policy zone: reported names and their subdomains do not exist for your resolver.',
    snippets: [
      ...FETCH_SETUP,
      { label: 'Shell, once', text: `${fetch}\nnamed-checkzone ${ZONE} ${file}` },
      {
        label: '/etc/bind/named.conf.options, inside options { … }',
        text: `response-policy { zone "${ZONE}"; } qname-wait-recurse no;`,
      },
      {
        label: '/etc/bind/named.conf.local; then named-checkconf -z && rndc reconfig',
        text: `zone "${ZONE}" {\n    type primary;\n    file "${file}";\n    allow-query { localhost; };\n    notify no;\n};`,
      },
      { label: '/etc/cron.d/rapsheet-bind', text: cronLine(`${fetch} && rndc reload ${ZONE}`) },
    ],
    reads,
  };
}

function unbound(subject: Subject): Consumer {
  const reads = { format: 'rpz' };
  const file = `/var/lib/unbound/${ZONE}.zone`;
  const fetch = fetchCommand(subject, reads, file);
  return {
    title: 'Unbound',
    note: 'The same zone, for unbound from 1.14.',
    snippets: [
      ...FETCH_SETUP,
      { label: 'Shell, once', text: fetch },
      {
        label: '/etc/unbound/unbound.conf.d/rapsheet.conf; then restart unbound',
        text: `server:\n    module-config: "respip validator iterator"\nrpz:\n    name: "${ZONE}"\n    zonefile: "${file}"\n    rpz-log: yes\n    rpz-log-name: "rapsheet"\nremote-control:\n    control-enable: yes\n    control-interface: /run/unbound.ctl`,
      },
      {
        label: '/etc/cron.d/rapsheet-unbound',
        text: cronLine(`${fetch} && unbound-control auth_zone_reload ${ZONE}`),
      },
    ],
    reads,
  };
}

function dnsmasq(subject: Subject): Consumer {
  const reads = { format: 'dnsmasq' };
  const fetch = fetchCommand(subject, reads, '/etc/dnsmasq.d/rapsheet-names.conf');
  const restart = 'dnsmasq --test && systemctl restart dnsmasq';
  return {
    title: 'dnsmasq, settings',
    note: 'Reported names and their subdomains do not exist. dnsmasq must read only *.conf of /etc/dnsmasq.d.',
    snippets: [
      ...FETCH_SETUP,
      { label: 'Shell, once', text: `${fetch}\n${restart}` },
      { label: '/etc/cron.d/rapsheet-dnsmasq', text: cronLine(`${fetch} && ${restart}`) },
    ],
    reads,
  };
}

function adblock(subject: Subject): Consumer {
  const reads = { format: 'adblock' };
  const fetch = fetchCommand(subject, reads, `/var/lib/rapsheet/${subject.service}-adblock.txt`);
  return {
    title: 'Ad blockers',
    note: 'Reported names and their subdomains for AdGuard Home, Pi-hole and browsers, which read the file as a list.',
    snippets: [
      ...FETCH_SETUP,
      { label: 'Shell, once', text: fetch },
      { label: '/etc/cron.d/rapsheet-adblock', text: cronLine(fetch) },
    ],
    reads,
  };
}

function hosts(subject: Subject): Consumer {
  const reads = { format: 'hosts' };
  const file = `/var/lib/rapsheet/${subject.service}.hosts`;
  const fetch = fetchCommand(subject, reads, file);
  return {
    title: 'dnsmasq, hosts file',
    note: 'Reported names without their subdomains.',
    snippets: [
      ...FETCH_SETUP,
      { label: 'Shell, once', text: fetch },
      {
        label: '/etc/dnsmasq.d/rapsheet.conf; then restart dnsmasq',
        text: `addn-hosts=${file}`,
      },
      {
        label: '/etc/cron.d/rapsheet-dnsmasq',
        text: cronLine(`${fetch} && systemctl reload dnsmasq`),
      },
    ],
    reads,
  };
}

function nftables(subject: Subject): Consumer {
  const reads = { format: 'nftables' };
  const file = `/var/lib/rapsheet/${subject.service}.nft`;
  const fetch = fetchCommand(subject, reads, file);
  const rules = '/etc/nftables.d/rapsheet.nft';
  return {
    title: 'nftables',
    note: 'Sets of address and port, loaded in one transaction. Ports matter: customers of a tunnel share its addresses.',
    snippets: [
      ...FETCH_SETUP,
      {
        label: `${rules}; include it in /etc/nftables.conf`,
        text: nftablesRules(subject.service.replaceAll('-', '_')),
      },
      { label: 'Shell, once', text: `nft -f ${rules}\n${fetch}\nnft -f ${file}` },
      { label: '/etc/cron.d/rapsheet-nftables', text: cronLine(`${fetch}; nft -f ${file}`) },
    ],
    reads,
  };
}

function ipset(subject: Subject): Consumer {
  const reads = { format: 'ipset' };
  const file = `/var/lib/rapsheet/${subject.service}.ipset`;
  const fetch = fetchCommand(subject, reads, file);
  const load = `ipset restore -f ${file}`;
  const rules = (['v4', 'v6'] as const).flatMap((family) =>
    ['OUTPUT', 'FORWARD'].map(
      (chain) =>
        `${family === 'v4' ? 'iptables' : 'ip6tables'} -I ${chain} -m set --match-set c2-${subject.service}-${family} dst,dst -j REJECT`,
    ),
  );
  return {
    title: 'iptables, ipset',
    note: 'Sets of address and port, for machines without nftables. The first lines of the list show the names of its sets: those of a long feed are shortened.',
    snippets: [
      ...FETCH_SETUP,
      { label: 'Shell, once', text: `${fetch}\n${load}\n${rules.join('\n')}` },
      { label: '/etc/cron.d/rapsheet-ipset', text: cronLine(`${fetch} && ${load}`) },
    ],
    reads,
  };
}

function nftablesRules(feed: string): string {
  const chain = (hook: string) => `    chain ${hook} {
        type filter hook ${hook} priority filter; policy accept;
        meta l4proto { tcp, udp } ip daddr . th dport @c2_${feed}_ipv4 jump known
        meta l4proto { tcp, udp } ip6 daddr . th dport @c2_${feed}_ipv6 jump known
    }`;
  return `table inet rapsheet {
    set c2_${feed}_ipv4 { type ipv4_addr . inet_service; flags timeout; }
    set c2_${feed}_ipv6 { type ipv6_addr . inet_service; flags timeout; }

    chain known {
        counter log prefix "rapsheet: " reject
    }
${chain('output')}
${chain('forward')}
}`;
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
