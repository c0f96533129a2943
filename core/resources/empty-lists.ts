import type { Resource, Route } from '@tapline/plugin-sdk';
import { pageOf } from '../engine/json-schema.ts';
import { envelope, invalidPage, maxPageSize, readPage } from '../engine/paginate.ts';
import { roleFieldsOf } from '../rbac/definitions.ts';
import { authenticated } from '../rbac/rules.ts';

/**
 * Types that the command line client and its export ask for before they do anything, and of which there are none here as long
 * as no resource brings them: their lists are true, but empty. The first resource of that path takes the list's place.
 */
const awaited: Record<string, string> = {
  workflow_job_templates: 'workflow_job_template',
  notification_templates: 'notification_template',
  inventory_sources: 'inventory_source',
  execution_environments: 'execution_environment',
  schedules: 'schedule',
  system_job_templates: 'system_job_template',
};

export const emptyLists = (resources: readonly Resource[]): Route[] =>
  Object.entries(awaited)
    .filter(([path]) => !resources.some((resource) => resource.path === path))
    .map(([path, type]) => emptyList(path, type));

function emptyList(name: string, type: string): Route {
  const path = `/api/v2/${name}/`;
  const roles = roleFieldsOf(type);
  return {
    path,
    root: name,
    summary: `No ${type.replaceAll('_', ' ')} can be made yet`,
    access: { GET: authenticated },
    answers: { GET: { schema: pageOf({ not: {} }) } },
    async handler({ query }) {
      const { size, number } = readPage(query);
      if (number !== 'last' && number > 1) throw invalidPage();
      return { status: 200, body: envelope(path, query, { size, number: 1 }, 0, []) };
    },
    async describe() {
      return {
        actions: { GET: {} },
        types: [type],
        search_fields: ['name', 'description'],
        related_search_fields: [],
        max_page_size: maxPageSize,
        ...(roles && { object_roles: roles }),
      };
    },
  };
}
