import { type Page, type Query, useQuery } from '@tapline/console-kit';

interface Health {
  status: 'ok' | 'degraded' | 'failed';
  detail?: string | null;
}

export interface Plugin {
  id: string;
  title: string;
  version: string;
  description: string;
  /** `on`, or why it is not */
  state: string;
  reason: string;
  /** null where it says nothing of its health */
  health: Health | null;
  /** by kind */
  contributions: Record<string, { count: number; names: string[] }>;
}

export const usePlugins = (): Query<Page<Plugin>> => useQuery<Page<Plugin>>('plugins/?page_size=200');

/** What is wrong with it; null when nothing is known to be. */
export function problemOf({ state, reason, health }: Plugin): Health | null {
  if (state !== 'on') return { status: 'failed', detail: reason };
  return health && health.status !== 'ok' ? health : null;
}
