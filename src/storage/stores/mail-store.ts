import type { MailStore } from '../../ports/mail-store.ts';
import {
  listMailDeliveries,
  renewMail,
  replayMail,
  settleMail,
  testMail,
} from '../tables/webhooks/mail-deliveries.ts';
import { findMail, listMail } from '../tables/webhooks/mail-destinations.ts';
import { leaseMail } from '../transactions/webhooks/lease-mail.ts';
import type { Runner } from '../units/runner.ts';

export function createMailStore(runner: Runner): MailStore {
  return {
    find: (service) => runner.read(() => findMail(service)),
    list: () => runner.read(() => listMail()),
    deliveries: (service, page) => runner.read(() => listMailDeliveries(service, page)),
    replay: (service, id, at) => runner.write(() => replayMail(service, id, at)),
    test: (service, id, at) => runner.write(() => testMail(service, id, at)),
    lease: (request) => runner.write(() => leaseMail(request)),
    renew: (leased, lease) => runner.write(() => renewMail(leased, lease)),
    settle: (leased, settled) => runner.write(() => settleMail(leased, settled)),
  };
}
