import type { Actor, Rule } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { role } from '../../rbac/role-rules.ts';
import type { RunKinds } from '../../runs/kinds.ts';
import { launchRule } from '../../runs/templates/launch-right.ts';

interface Named {
  id: number;
  name: string;
}

export interface Unusable {
  templates: Named[];
  credentials: Named[];
  inventories: Named[];
}

const usesInventory = role('inventory', 'use_role');
const usesCredential = role('credential', 'use_role');

/** What a workflow and its nodes name that the actor may not use: a statement for each kind of it. */
export async function unusableBy(db: Knex, kinds: RunKinds, actor: Actor | null, workflow: number): Promise<Unusable> {
  if (actor?.is_superuser) return { templates: [], credentials: [], inventories: [] };
  const nodes = () => db('workflow_job_template_nodes as n').where('n.workflow_job_template_id', workflow);
  const templates = (kind: string) =>
    db('templates as t').where('t.kind', kind).whereIn('t.id', nodes().select('n.unified_job_template_id'));
  const found: Named[] = [];
  for (const { type } of kinds.templates())
    // one after the other: they may share a transaction
    // oxlint-disable-next-line no-await-in-loop
    found.push(...(await without(actor, templates(type), launchRule(kinds, type))));
  const own = db('templates as w').where('w.id', workflow);
  const inventories = db('inventories as t').where((named) =>
    named.whereIn('t.id', nodes().select('n.inventory_id')).orWhereIn('t.id', own.clone().select('w.inventory_id')),
  );
  const credentials = db('credentials as t').where((named) =>
    named
      .whereIn('t.id', nodes().join('workflow_node_credentials as c', 'c.node_id', 'n.id').select('c.credential_id'))
      .orWhereIn('t.id', own.clone().select('w.webhook_credential_id')),
  );
  return {
    templates: found,
    inventories: await without(actor, inventories, usesInventory),
    credentials: await without(actor, credentials, usesCredential),
  };
}

/** Those of the rows (alias `t`) that the rule does not let pass; none do without a rule. */
async function without(actor: Actor | null, rows: Knex.QueryBuilder, rule: Rule | undefined): Promise<Named[]> {
  const allowed = rows.clone().select('t.id');
  if (rule) rule.query(actor, allowed, 't');
  else void allowed.whereRaw('false');
  return rows.clone().whereNotIn('t.id', allowed).orderBy('t.id').select('t.id', 't.name');
}
