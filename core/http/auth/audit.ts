import type { Log } from '../../observe/log.ts';

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
  application_id?: number;
  count?: number;
}

export type Audit = (entry: AuditEntry) => void;

export const createAudit =
  ({ log }: { log: Pick<Log, 'info'> }): Audit =>
  (entry) =>
    log.info({ audit: true, ...entry }, entry.action.replaceAll('_', ' '));
