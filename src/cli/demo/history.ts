import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../domain/accounts/caller.ts';
import { MAX_PROPOSALS } from '../../domain/proposals/proposal.ts';
import type { Service } from '../../domain/services/service.ts';
import { accountBody, serviceBody } from '../../http/requests/admin-fields.ts';
import { createBody } from '../../http/requests/report-fields.ts';
import { addAccount } from '../../operations/accounts/add-account.ts';
import { identifyCaller } from '../../operations/accounts/identify-caller.ts';
import type { Dependencies } from '../../operations/dependencies.ts';
import { reportProposal } from '../../operations/proposals/report-proposal.ts';
import { createReport } from '../../operations/reports/create-report.ts';
import { addService } from '../../operations/services/add-service.ts';
import type { Proposal } from '../../ports/proposal-store.ts';
import { auditContextOf, parseInput } from '../store-command.ts';

/** Something that happened at a time; the clock of the dependencies is set to it. */
export interface Step {
  readonly at: number;
  run(deps: Dependencies): Promise<void>;
}

/** `demo/feed.json`: services and accounts as request bodies of the API. */
export interface DemoSetup {
  readonly begunDaysAgo: number;
  readonly samplesImportedDaysAgo: number;
  readonly services: readonly Record<string, unknown>[];
  readonly accounts: readonly { readonly who: string; readonly account: Record<string, unknown> }[];
}

export interface DemoReport {
  readonly id: string;
  readonly service: string;
  readonly sha256: string;
}

export interface DemoAccount {
  readonly id: string;
  readonly name: string;
  readonly who: string;
  readonly token: string;
}

export interface DemoCounts {
  services: number;
  deletions: number;
  samples: number;
  uploads: number;
  outcomes: number;
  deliveries: number;
}

/** What was created so far. */
export class DemoHistory {
  readonly accounts: DemoAccount[] = [];
  /** Those that were not deleted, by what planned them. */
  readonly reports = new Map<object, DemoReport>();
  readonly counts: DemoCounts = {
    services: 0,
    deletions: 0,
    samples: 0,
    uploads: 0,
    outcomes: 0,
    deliveries: 0,
  };

  async setUp(deps: Dependencies, setup: DemoSetup): Promise<void> {
    for (const service of setup.services)
      await addService(deps, auditContextOf(deps), parseInput(serviceBody, service));
    this.counts.services = setup.services.length;
    for (const { who, account: body } of setup.accounts) {
      const request = parseInput(accountBody, body);
      const { account, token } = await addAccount(deps, auditContextOf(deps), request);
      this.accounts.push({ id: account.id, name: account.name, who, token });
    }
  }

  async service(deps: Dependencies, slug: string): Promise<Service> {
    const found = await deps.store.access.findService(slug);
    if (found === undefined) throw new Error(`the demo has no service ${slug}`);
    return found;
  }

  async caller(deps: Dependencies, name: string): Promise<Caller> {
    const account = this.accounts.find((each) => each.name === name);
    const caller = account && (await identifyCaller(deps, account.token));
    if (caller === undefined) throw new Error(`the demo has no account ${name}`);
    return caller;
  }

  /** Creates a report from a request body of the API, or accepts the proposal of it. */
  async report(
    deps: Dependencies,
    planned: object,
    request: { readonly service: string; readonly by: string; readonly body: object },
  ): Promise<void> {
    const service = await this.service(deps, request.service);
    const body = parseInput(createBody(service.confidenceScale), { ...request.body });
    const caller = await this.caller(deps, request.by);
    const { c2Address: c2, file256Hash: sha256 } = body;
    const draft = {
      tags: body.tags ?? [],
      c2,
      sha256,
      reference: body.referenceLink,
      confidence: body.confidenceScore,
    };
    const proposal = (await this.openProposals(deps, caller, sha256)).find(
      (one) => one.service === service.slug && isDeepStrictEqual(one.c2, c2),
    );
    const { id } =
      proposal === undefined
        ? await createReport(deps, caller, service, draft)
        : await reportProposal(deps, caller, proposal, draft);
    this.reports.set(planned, { id, service: service.slug, sha256 });
  }

  /** What the account has not decided about a file. */
  async openProposals(
    deps: Dependencies,
    { accountId }: Caller,
    sha256: string,
  ): Promise<readonly Proposal[]> {
    const page = { accountId, sha256, state: 'open' as const, before: undefined };
    return deps.store.proposals.list({ ...page, limit: MAX_PROPOSALS });
  }
}
