import type { Resource } from './resource.ts';
import { runKinds } from './run-kinds.ts';

/** What the registry makes known: cells and tabs of one resource lead to others, which may lead back. */
const byPath = new Map<string, Resource>();
const byType = new Map(Object.entries(runKinds).map(([type, { path }]) => [type, path]));
const byApi = new Map(Object.values(runKinds).map(({ path }) => [path, path]));

export function makeKnown(resources: readonly Resource[]): void {
  for (const resource of resources) {
    const { path, api = path, type } = resource;
    byPath.set(path, resource);
    byType.set(type, path);
    byApi.set(api, path);
  }
}

/** @throws Error for a path that no resource has */
export function resourceAt(path: string): Resource {
  const found = byPath.get(path);
  if (!found) throw new Error(`no resource has the path ${path}`);
  return found;
}

/** Where a record is shown; null where no page shows it. */
export function pageOf(type: string, id: number | string): string | null {
  const path = byType.get(type);
  return path === undefined ? null : `/${path}/${id}`;
}

/** The page of what a field links to, by the address that the API gives for it: `/api/v2/job_templates/6/`. */
export function linkedPage(related: Record<string, unknown> | undefined, field: string): string | null {
  const [, list, id] = /^\/api\/v2\/([a-z_]+)\/(\d+)\/$/.exec(String(related?.[field])) ?? [];
  const path = list === undefined ? undefined : byApi.get(list);
  return path === undefined ? null : `/${path}/${id}`;
}
