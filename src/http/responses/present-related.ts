import { formatC2Address } from '../../domain/reports/c2-address.ts';
import type { HostOrC2, RelatedToAddress } from '../../ports/search-store.ts';

export function presentRelated({ host, port }: HostOrC2, related: RelatedToAddress) {
  const { files, ports, names } = related;
  return {
    ...(port !== undefined && { c2: formatC2Address({ host, port }) }),
    host,
    files: {
      newest: files.items.map(({ sha256, fileName, c2s }) => ({
        sha256Hash: sha256,
        fileName,
        c2s: c2s.items.map(({ c2, family }) => ({
          c2: formatC2Address(c2),
          family: family ?? null,
        })),
        hasMoreC2s: c2s.hasMore,
      })),
      hasMore: files.hasMore,
    },
    sameHost: {
      c2s: ports.items.map((other) => formatC2Address({ host, port: other })),
      hasMore: ports.hasMore,
    },
    below: { hosts: names.items, hasMore: names.hasMore },
    successful: true as const,
  };
}
