import { signal } from '@preact/signals';
import { ApiFailure, get, liveState, type Page, user, t } from '@tapline/console-kit';
import { readPluginPages } from '@tapline/console-kit/shell';

export interface NavigationEntry {
  path: string;
  label: string;
  /** the heading under which it stands */
  section?: string;
  /** its plugin serves a page of its own there */
  served?: boolean;
  plugin?: string;
}

/** Whether the service was asked: until then nobody knows which pages plugins bring. */
export const navigationKnown = signal(false);

/** What the plugins that are on bring, in their order; other plugins' pages come and go with them. */
export const navigation = signal<readonly NavigationEntry[]>([{ path: '/', label: t`Overview` }]);

/**
 * Pages where most people would find nothing, each with a list that holds something for those who do. Events of the audit are
 * shown to whoever administers an organization; looking among millions of them for one would cost more than asking that.
 */
const narrowed: Readonly<Record<string, string>> = {
  '/audit': 'organizations/?role_level=admin_role&page_size=1',
  '/settings': 'settings/?page_size=1',
  '/plugins': 'plugins/?page_size=1',
  '/hooks': 'plugins/?page_size=1',
  '/system': 'plugins/?page_size=1',
  '/instances': 'instances/?page_size=1',
  '/system_job_templates': 'system_job_templates/?page_size=1',
};

/** Reads it now and after each lost connection: the service may have come back with other plugins. Returns how to stop. */
export function keepNavigation(): () => void {
  const read = () => void readNavigation().catch(() => undefined);
  read();
  let lost = false;
  return liveState.subscribe((state) => {
    if (state === 'lost') lost = true;
    else if (lost && (state === 'open' || state === 'polling')) {
      lost = false;
      read();
    }
  });
}

async function readNavigation(): Promise<void> {
  try {
    const [{ results }] = await Promise.all([
      get<Page<NavigationEntry>>('navigation/?page_size=200', { quiet: true }),
      // without them the menu is still there
      readPluginPages().catch(() => undefined),
    ]);
    const known = user.peek();
    const all = known?.is_superuser || known?.is_system_auditor;
    const shown = await Promise.all(results.map(async ({ path }) => all || holdsSomething(path)));
    navigation.value = results.filter((_, i) => shown[i]);
  } finally {
    navigationKnown.value = true;
  }
}

async function holdsSomething(path: string): Promise<boolean> {
  const list = narrowed[path];
  if (list === undefined) return true;
  try {
    return (await get<Page<unknown>>(list, { quiet: true })).count > 0;
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    // a service that is away refuses nobody anything
    const refused = error.status >= 400 && error.status < 500;
    return !refused && navigation.peek().some((entry) => entry.path === path);
  }
}
