import type { MailStore } from '../../ports/mail-store.ts';
import { findMail, listMail } from '../tables/webhooks/mail-destinations.ts';
import {
  claimMail,
  listMailDeliveries,
  renewMail,
  replayMail,
  settleMail,
  testMail,
} from '../transactions/webhooks/mail-deliveries.ts';
import type { Runner } from '../units/unit-of-work.ts';

export function createMailStore(runner: Runner): MailStore {
  return {
    find: (service) => runner.read(() => findMail(service)),
    list: () => runner.read(() => listMail()),
    deliveries: (service, page) => runner.read(() => listMailDeliveries(service, page)),
    replay: (service, id, at) => runner.write(() => replayMail(service, id, at)),
    test: (service, id, at) => runner.write(() => testMail(service, id, at)),
    claim: (request) => runner.write(() => claimMail(request)),
    renew: (claimed, lease) => runner.write(() => renewMail(claimed, lease)),
    settle: (claimed, settled) => runner.write(() => settleMail(claimed, settled)),
  };
}
