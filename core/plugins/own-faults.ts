import { missingModule, pagesProblem, rulesWithoutTheirRow } from '@tapline/plugin-sdk/checks';
import { callError } from '../observe/plugin-error.ts';
import { callOf } from './door/door.ts';
import type { Registered } from './registries.ts';

/** What can be said of a plugin by itself once all of it is registered. @throws PluginError for the first fault */
export async function assertSound({ plugin, contributions }: Registered): Promise<void> {
  for (const page of contributions.consolePages) {
    const problem = missingModule(page);
    if (problem !== undefined) throw callError(plugin.id, callOf('page', page.path), 'has nothing to load', problem);
  }
  for (const pages of contributions.pages) {
    const problem = pagesProblem(pages);
    if (problem !== undefined) throw callError(plugin.id, callOf('pages', pages.path), 'has nothing to serve', problem);
  }
  const [rowless] = await rulesWithoutTheirRow(contributions);
  if (!rowless) return;
  const [kind, name] = rowless.on;
  throw callError(
    plugin.id,
    callOf(kind, name),
    `guards ${rowless.where} by "${rowless.rule}", a rule over a row, and there is none`,
    'take a rule over the caller alone, such as authenticated, and look at what the request names in the handler',
  );
}
