import { useQueries } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Copy, Download, Ellipsis, Link2, Printer, RefreshCw, RotateCw } from 'lucide-react';
import { client } from '../../api/client.ts';
import { addressQuery, lookUpFileAgain } from '../../api/files.ts';
import { isAdmin, isResearcher, useMe } from '../../api/session.ts';
import { copyText } from '../../components/identifiers/copy-text.ts';
import { LinkButton } from '../../components/link-button.tsx';
import { MenuButton } from '../../components/menu/menu-button.tsx';
import type { MenuEntry } from '../../components/menu/menu-groups.ts';
import { showError, showToast } from '../../components/overlays/toasts.tsx';
import { defang } from '../../text/defang.ts';
import { c2sOf, type LookedUpFile } from './file.ts';
import styles from './file-page.module.css';

export function FileActions({ file }: { readonly file: LookedUpFile }) {
  const me = useMe();
  const mayReport = isResearcher(me);
  const { sha256Hash } = file.report;
  return (
    <span className={styles['actions']}>
      {mayReport && <Report file={file} />}
      <MenuButton
        label="More"
        icon={<Ellipsis aria-hidden />}
        look="plain"
        groups={[
          { entries: entriesOf(sha256Hash, { mayDownload: mayReport, isAdmin: isAdmin(me) }) },
        ]}
      />
    </span>
  );
}

/** As many addresses as the overview shows. */
const MAX_ROUTED = 9;

/** Leads to the form of the feed of an address, with both filled in. */
function Report({ file }: { readonly file: LookedUpFile }) {
  const navigate = useNavigate();
  const c2s = c2sOf(file.details).slice(0, MAX_ROUTED);
  const routes = useQueries({ queries: c2s.map(({ address }) => addressQuery(address)) });
  const targets = c2s.flatMap(({ address: c2 }, index) => {
    const service = routes[index]?.data?.feed ?? undefined;
    return service === undefined ? [] : [{ c2, service }];
  });
  const hash = file.report.sha256Hash;
  const [first] = targets;
  if (first === undefined) return null;
  if (targets.length === 1)
    return (
      <LinkButton
        look="primary"
        to="/feeds/$service/new"
        params={{ service: first.service }}
        search={{ c2: first.c2, hash }}
      >
        Report
      </LinkButton>
    );
  return (
    <MenuButton
      look="primary"
      label="Report …"
      groups={[
        {
          title: 'Which address?',
          entries: targets.map(({ c2, service }) => ({
            id: c2,
            label: `${defang(c2)} → ${service}`,
            onAction: () =>
              void navigate({
                to: '/feeds/$service/new',
                params: { service },
                search: { c2, hash },
              }),
          })),
        },
      ]}
    />
  );
}

interface Rights {
  readonly mayDownload: boolean;
  readonly isAdmin: boolean;
}

function entriesOf(sha256: string, { mayDownload, isAdmin }: Rights): readonly MenuEntry[] {
  return [
    {
      id: 'link',
      label: 'Copy the link to this page',
      icon: <Link2 aria-hidden />,
      onAction: () => void copy(`${location.origin}/files/${sha256}`),
    },
    {
      id: 'hash',
      label: 'Copy the SHA-256',
      icon: <Copy aria-hidden />,
      onAction: () => void copy(sha256),
    },
    {
      id: 'look-up',
      label: 'Look up again (1 unit)',
      icon: <RotateCw aria-hidden />,
      onAction: () => void lookUpAgain(sha256),
    },
    { id: 'print', label: 'Print', icon: <Printer aria-hidden />, onAction: () => print() },
    ...(mayDownload
      ? [
          {
            id: 'download',
            label: 'Download as zip (password: infected)',
            icon: <Download aria-hidden />,
            onAction: () => download(sha256),
          },
        ]
      : []),
    ...(isAdmin
      ? [
          {
            id: 'again',
            label: 'Analyse again',
            icon: <RefreshCw aria-hidden />,
            onAction: () => void analyseAgain(sha256),
          },
        ]
      : []),
  ];
}

async function lookUpAgain(sha256: string): Promise<void> {
  try {
    await lookUpFileAgain(sha256);
    showToast({ text: 'This is the present analysis.' });
  } catch (error) {
    showError(error);
  }
}

async function analyseAgain(sha256: string): Promise<void> {
  try {
    await client.analyseAgain(sha256);
    showToast({ text: 'The file is queued. This report stays until the new one is ready.' });
  } catch (error) {
    showError(error);
  }
}

async function copy(text: string): Promise<void> {
  const isDone = await copyText(text);
  showToast({ text: isDone ? 'Copied.' : 'The browser refused to copy.', isError: !isDone });
}

function download(sha256: string): void {
  const link = document.createElement('a');
  link.href = `/private/sample/${sha256}/file`;
  link.download = `${sha256}.zip`;
  link.click();
}
