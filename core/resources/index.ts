import type { PluginRoute, Resource } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Config } from '../app/config.ts';
import type { Hooks } from '../hooks/hooks.ts';
import type { Bus } from '../jobs/bus.ts';
import type { Statuses } from '../jobs/status.ts';
import type { LaunchService } from '../launch/launch.ts';
import { assertFits, assertRoutesFit } from '../plugins/clashes.ts';
import { pluginResources, pluginRoutes } from '../plugins/content.ts';
import type { PluginHealth } from '../plugins/health.ts';
import type { Registries } from '../plugins/registries.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { RunEntries } from '../launch/run-entries.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { Settings } from '../settings/settings.ts';
import { withActivityStream } from './activity-stream.ts';
import { applicationResource } from './application.ts';
import { configRoute } from './config.ts';
import { credentialResource } from './credential.ts';
import { credentialTypeResource } from './credential-type.ts';
import { dashboardRoutes } from './dashboard.ts';
import { docsRoutes } from './docs.ts';
import { emptyLists } from './empty-lists.ts';
import { groupResource } from './group.ts';
import { hooksRoute, hookTraceResource } from './hook.ts';
import { hostResource } from './host.ts';
import { inventoryResource } from './inventory.ts';
import { instanceGroupResource } from './instance-group.ts';
import { instanceResource } from './instance.ts';
import { jobResource } from './job.ts';
import { jobEventResource } from './job-event.ts';
import { jobHostSummaryResource } from './job-host-summary.ts';
import { jobTemplateResource } from './job-template.ts';
import { projectResource } from './project.ts';
import { projectUpdateResource } from './project-update.ts';
import { withCapabilities, withOwnCapabilities } from '../rbac/descriptor.ts';
import type { Doors } from '../rbac/doors.ts';
import { type CorePermissions, createPermissions } from '../rbac/permissions.ts';
import { labelResource } from './label.ts';
import { projectUpdateEventResource } from './project-update-event.ts';
import { meRoute } from './me.ts';
import { meshRoute } from './mesh.ts';
import { metricsRoute } from './metrics.ts';
import { navigationRoute } from './navigation.ts';
import { organizationResource } from './organization.ts';
import { pingRoute } from './ping.ts';
import { pluginStatusRoutes } from './plugin.ts';
import { roleResource } from './role.ts';
import { withRoles } from './role-facets.ts';
import { rootRoutes } from './root.ts';
import { settingRoutes } from './settings.ts';
import { teamResource } from './team.ts';
import { tokenResource } from './token.ts';
import { unifiedJobResource } from './unified-job.ts';
import { unifiedJobTemplateResource } from './unified-job-template.ts';
import { userResource } from './user.ts';

/** What descriptors may take from the container; add what yours needs. */
export interface ResourceServices {
  db: Knex;
  config: Config;
  settings: Settings;
  keyRing: KeyRing;
  bus: Bus;
  statuses: Statuses;
  launch: LaunchService;
  hooks?: Hooks;
  entries?: RunEntries;
  metrics: Metrics;
  doors?: Doors;
  registries?: Registries;
  pluginHealth?: PluginHealth;
}

/** Every resource of core, one line each, and those of plugins. */
export function coreResources(given: ResourceServices): Resource[] {
  const permissions = createPermissions(given);
  // not a copy: the container makes a service when it is first asked for
  const services: ResourceServices & { permissions: CorePermissions } = Object.create(given, {
    permissions: { value: permissions },
  });
  const resources = [
    organizationResource(services),
    userResource(services),
    applicationResource(services),
    teamResource(services),
    roleResource(services),
    instanceGroupResource(services),
    labelResource(services),
    tokenResource(services),
    inventoryResource(services),
    hostResource(services),
    groupResource(services),
    credentialTypeResource(services),
    credentialResource(services),
    projectResource(services),
    projectUpdateResource(services),
    projectUpdateEventResource(services),
    jobTemplateResource(services),
    jobResource(services),
    jobEventResource(services),
    jobHostSummaryResource(services),
    instanceResource(services),
    unifiedJobResource(services),
    unifiedJobTemplateResource(services),
    hookTraceResource(),
  ];
  if (services.registries) assertFits(services.registries, resources);
  const added = pluginResources(services.registries).map(withOwnCapabilities);
  return withActivityStream(resources, added).map((resource) =>
    withRoles(withCapabilities(resource, permissions), services),
  );
}

/** What plugins serve, and what tells of them. */
function routesOfPlugins(
  { registries, pluginHealth }: ResourceServices,
  resources: readonly Resource[],
  core: readonly PluginRoute[],
): PluginRoute[] {
  if (!registries || !pluginHealth) return [];
  const about = [...pluginStatusRoutes({ registries, pluginHealth }), navigationRoute({ registries })];
  const roots = new Set([...core, ...about].flatMap(({ root }) => root ?? []));
  const added = new Set(registries.all('resources').map(({ item }) => item.type));
  for (const { type, root, path } of resources) if (root !== false && !added.has(type)) roots.add(root || path);
  assertRoutesFit(registries, { roots, types: new Set(resources.map(({ type }) => type)) });
  return [...about, ...pluginRoutes(registries)];
}

/** Every route that belongs to no resource. */
export function coreRoutes(services: ResourceServices, resources: readonly Resource[]): PluginRoute[] {
  const routes: PluginRoute[] = [
    pingRoute(services),
    configRoute(services),
    meRoute,
    ...settingRoutes(services, resources),
    ...docsRoutes(),
    ...dashboardRoutes(services, resources),
    meshRoute(services),
    metricsRoute(services),
    hooksRoute(services),
    ...emptyLists(resources),
  ];
  routes.push(...routesOfPlugins(services, resources, routes));
  return [...routes, ...rootRoutes(services, resources, routes)];
}
