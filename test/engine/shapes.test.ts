import { expect } from 'chai';
import { createFixtures } from '../http/fixtures.ts';
import { type Api, startApi } from '../support/api.ts';
import { knownDifferences } from './shapes-differences.ts';
import { differences, shapes } from './shapes.ts';

/** The links that only a life of the service makes. */
async function linkEverything({ db, admin: client }: Api, ids: Record<string, number>): Promise<void> {
  const admin = await db('users').where({ username: 'admin' }).first('id');
  const made = { created_by_id: admin.id, modified_by_id: admin.id };
  await db('templates')
    .update({ ...made, last_run_id: ids.job })
    .where({ id: ids.job_template });
  await db('templates')
    .update({ ...made, last_run_id: ids.project_update })
    .where({ id: ids.project });
  await db('templates')
    .update({ ...made, last_run_id: ids.workflow_job, last_job_run: '2026-01-01' })
    .where({ id: ids.workflow_job_template });
  await db('templates')
    .update({ ...made, last_run_id: ids.workflow_approval, last_job_run: '2026-01-01' })
    .where({ id: ids.workflow_approval_template });
  await db('schedules').update({ ...made, inventory_id: ids.inventory });
  for (const template of [ids.job_template, ids.system_job_template])
    await db('templates').where({ id: template }).update({ next_schedule_id: ids.schedule });
  const environment = { execution_environment_id: ids.execution_environment };
  await db('templates').update(environment);
  await db('runs').update(environment);
  await db('runs')
    .where({ id: ids.workflow_approval })
    .update({ parent_id: ids.workflow_job, data: db.raw('data || ?', [JSON.stringify({ decided_by: admin.id })]) });
  const group = await db('instance_groups').where({ name: 'default' }).first('id');
  await db('templates')
    .update({ ...made, last_run_id: ids.inventory_update, last_job_run: '2026-01-01' })
    .where({ id: ids.inventory_source });
  await db('run_dependencies').insert({ run_id: ids.inventory_update, depends_on: ids.project_update });
  await db('runs').update({ ...made, actor_id: admin.id, instance_group_id: group.id });
  await db('hosts').update({ last_job_id: ids.job, last_job_host_summary_id: ids.job_host_summary });
  await client('POST', `/api/v2/job_templates/${ids.job_template}/survey_spec/`, {
    name: 'Survey',
    description: '',
    spec: [{ variable: 'a', question_name: 'A', type: 'text', required: false }],
  });
  const team = await client('POST', '/api/v2/teams/', { name: 'Team', organization: ids.organization });
  ids.team = team.body.id;
  const first = async (type: string, path: string) => {
    const { body } = await client('GET', `/api/v2/${path}/?page_size=1`);
    ids[type] = body.results[0]?.id;
  };
  await first('role', `job_templates/${ids.job_template}/object_roles`);
  await first('activity_stream', 'activity_stream');
  await first('instance_group', 'instance_groups');
}

describe('the shapes that clients know', () => {
  let api: Api;
  let ids: Record<string, number>;
  const noted = new Set<string>();
  before(async () => {
    api = await startApi();
    const service = { services: { db: api.db }, post: (path: string, body: unknown) => api.admin('POST', path, body) };
    ({ ids } = await createFixtures(service as any));
    await linkEverything(api, ids);
  });
  after(() => api.stop());

  for (const shape of shapes) {
    it(`${shape.name}: differs only where the list of differences says so`, async () => {
      const { body } = await api.admin('OPTIONS', `/api/v2/${shape.name}/1/`);
      const found = await differences(api.admin, shape, ids[body?.types?.[0]]);
      for (const line of found) noted.add(line);
      expect(found.filter((line) => !knownDifferences.some(({ lines }) => lines.test(line)))).to.deep.equal([]);
    });
  }

  it('has as many differences of each sort as the list says: one more would be a new one, one less is stale', () => {
    const counted = knownDifferences.map(({ lines }) => [
      String(lines),
      [...noted].filter((line) => lines.test(line)).length,
    ]);
    expect(counted).to.deep.equal(knownDifferences.map(({ lines, count }) => [String(lines), count]));
  });
});
