import type { Action } from '@tapline/plugin-sdk';
import type { Catalog } from '../compile.ts';
import type { CompiledRoute } from '../routes/routes.ts';

/** What the descriptor says of the action behind a route; undefined where there is none. */
export function actionOf(catalog: Catalog, { type, name, kind }: CompiledRoute): Action | undefined {
  if (kind !== 'action' && kind !== 'list action') return undefined;
  const { actions, listActions } = catalog.type(type!).resource;
  return (kind === 'action' ? actions : listActions)?.[name!];
}

/** The type whose list a GET of the action takes the query of. */
export function listedBy({ lists, answers }: Pick<Action, 'lists' | 'answers'>): string | undefined {
  const page = [answers?.GET ?? []].flat().find((answer) => answer.page);
  return lists ?? page?.type;
}
