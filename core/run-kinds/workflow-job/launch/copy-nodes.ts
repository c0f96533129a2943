import type { RunRow } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { openAnswers, sealAnswers } from '../../../runs/saved-prompts/answers.ts';
import { listsOfSaved, savedColumns } from '../../../runs/saved-prompts/fields.ts';
import type { SavedIn } from '../../../runs/saved-prompts/store.ts';
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

/**
 * All nodes of a workflow or a run, with their links and lists, for another one: in two statements, however many they are.
 * The second finds the copies by the index of identifiers; joined in the first, whose rows nobody has counted, they would be
 * compared each with each, which of ten thousand nodes outlasts any patience.
 */
export async function copyNodes(
  trx: Knex,
  keyRing: Pick<KeyRing, 'encrypt' | 'decrypt'>,
  from: Nodes,
  to: Nodes,
): Promise<void> {
  const ownerOf = ({ of: { table } }: Nodes) => owners[table as keyof typeof owners];
  const [old, made] = [from.of, to.of];
  const copyOf = (node: string, copy: string) =>
    `${old.table} ${node} join ${made.table} ${copy} on ${copy}.${ownerOf(to)} = :made and ${copy}.identifier = ${node}.identifier`;
  const ofOld = (node: string) => `${node}.${ownerOf(from)} = :old`;
  const lists = listsOfSaved.map(({ name, column, order: place }) => {
    const order = place ? `order by l.${place}` : '';
    return `${name} as (insert into ${made.lists}_${name} (node_id, ${column}) select m.id, l.${column}
       from ${copyOf('n', 'm')} join ${old.lists}_${name} l on l.node_id = n.id where ${ofOld('n')} ${order})`;
  });
  const both = { old: from.owner, made: to.owner };
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `insert into ${made.table} (${ownerOf(to)}, ${copied})
     select :made, ${copied} from ${old.table} n where ${ofOld('n')} order by n.id`,
    both,
  );
  if (!rowCount) return;
  const { rows } = await trx.raw<{ rows: { old: number; made: number; survey_passwords: unknown }[] }>(
    `with links as (
       insert into ${made.lists}_links (parent_id, child_id, kind, trigger, artifact_key, operator, expected_value, expression)
       select a.id, b.id, l.kind, l.trigger, l.artifact_key, l.operator, l.expected_value, l.expression
       from ${copyOf('p', 'a')} join ${old.lists}_links l on l.parent_id = p.id
         join (${copyOf('c', 'b')}) on c.id = l.child_id
       where ${ofOld('p')}
     ), ${lists.join(', ')}
     select n.id as old, m.id as made, n.survey_passwords from ${copyOf('n', 'm')}
     where ${ofOld('n')} and n.survey_passwords is not null`,
    both,
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
