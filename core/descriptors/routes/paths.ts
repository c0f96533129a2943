import type { Resource } from '@tapline/plugin-sdk';

/** What a path is whatever its parameters are called. */
export const pathShape = (path: string) => path.replaceAll(/:\w+/g, ':');

type Served = Pick<Resource, 'path' | 'methods' | 'actions' | 'listActions' | 'sublists'>;

/** Every path that a resource is served at; its lists of types that nobody declares are not. */
export function pathsOf(resource: Served, types: ReadonlySet<string>): string[] {
  const { path, methods, actions = {}, listActions = {}, sublists = {} } = resource;
  const list = `/api/v2/${path}/`;
  const detail = `${list}:id/`;
  const served = Object.keys(sublists).filter((name) => types.has(sublists[name]!.resource));
  return [
    ...(methods?.list?.length === 0 ? [] : [list]),
    ...(methods?.detail?.length === 0 ? [] : [detail]),
    ...Object.keys(listActions).map((name) => `${list}${name}/`),
    ...[...served, ...Object.keys(actions)].map((name) => `${detail}${name}/`),
  ];
}
