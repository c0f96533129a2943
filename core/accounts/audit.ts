import type { Log } from '../observe/log.ts';

/** What an administrator wants to know afterwards about who got in, who tried, and what was handed out. */
export interface AuditEntry {
  action:
    | 'login'
    | 'login_failed'
    | 'login_throttled'
    | 'logout'
    | 'sessions_dropped'
    | 'authorization_granted'
    | 'authorization_denied'
    | 'token_issued'
    | 'token_refreshed'
    | 'token_revoked'
    | 'token_reused';
  /** null where nobody proved to be anybody */
  user_id: number | null;
  username?: string;
  ip: string;
  user_agent?: string;
  /** how the caller tried to prove who it is */
  via?: 'session' | 'basic' | 'oauth';
  session_id?: number;
  token_id?: number;
  application_id?: number;
  count?: number;
}

export type Audit = (entry: AuditEntry) => Promise<void>;

/** Every entry is a line of the log; `record` writes those of lasting interest where people look them up. */
export const createAudit =
  ({ log, record }: { log: Pick<Log, 'info'>; record?: (entry: AuditEntry) => Promise<void> }): Audit =>
  async (entry) => {
    log.info({ audit: true, ...entry }, entry.action.replaceAll('_', ' '));
    await record?.(entry);
  };
