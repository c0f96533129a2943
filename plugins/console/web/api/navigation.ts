import { signal } from '@preact/signals';
import { get } from './http.ts';
import type { Page } from './types.ts';

export interface NavigationEntry {
  path: string;
  label: string;
}

/** What the plugins that are on bring, in their order; other plugins' pages come and go with them. */
export const navigation = signal<readonly NavigationEntry[]>([{ path: '/', label: 'Overview' }]);

export async function readNavigation(): Promise<void> {
  navigation.value = (await get<Page<NavigationEntry>>('navigation/', { quiet: true })).results;
}
