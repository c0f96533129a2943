import type { Resource, Route } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Config } from '../app/config.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { Settings } from '../settings/settings.ts';
import { configRoute } from './config.ts';
import { credentialResource } from './credential.ts';
import { credentialTypeResource } from './credential-type.ts';
import { groupResource } from './group.ts';
import { hostResource } from './host.ts';
import { inventoryResource } from './inventory.ts';
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
}

/** Every resource of core, one line each. */
export const coreResources = (services: ResourceServices): Resource[] => [
  organizationResource,
  userResource(services),
  tokenResource(services),
  inventoryResource(services),
  hostResource(services),
  groupResource(services),
  credentialTypeResource(),
  credentialResource(services),
  unifiedJobResource,
  unifiedJobTemplateResource,
];

/** Every route of core that belongs to no resource. */
export function coreRoutes(services: ResourceServices, resources: readonly Resource[]): Route[] {
  const routes = [pingRoute(services), configRoute(services), meRoute];
  return [...routes, ...rootRoutes(resources, routes)];
}
