import { expect } from 'chai';
import type { Core } from '@tapline/plugin-sdk/testing';
import { startCore } from '../../core/testing/start-core.ts';
import { workflowsOf } from './workflows.ts';

const many = 10_000;

describe('a workflow of ten thousand nodes', () => {
  let core: Core;
  let workflows: ReturnType<typeof workflowsOf>;

  before(async () => {
    core = await startCore({ env: { LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent' } });
    workflows = workflowsOf(core);
  });
  after(() => core?.stop());

  it('is launched with all of them, ends, and is launched again where it failed', async () => {
    const { workflow, launch, ended } = workflows;
    const { id } = await workflow({ allow_simultaneous: true });
    await core.db.raw(
      `with made as (
         insert into workflow_job_template_nodes (workflow_job_template_id, identifier)
         select ?, 'node ' || n from generate_series(1, ?::integer) n order by n returning id
       )
       insert into workflow_node_links (parent_id, child_id, kind, trigger, artifact_key, operator, expected_value)
       select parent, child, 'success', 'success', '', 'eq', '' from (select id as parent, lead(id) over (order by id) as child from made) m
       where child is not null`,
      [id, many],
    );
    const run = await ended((await launch(id)).id);
    expect(run.status).to.equal('failed');
    expect(await comeTo(run.id)).to.deep.equal({ nodes: many, kept: 0, skipped: many - 1, links: many - 1 });

    // as if the first half had gone well: it is kept, and the rest begins with the node that failed
    await core.db.raw(
      `update workflow_job_nodes n set do_not_run = place > ?, outcome = case when place <= ? then case when place < ? then 'successful' else 'failed' end end
       from (select id, row_number() over (order by id) as place from workflow_job_nodes where run_id = ?) p where p.id = n.id`,
      [many / 2, many / 2, many / 2, run.id],
    );
    const again = await core.admin.post(`workflow_jobs/${run.id}/relaunch/`, { nodes: 'failed' });
    expect(again.status, again.text).to.equal(201);
    expect((await ended(again.body.id)).status).to.equal('failed');
    const half = { kept: many / 2 - 1, skipped: many / 2 };
    expect(await comeTo(again.body.id)).to.deep.equal({ nodes: many, ...half, links: many - 1 });
  });

  async function comeTo(run: number): Promise<Record<string, number>> {
    const { rows } = await core.db.raw(
      `select count(*)::integer as nodes, count(*) filter (where prior_run_succeeded)::integer as kept,
         count(*) filter (where do_not_run)::integer as skipped, count(l.child_id)::integer as links
       from workflow_job_nodes n left join workflow_job_node_links l on l.parent_id = n.id where n.run_id = ?`,
      [run],
    );
    return rows[0];
  }
});
