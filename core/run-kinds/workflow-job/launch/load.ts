import { type LaunchNode, type LaunchTemplate, notFound, type PlanRequest } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { runPrepared } from '../../../db/prepared.ts';
import type { PromptedTemplate } from '../../../runs/prompts/prompt.ts';
import { storedVariables, type Variables } from '../../../yaml/variables.ts';
import { workflowPrompts } from '../prompts.ts';

interface WorkflowInventory {
  id: number;
  name: string;
  pending_deletion: boolean;
}

/** A workflow with all that its launch decides by. */
export interface StoredWorkflow extends LaunchTemplate, PromptedTemplate {
  [column: string]: unknown;
  organization: { id: number; name: string } | null;
  inventory: WorkflowInventory | null;
  labels: { id: number; name: string }[];
  variables: Variables;
}

const inventoryJson = `(select jsonb_build_object('id', i.id, 'name', i.name, 'pending_deletion', i.pending_deletion) from inventories i where i.id = t.inventory_id)`;
const organizationJson = `(select jsonb_build_object('id', o.id, 'name', o.name) from organizations o where o.id = t.organization_id)`;
const labelsOf = (kind: 'template' | 'run') =>
  `coalesce((select jsonb_agg(jsonb_build_object('id', l.id, 'name', l.name) order by l.name)
    from ${kind}_labels x join labels l on l.id = x.label_id where x.${kind}_id = t.id), '[]')`;
const around = (kind: 'template' | 'run') =>
  `${inventoryJson} as inventory, ${organizationJson} as organization, ${labelsOf(kind)} as labels`;

const ofTemplate = {
  name: 'workflow template to launch',
  text: `select t.*, ${around('template')} from templates t where t.id = $1 and t.kind = 'workflow_job_template'`,
};
const ofRun = {
  name: 'workflow run to repeat',
  text: `select t.*, null as id, ${around('run')} from runs t where t.id = $1 and t.kind = 'workflow_job'`,
};

/** The template as it is asked, or a run in the place of its template that is gone. @throws 404 */
export async function loadWorkflow({
  db,
  template,
  again,
  honourPrompts,
}: Pick<PlanRequest, 'db' | 'template' | 'again' | 'honourPrompts'>): Promise<StoredWorkflow> {
  const [row] = await runPrepared<StoredWorkflow>(
    db,
    ...(template === null ? ([ofRun, [again ?? 0]] as const) : ([ofTemplate, [template]] as const)),
  );
  if (!row) throw notFound('No Workflow job template matches the given query.');
  const flags = honourPrompts ? Object.fromEntries(workflowPrompts.map(({ flag }) => [flag, true])) : {};
  const variables = await storedVariables(String(row['extra_vars'] ?? ''));
  return { ...row, ...flags, project: null, credentials: [], variables };
}

export const loadInventory = async (db: Knex, id: number): Promise<WorkflowInventory | null> =>
  (await db('inventories').where({ id }).first('id', 'name', 'pending_deletion')) ?? null;

/** What the nodes of a workflow, or of the run that is repeated, launch: for taps, none of it secret. */
export async function nodesForTaps(db: Knex, of: { template: number } | { run: number }): Promise<LaunchNode[]> {
  const [table, owner, id] =
    'run' in of
      ? (['workflow_job_nodes', 'run_id', of.run] as const)
      : (['workflow_job_template_nodes', 'workflow_job_template_id', of.template] as const);
  const { rows } = await db.raw(
    `select n.identifier, t.id as unified_job_template, t.kind, t.name, t.playbook, t.inventory_id, t.project_id,
       (select p.name from templates p where p.id = t.project_id) as project_name
     from ${table} n left join templates t on t.id = n.unified_job_template_id
     where n.${owner} = ? order by n.id limit 1000`,
    [id],
  );
  return rows;
}
