import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { HeatTag } from '../../../src/domain/samples/analysis-report.ts';
import type { Proposal, ProposalPage } from '../../../src/ports/proposal-store.ts';
import type { NewAccount, NewToken, Store } from '../../../src/ports/store.ts';
import { FeedRig, later } from './feed-rig.ts';
import { audit, hex, NOW, newAccount, newSample, newToken } from './store-contract.ts';

export interface Researcher extends NewAccount {
  readonly token: NewToken;
}

/** A service with hosts of its own, and files that name them. */
export class ProposalsRig {
  readonly store: Store;
  readonly feeds: FeedRig;
  readonly service: string;
  /** The service answers for all names below it. */
  readonly suffix: string;
  /** An address of the service. */
  readonly address: string;
  #minutes = 0;

  private constructor(
    feeds: FeedRig,
    service: string,
    hosts: Pick<ProposalsRig, 'suffix' | 'address'>,
  ) {
    this.store = feeds.store;
    this.feeds = feeds;
    this.service = service;
    this.suffix = hosts.suffix;
    this.address = hosts.address;
  }

  static async in(store: Store, confidenceScale = 100): Promise<ProposalsRig> {
    const feeds = await FeedRig.in(store);
    const suffix = `${hex(6)}.example`;
    const service = await feeds.service(90, confidenceScale);
    const address = `2001:db8:${Number.parseInt(hex(2), 16).toString(16)}::1`;
    const declared = { hosts: [`*.${suffix}`], networks: [`${address}/128`] };
    await store.services.change(service, declared, audit);
    return new ProposalsRig(feeds, service, { suffix, address });
  }

  async researcher(): Promise<Researcher> {
    const [account, token] = [newAccount(), newToken()];
    assert.equal(typeof (await this.store.accounts.add(account, token, audit)), 'object');
    return { ...account, token };
  }

  file() {
    return newSample({ sha256: hex(32) });
  }

  upload(
    file: ReturnType<ProposalsRig['file']>,
    by: NewAccount,
    fileName = 'a.exe',
    uploadedAt = NOW,
  ) {
    const { md5, sha1, sha256, sha512, blake3, sizeBytes } = file;
    const digests = { md5, sha1, sha256, sha512, blake3 };
    return this.store.samples.submit({
      digests,
      sizeBytes,
      fileName,
      uploadedBy: by.id,
      uploadedAt,
    });
  }

  /** The first label of each address below the suffix; one with a dot is of another host. */
  async analyse(
    file: ReturnType<ProposalsRig['file']>,
    hosts: readonly string[],
    { tags = [] as readonly HeatTag[], family = 'LANTERN' } = {},
  ): Promise<void> {
    this.#minutes += 1;
    const c2s = hosts.map((host) => ({ host: this.hostOf(host), port: 4444, family }));
    const details = { evidence: [], indicators: [], facts: {}, members: [], c2s };
    const at = later(this.#minutes * 60_000);
    const report = { ...file, date: at, tags, configs: { [family]: {} } };
    await this.store.samples.finish({ report, details }, at);
  }

  hostOf(label: string): string {
    return /[.:]/.test(label) ? label : `${label}.${this.suffix}`;
  }

  list(by: NewAccount, page: Partial<ProposalPage> = {}): Promise<readonly Proposal[]> {
    const all = { state: undefined, sha256: undefined, before: undefined, limit: 100 };
    return this.store.proposals.list({ accountId: by.id, ...all, ...page });
  }

  /** As `<label> <state>`, in the order of the labels. */
  async states(by: NewAccount, page: Partial<ProposalPage> = {}): Promise<readonly string[]> {
    const found = await this.list(by, page);
    return found.map(({ c2, state }) => `${c2.host.split('.')[0]} ${state}`).sort();
  }

  report(proposal: Proposal, by: Researcher, id: string = randomUUID()) {
    return this.store.reports.create({
      ...this.feeds.report(proposal.service),
      id,
      c2: proposal.c2,
      sha256: proposal.sha256,
      reporterId: by.id,
      reportedBy: by.name,
      tokenId: by.token.id,
      proposalId: proposal.id,
    });
  }

  dismiss({ id }: Pick<Proposal, 'id'>, by: Researcher, at = later(1000)) {
    const dismissal = { id, reason: 'other' as const, note: undefined, at };
    return this.store.proposals.dismiss({ accountId: by.id, tokenId: by.token.id }, dismissal);
  }

  async only(by: NewAccount): Promise<Proposal> {
    const [proposal, ...others] = await this.list(by);
    assert.equal(others.length, 0);
    return proposal ?? assert.fail('there is no proposal');
  }
}
