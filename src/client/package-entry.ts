/** What `rapsheet/client` exports. It uses nothing of Node, so that browsers can load it too. */
export {
  type ClientOptions,
  type FoundSimilar,
  type LookedUp,
  type LookedUpDetails,
  type LookedUpMany,
  type LookedUpReportAndDetails,
  type ProposalListOptions,
  RapsheetClient,
  type StoredReport,
  type UploadOptions,
} from './client.ts';
export { type Quota, RapsheetError } from './error.ts';
export type { ExportedFile } from './exported-file.ts';
export type { ChangesOptions, ExportOptions, ListOptions, StreamOptions } from './feeds.ts';
export type { FeedEvent, FollowedChange, FollowOptions } from './follow.ts';
export type * from './wire.ts';
