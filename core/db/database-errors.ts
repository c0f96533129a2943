/** Connection exceptions, shutdown in progress, too many connections (classes 08, 57P, 53300). */
const sqlStates = /^(08...|57P0[1-5]|53300)$/;
const systemCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EACCES',
]);
const messages = [
  'timeout exceeded when trying to connect',
  'Connection terminated',
  'Query read timeout',
  'Client has encountered a connection error',
  'Client was closed',
  'the database system is',
  'timeout expired',
  'operation timed out for an unknown reason',
];

/** One that a busy pool or a long query brings about as well. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'KnexTimeoutError' || /time(out|d out)/.test(error.message));

/** A statement that took longer than whoever asked for it gave it. */
export const isOverdue = (error: unknown): boolean =>
  error instanceof Error && error.name === 'KnexTimeoutError' && error.message.startsWith('Defined query timeout');

/** Is this error about reaching Postgres rather than about what it was asked? Then the answer is 503, and trying again helps. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as Error & { code?: string; syscall?: string };
  if (code && sqlStates.test(code)) return true;
  // a file that is missing is ENOENT as well: only calls on sockets count
  if (code && systemCodes.has(code) && /^(connect|read|write|getaddrinfo)$/.test(syscall ?? ''))
    return !('path' in error);
  if (error.name === 'KnexTimeoutError') return !isOverdue(error);
  return messages.some((text) => error.message.includes(text));
}
