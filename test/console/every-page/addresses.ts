import type { Page } from 'playwright-core';
import { everyPage, pluginPages } from '../page-paths.ts';
import type { Stage } from '../stage.ts';
import type { Furnished } from './furnish.ts';

/** The address of each page of the console and of plugins, with tabs and states that have one of their own. */
export async function addresses(stage: Stage, page: Page, made: Furnished): Promise<string[]> {
  const pages = await everyPage(stage, {
    '/templates/:id/launch': `/templates/${made.asking}/launch`,
    '/workflow_job_templates/:id/launch': `/workflow_job_templates/${made.workflow}/launch`,
    '/workflow_jobs/:id': `/workflow_jobs/${made.ran}`,
    '/inventories/:id/command': `/inventories/${stage.inventory}/command`,
    '/hosts/:id/command': `/hosts/${made.host}/command`,
    '/groups/:id/command': `/groups/${made.group}/command`,
    '/settings/:slug': '/settings/jobs',
    '/wizards/:name': '/wizards/compliance',
  });
  const ofPlugins = await pluginPages(stage, page, {
    '/calendars': made.calendar,
    '/drift': made.change,
    '/event_logs': made.event,
    '/event_rules': made.rule,
    '/outbound_webhooks': made.webhook,
    '/outbound_webhooks/deliveries': made.delivery,
  });
  return [...new Set([...pages, ...ofPlugins, ...more(stage, made)])];
}

const more = ({ inventory }: Stage, made: Furnished) => [
  `/jobs/${made.failed}`,
  `/jobs/${made.running}`,
  ...['hosts', 'tasks', 'timeline', 'decision', 'events', 'why'].map((tab) => `/jobs/${made.failed}?tab=${tab}`),
  ...['survey', 'schedules', 'notifications', 'webhook', 'activity_stream', 'access'].map(
    (tab) => `/templates/${made.asking}?tab=${tab}`,
  ),
  `/workflow_job_templates/${made.workflow}/graph`,
  `/workflow_jobs/${made.ran}?tab=why`,
  `/inventories/${inventory}?tab=tree`,
  '/hosts?search=web&enabled=true',
  '/settings?search=forks',
  '/credentials/new?credential_type=1',
  '/organizations/1?tab=users',
  '/organizations/1?tab=galaxy_credentials',
  `/inventories/${made.built}?tab=input_inventories`,
  `/inventories/${inventory}?tab=labels`,
  `/schedules/${made.schedule}?tab=prompts`,
  '/users/1?tab=roles',
  `/hosts/${made.host}?tab=job_host_summaries`,
  `/inventories/${inventory}?tab=used`,
  '/settings/oidc',
  '/drift/compare',
  '/drift/rules',
  '/drift/alerts',
  `/drift/${made.change}`,
  '/api/v2/',
  `/api/v2/inventories/${inventory}/`,
];
