import type { CheckoutSource, LaunchContent, LaunchSource, NamedRecord, RunContent } from '@tapline/plugin-sdk';
import { trackedModules } from '../scm/modules.ts';
import type { ContentsDeps } from './deps.ts';
import { readOnlyCopy } from './read-only-copy.ts';

/** Which files a run works with: for core, and as taps are told of it. */
export interface Settled {
  from: CheckoutSource;
  told: LaunchSource;
}

export const settled = async ({ id, name }: NamedRecord, { source, entries }: RunContent): Promise<Settled> => ({
  from: source,
  told: Object.freeze({
    project: Object.freeze({ id, name }),
    revision: source.kind === 'git' ? source.revision : '',
    state: await stateOf(source),
    entries: Object.freeze([...entries]),
  }),
});

/** A commit says all but what submodules hold that follow their branch. */
async function stateOf(source: CheckoutSource): Promise<string> {
  if (source.kind !== 'git') return '';
  const tracked = source.submodules ? Object.entries(await trackedModules(source.repository, source.revision)) : [];
  const followed = tracked.map(([path, commit]) => `${path}@${commit}`).toSorted();
  return [source.revision, ...followed].join(' ');
}

/** @throws Error for more than the settings allow */
export async function filesOf(
  { settings }: Pick<ContentsDeps, 'settings'>,
  { from, told }: Settled,
  folder: string,
): Promise<LaunchContent> {
  await readOnlyCopy(from, folder, {
    bytes: settings.get('CHECKOUT_MAX_BYTES'),
    files: settings.get('CHECKOUT_MAX_FILES'),
  });
  return Object.freeze({ ...told, folder });
}
