import { ApiError, type Call, forbidden, notFound, type Row, type Sublist } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { WorkflowServices } from '../services.ts';
import { readCondition } from './condition.ts';
import { type LinkKind, linkKinds } from './node-fields.ts';

const refused = (text: string) => new ApiError(400, { Error: text });

/** `offset 0`: each step by the index, also along ten thousand nodes in a row, where a join would read all links at each. */
const belowSql = `with recursive below as (
    select l.child_id from workflow_node_links l where l.parent_id = ?
    union
    select l.child_id from below b cross join lateral (select child_id from workflow_node_links where parent_id = b.child_id offset 0) l
  ) select exists (select from below where child_id = ?) as closes`;

/** `success_nodes/` and the others of a node: which nodes follow it (contract B3). `replaces` names the kind of a link whose place the new one takes. */
export const linksOf = (services: WorkflowServices): Record<string, Sublist> =>
  Object.fromEntries(linkKinds.map((kind) => [`${kind}_nodes`, linkList(services, kind)]));

const linkList = (services: WorkflowServices, kind: LinkKind): Sublist => ({
  resource: 'workflow_job_template_node',
  attach: true,
  create: true,
  inherit: ['workflow_job_template_id'],
  where: (builder, parent, alias) =>
    void builder.whereRaw(`??.id in (select child_id from workflow_node_links where parent_id = ? and kind = ?)`, [
      alias,
      parent.id,
      kind,
    ]),
  link: (trx, parent, child, call, { detach }) =>
    detach ? unlink(trx, parent, child, kind) : link(services, trx, { parent, child, kind, call }),
});

async function unlink(trx: Knex, parent: Row, child: number, kind: LinkKind): Promise<boolean> {
  return (await trx('workflow_node_links').where({ parent_id: parent.id, child_id: child, kind }).delete()) > 0;
}

interface Linking {
  parent: Row;
  child: number;
  kind: LinkKind;
  call: Call;
}

async function link(services: WorkflowServices, trx: Knex, { parent, child, kind, call }: Linking): Promise<boolean> {
  const condition = kind === 'condition' ? await readCondition(services, call.body) : {};
  const workflow = Number(parent['workflow_job_template_id']);
  // two links at once must not close a cycle that neither sees
  await trx('templates').where({ id: workflow }).forNoKeyUpdate().first('id');
  const node = await trx('workflow_job_template_nodes').where({ id: child }).first('workflow_job_template_id');
  // whoever sees a node sees its workflow's others, one that is being made included
  if (node?.workflow_job_template_id !== workflow) {
    if (!node || !(await call.visible('workflow_job_template_node', [child])).has(child))
      throw new ApiError(400, notFound('No Workflow job template node matches the given query.').body);
    throw forbidden('The node belongs to another workflow.');
  }
  if (child === parent.id) throw refused('A cycle was found: a node cannot follow itself.');
  const pair = { parent_id: parent.id, child_id: child };
  const linked = await trx('workflow_node_links').where(pair).first('kind');
  // who says which one it takes the place of leaves no moment without a link
  const replaces = linked && linked.kind !== kind && call.body['replaces'] === linked.kind;
  if (linked && linked.kind !== kind && !replaces)
    throw refused(`The nodes are linked already, by a link of the kind ${linked.kind}.`);
  if (replaces) await trx('workflow_node_links').where(pair).delete();
  else if (linked) {
    if (kind === 'condition') await trx('workflow_node_links').where(pair).update(condition);
    return false;
  }
  const { rows } = await trx.raw(belowSql, [child, parent.id]);
  if (rows[0].closes) throw refused('A cycle was found: the node comes before the one that it should follow.');
  await trx('workflow_node_links').insert({ ...pair, kind, ...condition });
  return true;
}
