export interface MispEventTable {
  id: string;
  service_id: number;
  day: string;
  part: number;
  /** In seconds since 1970. Unique in the installation. */
  stamp: number;
  first_reported_at: string;
  last_reported_at: string;
}
