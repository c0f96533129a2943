import type { Knex } from 'knex';
import type { CompiledRoute } from '../../core/engine/routes.ts';
import { bodies } from '../http/fixtures.ts';
import type { Ask } from '../support/rewindable.ts';
import type { Stage } from './principals.ts';

/** What must stand before a write can succeed; done in the transaction that is taken back after it. */
const preparations: Record<string, (trx: Knex, ids: Record<string, number>) => Promise<unknown>> = {
  'POST /api/v2/jobs/:id/cancel/': (trx, { job }) => trx('runs').where({ id: job }).update({ status: 'pending' }),
  'POST /api/v2/project_updates/:id/cancel/': (trx, { project_update }) =>
    trx('runs').where({ id: project_update }).update({ status: 'pending' }),
};

export const prepare = (trx: Knex, key: string, { ids }: Stage) => preparations[key]?.(trx, ids);

/** The path with the ids of the matrix in it. */
export const pathOf = ({ path, type }: Pick<CompiledRoute, 'path' | 'type'>, { ids }: Stage): string =>
  path
    .replace(':id', String(ids[type!]))
    .replace(':slug', 'ui')
    .replace(':file', 'start.js')
    .replace(':plugin', 'recommendations');

/** A right body for every write, as `METHOD path`; a PUT sends back what the superuser reads, as clients do. */
export async function rightBodies(routes: readonly CompiledRoute[], stage: Stage, ask: Ask) {
  const all: Record<string, unknown> = {};
  const made = bodies(stage.ids);
  for (const route of routes)
    for (const method of Object.keys(route.endpoints)) {
      const key = `${method} ${route.path}`;
      if (method === 'POST') all[key] = made[key]?.() ?? {};
      if (method === 'PATCH') all[key] = patches[key] ?? {};
      if (method !== 'PUT') continue;
      const { body } = await ask({ method: 'GET', path: pathOf(route, stage), token: stage.tokens.superuser });
      all[key] = body;
    }
  return all;
}

const patches: Record<string, unknown> = {
  'PATCH /api/v2/settings/:slug/': { CUSTOM_LOGIN_INFO: '' },
};
