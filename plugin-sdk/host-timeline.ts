import { z } from 'zod';

/** Something that happened to a host. */
export interface HostTimelineEntry {
  /** ISO 8601 */
  at: string;
  /** of the record that tells of it: whoever may not see that does not see the entry */
  id: number;
  /** one line for people */
  summary: string;
  /** where it is told in full: `/api/v2/event_logs/5/` */
  url: string;
}

/** Of which host, and of which time; both ends included. */
export interface HostTimelineSpan {
  host: number;
  /** ISO 8601 */
  from: string;
  to: string;
  /** more than so many are not told */
  most: number;
}

/** Tells what happened to hosts, for whoever shows it in the order of time beside what others tell. */
export interface HostTimelineSource {
  /** what its entries are, in a word of its own: `event_log` */
  kind: string;
  /** the resource type of the records behind them */
  type: string;
  /** The newest ones of that time, newest first. Rights are asked about by the caller, who leaves out a source that throws. */
  read(span: HostTimelineSpan): Promise<readonly HostTimelineEntry[]>;
}

export const hostTimelineSchema = z.looseObject({
  kind: z.string().regex(/^[a-z][a-z_]{0,62}$/, 'must be a lower-case name'),
  type: z.string().min(1),
  read: z.custom<HostTimelineSource['read']>((value) => typeof value === 'function', 'must be a function'),
});
