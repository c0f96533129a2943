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
  await db('runs').update({ ...made, actor_id: admin.id });
  await db('hosts').update({ last_job_id: ids.job, last_job_host_summary_id: ids.job_host_summary });
  const team = await client('POST', '/api/v2/teams/', { name: 'Team', organization: ids.organization });
  ids.team = team.body.id;
  const first = async (type: string, path: string) => {
    const { body } = await client('GET', `/api/v2/${path}/?page_size=1`);
    ids[type] = body.results[0]?.id;
  };
  await first('role', `organizations/${ids.organization}/object_roles`);
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

  it('has no listed difference that is none any more', () => {
    const stale = knownDifferences.filter(({ lines }) => ![...noted].some((line) => lines.test(line)));
    expect(stale.map(({ lines }) => String(lines))).to.deep.equal([]);
  });
});
