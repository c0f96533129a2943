export interface Finding {
  level: 'ok' | 'warn' | 'fail';
  what: string;
  /** how to mend it */
  remedy?: string;
}

export const ok = (what: string): Finding => ({ level: 'ok', what });
export const warn = (what: string, remedy: string): Finding => ({ level: 'warn', what, remedy });
export const fail = (what: string, remedy: string): Finding => ({ level: 'fail', what, remedy });
