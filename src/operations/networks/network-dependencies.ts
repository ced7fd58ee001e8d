import type { NetworkTables } from '../../ports/networks.ts';

export interface NetworkDependencies {
  readonly networks: NetworkTables;
}
