import { isDatabaseAway, isTimeout } from './database-errors.ts';

/** Whether Postgres is away, as the bus sees it, which tells when that begins and ends. */
export interface Outage {
  away: boolean;
}

export const createOutage = (): Outage => ({ away: false });

/**
 * Is a line of the log only one more consequence of an outage? A connection that was lost is one even before the bus has
 * noticed; a timeout, which may have other reasons, only while Postgres is known to be away.
 */
export function isConsequence({ away }: Outage, fields: Record<string, unknown>): boolean {
  const { err, status } = fields as { err?: { status?: number }; status?: number };
  if (isDatabaseAway(err) && (away || !isTimeout(err))) return true;
  return away && (status === 503 || err?.status === 503);
}
