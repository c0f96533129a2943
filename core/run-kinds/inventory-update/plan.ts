import { type LaunchTemplate, notFound, type PlanRequest, type RunPlan } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { cutText } from '../../db/safe-text.ts';
import { inputsOf } from '../../inventory/constructed/originals.ts';
import { isFailed } from '../../runs/states.ts';
import type { SourceRow } from './check-source.ts';
import { canUpdate } from './source-kinds.ts';

/** Columns that runs have, too. */
const copied = [
  'organization_id',
  'inventory_id',
  'project_id',
  'credential_id',
  'execution_environment_id',
  'scm_branch',
  'limit',
  'verbosity',
  'timeout',
];
/** What else an update needs of its source, as it was when it was launched. */
const kept = [
  'source',
  'source_path',
  'source_vars',
  'source_script',
  'enabled_var',
  'enabled_value',
  'host_filter',
  'overwrite',
  'overwrite_vars',
  'max_removed_percent',
];

interface Named {
  id: number;
  name: string;
}

/** A source with what an update of it decides by. */
type PlannedSource = LaunchTemplate &
  SourceRow & {
    inventory: Named & { pending_deletion: boolean };
    project: (Named & { status: string; scm_revision: string; scm_update_on_launch: boolean }) | null;
    organization: Named | null;
    credential: (Named & { kind: string }) | null;
  };

const load = (db: Knex, template: number | null): Promise<PlannedSource | undefined> =>
  db('templates as s')
    .where({ 's.id': template, 's.kind': 'inventory_source' })
    .first(
      's.*',
      db.raw(`(select jsonb_build_object('id', i.id, 'name', i.name, 'pending_deletion', i.pending_deletion)
        from inventories i where i.id = s.inventory_id) as inventory`),
      db.raw(`(select jsonb_build_object('id', p.id, 'name', p.name, 'status', p.status, 'scm_revision', p.scm_revision,
          'scm_update_on_launch', p.scm_update_on_launch)
        from templates p where p.id = s.project_id) as project`),
      db.raw(
        `(select jsonb_build_object('id', o.id, 'name', o.name) from organizations o where o.id = s.organization_id) as organization`,
      ),
      db.raw(`(select jsonb_build_object('id', c.id, 'name', c.name, 'kind', coalesce(t.namespace, t.kind))
        from credentials c join credential_types t on t.id = c.credential_type_id where c.id = s.credential_id) as credential`),
    );

/** An update takes over its source as it is; one of the same source waits for the other, and jobs of the inventory for both. */
export async function planUpdate({ db, template, ahead, columns = {} }: PlanRequest): Promise<RunPlan> {
  const source = await load(db, template);
  if (!source) throw notFound('No InventorySource matches the given query.');
  const { preview = false, ...given } = columns as { preview?: boolean };
  const { inventory, project, organization, credential } = source;
  const line = `source:${source.id}`;
  const inputs = source.source === 'constructed' ? (await inputsOf(db, inventory.id)).map(({ id }) => id) : [];
  return {
    columns: {
      template_id: source.id,
      name: cutText(`${inventory.name} - ${source.name}`, 512),
      description: source['description'],
      ...Object.fromEntries(copied.map((name) => [name, source[name]])),
      data: JSON.stringify({
        ...Object.fromEntries(kept.map((name) => [name, source[name]])),
        ...(preview && { preview }),
      }),
      // what a preview found says nothing about the inventory
      ...(preview && { shown_by_template: false }),
      ...given,
    },
    errors: problemsOf(source, ahead),
    credentials: credential ? [credential.id] : [],
    locks: preview ? { holds: [], waitsFor: [] } : locksOf(line, inventory.id, inputs),
    updatesFirst: project?.scm_update_on_launch ? [project.id] : await updatedFirst(db, inputs),
    template: publicSource(source),
    uses: {
      organization,
      inventory: { id: inventory.id, name: inventory.name },
      project: project && { id: project.id, name: project.name },
      credentials: credential ? [credential] : [],
    },
  };
}

/** An inventory is constructed of inputs that hold still. */
const locksOf = (line: string, inventory: number, inputs: readonly number[]): RunPlan['locks'] => ({
  holds: [line, `inventory:${inventory}`],
  waitsFor: [line, ...inputs.map((input) => `inventory:${input}`)],
});

/** The sources of the inputs that say so. */
const updatedFirst = async (db: Knex, inputs: readonly number[]): Promise<number[]> =>
  inputs.length ? db('templates').whereIn('inventory_id', inputs).where({ update_on_launch: true }).pluck('id') : [];

function problemsOf(source: PlannedSource, ahead: PlanRequest['ahead']): Record<string, string[]> {
  const { project, inventory } = source;
  if (inventory.pending_deletion) return { inventory: ['The inventory is being deleted.'] };
  if (!canUpdate(source))
    return { source: [`A source of the kind ${source.source} that is set up like this cannot be updated.`] };
  if (ahead || source.source !== 'scm' || !project || project.scm_update_on_launch) return {};
  if (isFailed(project.status))
    return {
      source_project: [
        `The last update of project "${project.name}" ended ${project.status}: update the project first.`,
      ],
    };
  return {};
}

const publicSource = ({ inventory: _i, project: _p, organization: _o, credential: _c, ...row }: PlannedSource) => row;
