import type { Resource } from '@tapline/plugin-sdk';
import { type Catalog, compileResources } from '../descriptors/compile.ts';
import { assertExtensible } from '../descriptors/extend/extend.ts';
import type { OwnRoute } from '../descriptors/routes/routes.ts';
import { createActivity } from '../descriptors/write/activity.ts';
import { describedAuth } from '../http/auth/describe-auth.ts';
import { pluginExtensions, pluginOwners, pluginTypes } from '../plugins/content.ts';
import { proveSql } from '../plugins/prove-sql.ts';
import { connectPlugins } from '../plugins/services/connect.ts';
import { coreResources, coreRoutes } from '../resources/index.ts';
import type { Services } from './container.ts';

/** What the service is to serve. */
export interface Declared {
  resources: Resource[];
  routes: OwnRoute[];
}

/** Puts together what core and plugins declare; needs no database. @throws PluginError where a plugin does not fit core */
export function declare(core: Services): Declared {
  const { registries } = core;
  const resources = coreResources(core);
  assertExtensible({ resources, extensions: pluginExtensions(registries), owners: pluginOwners(registries) });
  return { resources, routes: coreRoutes(core, resources) };
}

/**
 * @param registries fewer plugins than were declared, where the tables of some are not made yet
 * @throws PluginError where what a plugin declares does not fit the database
 */
export async function compileCatalog(
  core: Services,
  { resources, routes }: Declared,
  registries = core.registries,
): Promise<Catalog> {
  const { db, log, doors, keyRing, settings, config } = core;
  const [all, declaredBy] = [pluginTypes(core.registries), pluginTypes(registries)];
  connectPlugins(core);
  const catalog = await compileResources({
    db,
    log,
    resources: resources.filter(({ type }) => declaredBy.has(type) || !all.has(type)),
    routes,
    besides: describedAuth,
    doors,
    launchTexts: () => core.hooks.taken(),
    keyRing,
    extensions: pluginExtensions(registries),
    owners: pluginOwners(registries),
    declaredBy,
    longest: (setting) => settings.get(setting),
    activity: createActivity({ settings, node: config.nodeName }),
  });
  await proveSql(catalog, registries);
  return catalog;
}
