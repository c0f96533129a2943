import { type Action, type Call, field, type Row, type Rule } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { giveToActor } from '../../rbac/roles.ts';
import { copyLists, copyTemplateAction } from '../../runs/templates/copy-action.ts';
import { clearUnusable, unlinkUnusable } from '../../descriptors/write/leave-out.ts';
import { emptyLists, forgotten } from '../../runs/saved-prompts/move.ts';
import { leaveOutUnusable } from '../../runs/templates/leave-out.ts';
import { resealSurvey } from '../../surveys/defaults.ts';
import { copyNodes } from './launch/copy-nodes.ts';
import { inTemplate } from './nodes/saved.ts';
import type { WorkflowServices } from './services.ts';
import { type Unusable, unusableBy } from './unusable.ts';

const informed = {
  can_copy: field.boolean(),
  can_copy_without_user_input: field.boolean(),
  templates_unable_to_copy: field.list(),
  credentials_unable_to_copy: field.list(),
  inventories_unable_to_copy: field.list(),
};

/** `copy/` of a workflow (contract B8): with its nodes, links and approvals, less whatever the caller may not use itself. */
export function copyWorkflowAction(services: WorkflowServices, rules: { see: Rule; copy: Rule }): Action {
  const copy = copyTemplateAction({
    db: services.db,
    type: 'workflow_job_template',
    rules,
    after: (trx, copied, original, call) => finishCopy(trx, services, { copied, original, call }),
  });
  return {
    ...copy,
    answers: { ...copy.answers, GET: { fields: informed } },
    async handler(call, row) {
      if (call.method !== 'GET') return copy.handler(call, row);
      if (!(await rules.copy.row(call.actor, row, services.db))) return { status: 200, body: nothing };
      const { templates, credentials, inventories } = await unusableBy(services.db, services.kinds, call.actor, row.id);
      const names = (listed: readonly { name: string }[]) => listed.map(({ name }) => name);
      return {
        status: 200,
        body: {
          can_copy: true,
          can_copy_without_user_input: !templates.length && !credentials.length && !inventories.length,
          templates_unable_to_copy: names(templates),
          credentials_unable_to_copy: names(credentials),
          inventories_unable_to_copy: names(inventories),
        },
      };
    },
  };
}

const nothing = {
  can_copy: false,
  can_copy_without_user_input: false,
  templates_unable_to_copy: ['all'],
  credentials_unable_to_copy: ['all'],
  inventories_unable_to_copy: ['all'],
};

interface Copying {
  copied: Row;
  original: Row;
  call: Call;
}

async function finishCopy(
  trx: Knex,
  { keyRing, kinds }: WorkflowServices,
  { copied, original, call }: Copying,
): Promise<void> {
  await copyLists(trx, copied, original);
  // whoever copies a workflow administers those of its organization
  await resealSurvey(trx, keyRing, { copy: copied, original, withSecrets: true });
  await copyNodes(trx, keyRing, { of: inTemplate, owner: original.id }, { of: inTemplate, owner: copied.id });
  await copyApprovals(trx, copied, original);
  await leaveOut(trx, copied.id, await unusableBy(trx, kinds, call.actor, copied.id));
  await leaveOutUnusable(trx, call, copied.id);
  await leaveOutOfNodes(trx, call, copied.id);
  await giveToActor(trx, 'workflow_job_template', copied.id, call.actor);
}

/** Approvals are their workflow's own: the copy gets others like them. */
const copyApprovals = async (trx: Knex, copied: Row, original: Row): Promise<void> =>
  trx.raw(
    `with old as (
       select n.id as node, t.* from workflow_job_template_nodes n join templates t on t.id = n.unified_job_template_id
       where n.workflow_job_template_id = ? and t.workflow_id = ?
     ), made as (
       insert into templates (kind, name, description, timeout, data, workflow_id, name_scope, created_by_id, modified_by_id)
       select kind, name, description, timeout, data, ?, 'node:' || node, created_by_id, modified_by_id from old
       returning id, name_scope
     )
     update workflow_job_template_nodes n set unified_job_template_id = made.id from made where made.name_scope = 'node:' || n.id`,
    [copied.id, original.id, copied.id],
  );

async function leaveOut(trx: Knex, workflow: number, { templates, credentials, inventories }: Unusable): Promise<void> {
  const ids = (rows: readonly { id: number }[]) => rows.map(({ id }) => id);
  const nodes = trx('workflow_job_template_nodes').where({ workflow_job_template_id: workflow });
  await forgetUnlaunchable(trx, nodes, ids(templates));
  if (inventories.length) {
    await nodes.clone().whereIn('inventory_id', ids(inventories)).update({ inventory_id: null });
    await trx('templates')
      .where({ id: workflow })
      .whereIn('inventory_id', ids(inventories))
      .update({ inventory_id: null });
  }
  if (!credentials.length) return;
  await trx('workflow_node_credentials')
    .whereIn('credential_id', ids(credentials))
    .whereIn('node_id', nodes.clone().select('id'))
    .delete();
  await trx('templates')
    .where({ id: workflow })
    .whereIn('webhook_credential_id', ids(credentials))
    .update({ webhook_credential_id: null });
}

/** What a node of the copy would launch nothing with is not copied either, secret answers before all. */
async function forgetUnlaunchable(trx: Knex, nodes: Knex.QueryBuilder, templates: number[]): Promise<void> {
  const left: { id: number }[] = await nodes
    .clone()
    .where((of) => of.whereIn('unified_job_template_id', templates).orWhereNull('unified_job_template_id'))
    .update({ ...forgotten, unified_job_template_id: null })
    .returning('id');
  await emptyLists(
    trx,
    inTemplate,
    left.map(({ id }) => id),
  );
}

/** What the answer has no list for. */
async function leaveOutOfNodes(trx: Knex, call: Call, workflow: number): Promise<void> {
  const nodes = trx('workflow_job_template_nodes').where({ workflow_job_template_id: workflow });
  const linked = (list: string) => trx(`workflow_node_${list}`).whereIn('node_id', nodes.clone().select('id'));
  await clearUnusable(trx, call, nodes, 'execution_environment_id', 'execution_environment');
  await unlinkUnusable(trx, call, linked('instance_groups'), 'instance_group');
  await unlinkUnusable(trx, call, linked('labels'), 'label');
}
