import type { RunKind } from '@tapline/plugin-sdk';
import { callError } from '../observe/plugin-error.ts';
import { templateResource, type TemplateDeps } from '../runs/templates/resource.ts';
import { callOf } from './door/door.ts';
import type { Registries } from './registries.ts';

/**
 * The kinds of runs that plugins bring, with the templates that launch them.
 * @throws PluginError for a kind that core has, and for templates of no kind
 */
export function pluginKinds(registries: Registries, deps: TemplateDeps, core: readonly RunKind[]): RunKind[] {
  const kinds = registries.all('runKinds');
  for (const { plugin, item } of kinds) {
    const { kind, template } = item;
    const twin = core.find((one) => one.kind === kind || (template !== null && one.template === template));
    if (!twin) continue;
    const taken = twin.kind === kind ? `the run kind ${kind}` : `a run kind for templates ${template}`;
    throw callError(plugin, callOf('runKind', kind), `clashes: core has ${taken}`, 'choose another name');
  }
  const templates = registries.all('templateKinds');
  for (const { plugin, item } of templates)
    if (!kinds.some((kind) => kind.item.template === item.type))
      throw callError(
        plugin,
        callOf('templateKind', item.type),
        'is launched as no kind of run',
        `declare one by api.runKind({ template: "${item.type}", … })`,
      );
  return kinds.map(({ item: kind }) => {
    const own = templates.filter(({ item }) => item.type === kind.template);
    const resources = own.map(({ item }) => templateResource(deps, kind, item));
    return { ...kind, resources: [...resources, ...(kind.resources ?? [])] };
  });
}
