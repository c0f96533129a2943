import type { Knex } from 'knex';
import type { CompiledRoute } from '../../core/descriptors/routes/routes.ts';
import { bodies } from '../http/fixtures.ts';
import type { Ask } from '../support/rewindable.ts';
import type { Stage } from './principals.ts';

/** What must stand before a write can succeed; done in the transaction that is taken back after it. */
const preparations: Record<string, (trx: Knex, ids: Record<string, number>) => Promise<unknown>> = {
  'POST /api/v2/system_jobs/:id/cancel/': (trx, { system_job }) =>
    trx('runs').where({ id: system_job }).update({ status: 'pending' }),
  'POST /api/v2/jobs/:id/cancel/': (trx, { job }) => trx('runs').where({ id: job }).update({ status: 'pending' }),
  'POST /api/v2/ad_hoc_commands/:id/cancel/': (trx, { ad_hoc_command }) =>
    trx('runs').where({ id: ad_hoc_command }).update({ status: 'pending' }),
  'POST /api/v2/inventory_updates/:id/cancel/': (trx, { inventory_update }) =>
    trx('runs').where({ id: inventory_update }).update({ status: 'pending' }),
  'POST /api/v2/project_updates/:id/cancel/': (trx, { project_update }) =>
    trx('runs').where({ id: project_update }).update({ status: 'pending' }),
  'POST /api/v2/schedules/:id/credentials/': (trx, { job_template }) =>
    trx('templates').where({ id: job_template }).update({ ask_credential_on_launch: true }),
  'POST /api/v2/workflow_jobs/:id/cancel/': (trx, { workflow_job }) =>
    trx('runs').where({ id: workflow_job }).update({ status: 'pending' }),
  ...Object.fromEntries(
    ['cancel', 'approve', 'deny'].map((action) => [
      `POST /api/v2/workflow_approvals/:id/${action}/`,
      (trx: Knex, { workflow_approval }: Record<string, number>) =>
        trx('runs').where({ id: workflow_approval }).update({ status: 'pending' }),
    ]),
  ),
};

export const prepare = (trx: Knex, key: string, { ids }: Stage) => preparations[key]?.(trx, ids);

/** The path with the ids of the matrix in it. */
export const pathOf = ({ path, type }: Pick<CompiledRoute, 'path' | 'type'>, { ids }: Stage): string =>
  path
    .replace(':id', String(ids[type!]))
    .replace(':slug', 'ui')
    .replace(':key', 'CUSTOM_LOGO')
    .replace(':file', 'start.js')
    .replace(':webhook_path', 'nowhere')
    .replace(':plugin', 'recommendations');

/** A right body for every write, as `METHOD path`; a PUT sends back what the superuser reads, as clients do. */
export async function rightBodies(routes: readonly CompiledRoute[], stage: Stage, ask: Ask) {
  const all: Record<string, unknown> = {};
  const made: Record<string, (() => unknown) | undefined> = {
    ...bodies(stage.ids),
    // right for a constructed inventory, which the one of the stage is not
    'POST /api/v2/inventories/:id/input_inventories/': () => ({ id: stage.ids.inventory }),
  };
  for (const route of routes)
    for (const method of Object.keys(route.endpoints)) {
      const key = `${method} ${route.path}`;
      if (method === 'POST') all[key] = (made[key] ?? nothingToSay(key))();
      if (method === 'PATCH') all[key] = patches[key] ?? {};
      if (method !== 'PUT') continue;
      const { body } = await ask({ method: 'GET', path: pathOf(route, stage), token: stage.tokens.superuser });
      all[key] = body;
    }
  return all;
}

/** What takes no body, and succeeds only where something is going on. */
const bare = [
  'POST /api/v2/settings/logging/test/',
  'POST /api/v2/eda_webhooks/:webhook_path/',
  'POST /api/v2/config/',
  'POST /api/v2/config/subscriptions/',
  'POST /api/v2/config/attach/',
  'POST /api/v2/ad_hoc_commands/:id/cancel/',
  'POST /api/v2/credentials/:id/test/',
  'POST /api/v2/credential_types/:id/test/',
  'POST /api/v2/jobs/:id/cancel/',
  'POST /api/v2/inventory_updates/:id/cancel/',
  'POST /api/v2/project_updates/:id/cancel/',
  'POST /api/v2/system_jobs/:id/cancel/',
  'POST /api/v2/job_templates/:id/callback/',
  'POST /api/v2/workflow_jobs/:id/cancel/',
  'POST /api/v2/workflow_approvals/:id/cancel/',
  'POST /api/v2/workflow_approvals/:id/approve/',
  'POST /api/v2/workflow_approvals/:id/deny/',
  ...['job_templates', 'projects', 'workflow_job_templates'].flatMap((path) =>
    ['github', 'gitlab', 'bitbucket_dc'].map((name) => `POST /api/v2/${path}/:id/${name}/`),
  ),
];

function nothingToSay(key: string): () => unknown {
  if (!bare.includes(key)) throw new Error(`${key} has no right body: give it one in test/http/fixtures.ts`);
  return () => ({});
}

const patches: Record<string, unknown> = {
  'PATCH /api/v2/settings/:slug/': { CUSTOM_LOGIN_INFO: '' },
};
