import type { RunRow } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { openAnswers, sealAnswers } from '../../../runs/saved-prompts/answers.ts';
import { savedColumns } from '../../../runs/saved-prompts/fields.ts';
import { listsOfSaved, type SavedIn } from '../../../runs/saved-prompts/store.ts';
import type { KeyRing } from '../../../secrets/key-ring.ts';
import { inRun, inTemplate } from '../nodes/saved.ts';

const copied = [
  'unified_job_template_id',
  'identifier',
  'all_parents_must_converge',
  'max_retries',
  ...savedColumns.map((name) => `"${name}"`),
].join(', ');

const owners = { workflow_job_template_nodes: 'workflow_job_template_id', workflow_job_nodes: 'run_id' } as const;

interface Nodes {
  of: SavedIn;
  owner: number;
}

/** All nodes of a workflow or a run, with their links and lists, for another one: in one statement, however many they are. */
export async function copyNodes(
  trx: Knex,
  keyRing: Pick<KeyRing, 'encrypt' | 'decrypt'>,
  from: Nodes,
  to: Nodes,
): Promise<void> {
  const ownerOf = ({ of: { table } }: Nodes) => owners[table as keyof typeof owners];
  const [old, made] = [from.of, to.of];
  const lists = listsOfSaved.map(({ name, column, ...list }) => {
    const order = 'order' in list ? `order by l.${list.order}` : '';
    return `${name} as (insert into ${made.lists}_${name} (node_id, ${column}) select p.made, l.${column}
       from ${old.lists}_${name} l join pairs p on p.old = l.node_id ${order})`;
  });
  const { rows } = await trx.raw<{ rows: { old: number; made: number; survey_passwords: unknown }[] }>(
    `with made as (
       insert into ${made.table} (${ownerOf(to)}, ${copied})
       select ?, ${copied} from ${old.table} where ${ownerOf(from)} = ? order by id returning id, identifier
     ), pairs as (
       select n.id as old, made.id as made, n.survey_passwords from ${old.table} n join made on made.identifier = n.identifier where n.${ownerOf(from)} = ?
     ), links as (
       insert into ${made.lists}_links (parent_id, child_id, kind, trigger, artifact_key, operator, expected_value)
       select a.made, b.made, l.kind, l.trigger, l.artifact_key, l.operator, l.expected_value
       from ${old.lists}_links l join pairs a on a.old = l.parent_id join pairs b on b.old = l.child_id
     ), ${lists.join(', ')}
     select old, made, survey_passwords from pairs where survey_passwords is not null`,
    [to.owner, from.owner, from.owner],
  );
  // secrets are bound to their row; few nodes have any
  for (const { old: id, made: copy, survey_passwords } of rows) {
    const answers = openAnswers(keyRing, old.table, { id, survey_passwords });
    const sealed = sealAnswers(keyRing, made.table, copy, answers);
    // oxlint-disable-next-line no-await-in-loop
    await trx(made.table)
      .where({ id: copy })
      .update({ survey_passwords: JSON.stringify(sealed) });
  }
}

/** The nodes of a new run: those of its template, or of the run that it repeats. */
export const nodesOfRun = (
  trx: Knex,
  keyRing: Pick<KeyRing, 'encrypt' | 'decrypt'>,
  run: Pick<RunRow, 'id'>,
  from: { template: number } | { run: number },
): Promise<void> =>
  copyNodes(trx, keyRing, 'run' in from ? { of: inRun, owner: from.run } : { of: inTemplate, owner: from.template }, {
    of: inRun,
    owner: run.id,
  });
