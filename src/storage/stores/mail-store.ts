import type { MailStore } from '../../ports/mail-store.ts';
import { renewLeases } from '../tables/deliveries/delivery-leases.ts';
import { findMail, listMail } from '../tables/mail/mail.ts';
import { leaseMail } from '../transactions/mail/lease-mail.ts';
import {
  listMailDeliveries,
  replayMail,
  settleMail,
  testMail,
} from '../transactions/mail/mail-deliveries.ts';
import type { Runner } from '../units/runner.ts';

export function createMailStore(runner: Runner): MailStore {
  return {
    find: (service) => runner.read(() => findMail(service)),
    list: () => runner.read(() => listMail()),
    deliveries: (service, page) => runner.read(() => listMailDeliveries(service, page)),
    replay: (service, id, at) => runner.write(() => replayMail(service, id, at)),
    test: (service, id, at) => runner.write(() => testMail(service, id, at)),
    lease: (request) => runner.write(() => leaseMail(request)),
    renew: (leased, lease) => {
      const deliveries = leased.flatMap((mail) => mail.deliveries);
      return runner.write(() => renewLeases(deliveries, lease));
    },
    settle: (settled) => runner.write(() => settleMail(settled)),
  };
}
