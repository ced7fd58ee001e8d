import type { ConsumerGroup, Subject } from './consumer.ts';
import { files } from './files.ts';
import { networkFilters } from './network-filters.ts';
import { platforms } from './platforms.ts';
import { readingPrograms, writingPrograms } from './programs.ts';

/** Every form in which the server offers a feed, by who uses it. */
export function consumerGroups(subject: Subject): readonly ConsumerGroup[] {
  return [
    { title: 'Platforms', consumers: platforms(subject) },
    { title: 'Networks', consumers: networkFilters(subject) },
    { title: 'Files', consumers: files(subject) },
    { title: 'Programs', consumers: readingPrograms(subject) },
    { title: 'Sending', consumers: writingPrograms(subject) },
  ].filter(({ consumers }) => consumers.length > 0);
}
