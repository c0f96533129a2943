import type { PluginRoute, Resource, RunKind } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Config } from '../config/config.ts';
import type { Catalog } from '../descriptors/compile.ts';
import type { OwnRoute } from '../descriptors/routes/routes.ts';
import type { Hooks } from '../hooks/hooks.ts';
import type { Bus } from '../queue/bus.ts';
import type { Queue } from '../queue/queue.ts';
import type { Visible } from '../runs/access.ts';
import type { RunEntries } from '../runs/entries.ts';
import type { RunKinds } from '../runs/kinds.ts';
import { eventResource, runResource } from '../runs/resource.ts';
import type { Statuses } from '../runs/status.ts';
import { assertFits, assertRoutesFit } from '../plugins/clashes.ts';
import { pluginResources, pluginRoutes } from '../plugins/content.ts';
import type { PluginHealth } from '../plugins/services/health.ts';
import type { SwitchDeps } from '../plugins/switch/switches.ts';
import type { Registries } from '../plugins/registries.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { NotificationKinds } from '../notifications/registry.ts';
import type { CredentialSources } from '../credentials/sources/registry.ts';
import type { Outbound } from '../outbound/request.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { Settings } from '../settings/settings.ts';
import { withActivityStream } from './system/activity-stream.ts';
import { analyticsRoute } from './system/analytics.ts';
import { auditEventResource } from './system/audit-event.ts';
import { applicationResource } from './people/application.ts';
import { authRoute } from './system/auth.ts';
import { bulkRoutes } from './inventory/bulk/routes.ts';
import { configRoutes } from './system/config.ts';
import { credentialInputSourceResource } from './credentials/credential-input-source.ts';
import { credentialResource } from './credentials/credential.ts';
import { credentialTypeResource } from './credentials/credential-type.ts';
import { dashboardRoutes } from './runs/dashboard.ts';
import { docsRoutes } from './system/docs.ts';
import { executionEnvironmentResource } from './system/execution-environment.ts';
import { constructedInventoryResource } from './inventory/constructed-inventory.ts';
import { federatedInventoryResource } from './inventory/federated-inventory.ts';
import { groupResource } from './inventory/group.ts';
import { hooksRoute, hookTraceResource } from './system/hook.ts';
import { hostMetricMonthResource, hostMetricResource } from './system/host-metric.ts';
import { hostResource } from './inventory/host.ts';
import { inventoryResource } from './inventory/inventory.ts';
import { instanceGroupResource } from './instances/instance-group.ts';
import { instanceResource } from './instances/instance.ts';
import { withCapabilities, withOwnCapabilities } from '../rbac/descriptor.ts';
import type { Doors } from '../rbac/doors.ts';
import { labelResource } from './label.ts';
import { meRoute } from './people/me.ts';
import { meshRoute } from './instances/mesh.ts';
import { receptorAddressesRoute } from './instances/receptor-addresses.ts';
import { metricsRoute } from './system/metrics.ts';
import { consolePagesRoute } from './system/console-pages.ts';
import { navigationRoute } from './system/navigation.ts';
import { organizationResource } from './people/organization.ts';
import { notificationResource } from './notifications/notification.ts';
import { notificationTemplateResource } from './notifications/notification-template.ts';
import { pingRoute } from './system/ping.ts';
import { type SystemFindings, systemStateRoute } from './system/system-state.ts';
import { pluginStatusRoutes } from './system/plugin.ts';
import { pluginSwitchRoute } from './system/plugin-switch.ts';
import { roleResource } from './people/role.ts';
import { roleAssignmentResource } from './people/role-assignment.ts';
import { roleDefinitionResource } from './people/role-definition.ts';
import { roleMetadataRoute } from './people/role-metadata.ts';
import { withRoles } from './people/role-facets.ts';
import { rootRoutes } from './system/root.ts';
import { scheduleResource } from './runs/schedule.ts';
import { withSchedules } from './runs/template-schedules.ts';
import { serviceIndexRoutes } from './system/service-index.ts';
import { settingRoutes } from './system/settings.ts';
import { teamResource } from './people/team.ts';
import { tokenResource } from './people/token.ts';
import { unifiedJobResource } from './runs/unified-job.ts';
import { unifiedJobTemplateResource } from './runs/unified-job-template.ts';
import { userResource } from './people/user.ts';

/** What descriptors may take from the container; add what yours needs. */
export interface ResourceServices {
  db: Knex;
  config: Config;
  settings: Settings;
  keyRing: KeyRing;
  sandbox: Sandbox;
  outbound: Outbound;
  credentialSources: CredentialSources;
  notificationKinds: NotificationKinds;
  bus: Bus;
  queue: Pick<Queue, 'addTasks'>;
  statuses: Statuses;
  entries: RunEntries;
  kinds: RunKinds;
  visible: Visible;
  hooks?: Hooks;
  metrics: Metrics;
  doors: Doors;
  registries?: Registries;
  pluginHealth?: PluginHealth;
  systemFindings?: SystemFindings;
  lookAtPlugins?: SwitchDeps['lookAtPlugins'];
  /** compiled of these resources: there by the time that somebody asks them for something */
  readonly catalog?: Catalog;
}

/** Every resource of core, one line each, those of the kinds of runs, and those of plugins. */
export function coreResources(services: ResourceServices): Resource[] {
  const { visible, kinds, registries } = services;
  const brought = new Set(registries?.all('runKinds').map(({ item }) => item.kind));
  const ofKinds = (foreign: boolean) =>
    kinds.all().flatMap((kind) => (brought.has(kind.kind) === foreign ? resourcesOfKind(services, kind) : []));
  const core = [
    organizationResource(services),
    userResource(services),
    applicationResource(),
    teamResource(services),
    roleResource(services),
    roleDefinitionResource(),
    roleAssignmentResource(services, 'user'),
    roleAssignmentResource(services, 'team'),
    executionEnvironmentResource(services),
    instanceGroupResource(),
    labelResource(services),
    tokenResource(services),
    inventoryResource(services),
    constructedInventoryResource(services),
    federatedInventoryResource(services),
    hostResource(services),
    groupResource(services),
    credentialTypeResource(services),
    credentialResource(services),
    credentialInputSourceResource(),
    notificationTemplateResource(services),
    notificationResource(services),
    instanceResource(services),
    unifiedJobResource(services),
    unifiedJobTemplateResource(services),
    scheduleResource(services),
    hookTraceResource(),
    auditEventResource(),
    hostMetricResource(),
    hostMetricMonthResource(),
    ...ofKinds(false),
  ];
  const foreign = ofKinds(true);
  if (registries) assertFits(registries, core, foreign);
  const added = pluginResources(registries).map(withOwnCapabilities);
  return withActivityStream(withSchedules(kinds, withWhatKindsAdd(kinds, [...core, ...foreign])), {
    added,
    visible,
  }).map((resource) => withRoles(withCapabilities(resource), services));
}

const resourcesOfKind = (services: ResourceServices, kind: RunKind): Resource[] => [
  runResource(services, kind),
  ...(kind.events?.own ? [] : [eventResource(services, kind)]),
  ...(kind.resources ?? []),
];

/** Kinds of runs have their lists and links below what they ran on. */
const withWhatKindsAdd = (kinds: RunKinds, resources: readonly Resource[]): Resource[] =>
  resources.map((resource) =>
    kinds.all().reduce((added, kind) => {
      const { fields, sublists, spans, actions } = kind.extends?.[resource.type] ?? {};
      return {
        ...added,
        fields: { ...added.fields, ...fields },
        ...(sublists && { sublists: { ...added.sublists, ...sublists } }),
        ...(spans && { spans: { ...added.spans, ...spans } }),
        ...(actions && { actions: { ...added.actions, ...actions } }),
      };
    }, resource),
  );

/** What plugins serve, and what tells of them. */
function routesOfPlugins(
  { registries, pluginHealth, lookAtPlugins, db, config }: ResourceServices,
  resources: readonly Resource[],
  core: readonly PluginRoute[],
): OwnRoute[] {
  if (!registries || !pluginHealth || !lookAtPlugins) return [];
  const about = [
    ...pluginStatusRoutes({ registries, pluginHealth }),
    pluginSwitchRoute({ db, config, lookAtPlugins }),
    navigationRoute({ registries }),
    consolePagesRoute({ registries }),
  ];
  const roots = new Set([...core, ...about].flatMap(({ root }) => root ?? []));
  const added = new Set(registries.all('resources').map(({ item }) => item.type));
  for (const { type, root, path } of resources) if (root !== false && !added.has(type)) roots.add(root || path);
  const paths = ['/api/', '/api/v2/', ...[...core, ...about].map(({ path }) => path)];
  assertRoutesFit(registries, resources, { roots, types: new Set(resources.map(({ type }) => type)), paths });
  return [...about, ...pluginRoutes(registries)];
}

/** Every route that belongs to no resource. */
export function coreRoutes(services: ResourceServices, resources: readonly Resource[]): OwnRoute[] {
  const routes: OwnRoute[] = [
    pingRoute(services),
    authRoute(services),
    analyticsRoute,
    ...serviceIndexRoutes(services),
    ...configRoutes(services),
    meRoute,
    roleMetadataRoute,
    ...settingRoutes(services, resources),
    ...docsRoutes(),
    ...dashboardRoutes(services, resources),
    meshRoute(services),
    receptorAddressesRoute(),
    metricsRoute(services),
    hooksRoute(services),
    systemStateRoute(services),
    ...bulkRoutes(services),
    ...services.kinds.all().flatMap(({ routes = [] }) => routes),
  ];
  routes.push(...routesOfPlugins(services, resources, routes));
  return [...routes, ...rootRoutes(services, resources, routes)];
}
