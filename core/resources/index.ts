import type { Resource, Route } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Config } from '../app/config.ts';
import type { Bus } from '../jobs/bus.ts';
import type { Statuses } from '../jobs/status.ts';
import type { LaunchService } from '../launch/launch.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { Settings } from '../settings/settings.ts';
import { applicationResource } from './application.ts';
import { configRoute } from './config.ts';
import { credentialResource } from './credential.ts';
import { credentialTypeResource } from './credential-type.ts';
import { groupResource } from './group.ts';
import { hostResource } from './host.ts';
import { inventoryResource } from './inventory.ts';
import { instanceResource } from './instance.ts';
import { jobResource } from './job.ts';
import { jobEventResource } from './job-event.ts';
import { jobHostSummaryResource } from './job-host-summary.ts';
import { jobTemplateResource } from './job-template.ts';
import { projectResource } from './project.ts';
import { projectUpdateResource } from './project-update.ts';
import { projectUpdateEventResource } from './project-update-event.ts';
import { meRoute } from './me.ts';
import { organizationResource } from './organization.ts';
import { pingRoute } from './ping.ts';
import { rootRoutes } from './root.ts';
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
}

/** Every resource of core, one line each. */
export const coreResources = (services: ResourceServices): Resource[] => [
  organizationResource,
  userResource(services),
  applicationResource,
  tokenResource(services),
  inventoryResource(services),
  hostResource(services),
  groupResource(services),
  credentialTypeResource(),
  credentialResource(services),
  projectResource(services),
  projectUpdateResource(services),
  projectUpdateEventResource(services),
  jobTemplateResource(services),
  jobResource(services),
  jobEventResource(services),
  jobHostSummaryResource(),
  instanceResource(),
  unifiedJobResource,
  unifiedJobTemplateResource,
];

/** Every route of core that belongs to no resource. */
export function coreRoutes(services: ResourceServices, resources: readonly Resource[]): Route[] {
  const routes = [pingRoute(services), configRoute(services), meRoute];
  return [...routes, ...rootRoutes(resources, routes)];
}
