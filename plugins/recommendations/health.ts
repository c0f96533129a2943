import type { HealthReport } from '@tapline/plugin-sdk';
import type { Reading } from './inputs.ts';

/** A rule that is left out looks like one that has nothing to say: whoever operates the service has to learn of it. */
export function healthOf({ unread }: Reading): HealthReport {
  if (!unread.size) return { status: 'ok' };
  const reasons = [...unread].map(([name, { message }]) => `${name} (${message})`);
  return {
    status: 'degraded',
    detail: `Recommendations that need what could not be read are left out: ${reasons.join(', ')}.`,
  };
}
