import { signal } from '@preact/signals';
import { get } from '../api/http.ts';
import type { Page } from '../api/types.ts';

export interface PluginPanel {
  /** type of the record on whose page it stands */
  on: string;
  title: string;
  order: number;
  module: string;
  /** name of the component in the module */
  export: string;
  plugin: string;
}

export interface PluginPages {
  path: string;
  title: string;
  module: string;
  panels: Omit<PluginPanel, 'plugin'>[];
  plugin: string;
}

/** Of the plugins that are on. */
export const pluginPages = signal<readonly PluginPages[]>([]);

export async function readPluginPages(): Promise<void> {
  pluginPages.value = (await get<Page<PluginPages>>('console_pages/?page_size=200', { quiet: true })).results;
}

/** The plugin's pages at this path, or above it. */
export const pluginPagesAt = (path: string): PluginPages | undefined =>
  pluginPages.value
    .filter((pages) => `${path}/`.startsWith(`${pages.path.replace(/\/$/, '')}/`))
    .toSorted((a, b) => b.path.length - a.path.length)[0];

export const panelsOn = (type: string): PluginPanel[] =>
  pluginPages.value
    .flatMap(({ panels, plugin }) => panels.map((panel) => ({ ...panel, plugin })))
    .filter(({ on }) => on === type)
    .toSorted((a, b) => a.order - b.order || a.title.localeCompare(b.title, 'en'));
