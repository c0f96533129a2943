import type { Action, Resource, Rule } from '../resource.ts';
import { needsRow } from './needs-row.ts';

interface Rowless {
  on: ['route' | 'resource' | 'extend', string];
  /** `GET`, `POST of the action export` */
  where: string;
  /** its name */
  rule: string;
}

/** Rules that need a row where none is at hand: on routes, and on actions of lists. */
export async function rulesWithoutTheirRow({
  routes,
  resources,
  extensions,
}: {
  routes: readonly { path: string; access: Action['access'] }[];
  resources: readonly Pick<Resource, 'type' | 'listActions'>[];
  extensions: readonly { type: string; extension: Pick<Resource, 'listActions'> }[];
}): Promise<Rowless[]> {
  const lists = [
    ...resources.map(({ type, listActions }) => ({ on: ['resource', type] as Rowless['on'], listActions })),
    ...extensions.map(({ type, extension: { listActions } }) => ({
      on: ['extend', type] as Rowless['on'],
      listActions,
    })),
  ];
  const asked = [
    ...routes.map(({ path, access }) => ({ on: ['route', path] as Rowless['on'], of: '', access })),
    ...lists.flatMap(({ on, listActions = {} }) =>
      Object.entries(listActions).map(([name, { access }]) => ({ on, of: ` of the action ${name}`, access })),
    ),
  ];
  const wrong = asked.flatMap(({ on, of, access }) =>
    Object.entries(access ?? {}).map(async ([method, rule]: [string, Rule]) =>
      (await needsRow(rule)) ? [{ on, where: method + of, rule: rule.name }] : [],
    ),
  );
  return (await Promise.all(wrong)).flat();
}
