import type { RunPlan, RunRow } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { sealAnswers } from '../../../runs/saved-prompts/answers.ts';
import { columnOf, listsOfSaved, savedColumns, savedPromptNames } from '../../../runs/saved-prompts/fields.ts';
import { inRun } from '../nodes/saved.ts';
import type { WorkflowServices } from '../services.ts';
import type { BulkNode } from './jobs.ts';

/** What a bulk launch brings in place of a template: columns of the run, and its nodes. */
export interface Bulk {
  columns: Record<string, unknown>;
  nodes: readonly BulkNode[];
}

/** A run of nodes with nothing between them, and no template (contract/jobs.md §21). */
export const planBulk = (services: WorkflowServices, { columns, nodes }: Bulk): RunPlan => ({
  columns: { template_id: null, allow_simultaneous: true, extra_vars: '{}', prompts: '{}', ...columns },
  template: null,
  uses: {},
  write: (trx, run) => writeNodes(trx, services, run, nodes),
});

const stored = savedColumns.map((name) => `"${name}"`);

/** However many they are, in a statement for the nodes and one for each list that any of them has. */
async function writeNodes(
  trx: Knex,
  { keyRing }: WorkflowServices,
  run: RunRow,
  nodes: readonly BulkNode[],
): Promise<void> {
  const rows = nodes.map(({ identifier, template, prompts, extra_data }) => ({
    identifier,
    unified_job_template_id: template,
    extra_data,
    ...Object.fromEntries(
      savedPromptNames.filter((name) => name in prompts).map((name) => [columnOf(name), prompts[name]]),
    ),
  }));
  const columns = ['identifier', 'unified_job_template_id', ...stored].join(', ');
  const made = await trx.raw(
    `insert into ${inRun.table} (run_id, ${columns})
     select ?, ${columns} from jsonb_populate_recordset(null::${inRun.table}, ?::jsonb) returning id, identifier`,
    [run.id, JSON.stringify(rows)],
  );
  const ids = new Map<string, number>(
    made.rows.map(({ id, identifier }: { id: number; identifier: string }) => [identifier, id]),
  );
  for (const { name, column } of listsOfSaved) {
    const links = nodes.flatMap(({ identifier, prompts }) =>
      ((prompts[name] ?? []) as number[]).map((id) => ({ node: ids.get(identifier), id })),
    );
    if (!links.length) continue;
    // three of them
    // oxlint-disable-next-line no-await-in-loop
    await trx.raw(
      `insert into ${inRun.lists}_${name} (${inRun.key}, ${column}) select node, id from jsonb_to_recordset(?::jsonb) as l(node bigint, id bigint)`,
      [JSON.stringify(links)],
    );
  }
  // secrets are bound to their row; few nodes have any
  for (const { identifier, secret } of nodes) {
    const id = ids.get(identifier)!;
    const survey_passwords = sealAnswers(keyRing, inRun.table, id, secret);
    // oxlint-disable-next-line no-await-in-loop
    if (survey_passwords) await trx(inRun.table).where({ id }).update({ survey_passwords });
  }
}
