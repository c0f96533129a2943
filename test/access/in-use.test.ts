import { expect } from 'chai';
import { toApiError } from '../../core/descriptors/write/database-error.ts';
import { type AccessStage, openAccessStage } from './stage.ts';

describe('deleting what is in use', () => {
  let stage: AccessStage;
  before(async () => (stage = await openAccessStage()));
  after(() => stage?.stop());

  const paths = {
    organization: 'organizations',
    inventory: 'inventories',
    host: 'hosts',
    group: 'groups',
    project: 'projects',
    job_template: 'job_templates',
    instance_group: 'instance_groups',
  } as const;

  it('is refused with the runs that use it, and deletes nothing', async () => {
    const { api, ids, make } = stage;
    const { db } = api;
    const group = await make.instanceGroup({ name: 'busy' });
    const [instance] = await db('instances')
      .insert({ hostname: 'busy', uuid: '00000000-0000-4000-8000-00000000000b' })
      .returning('id');
    await db('instance_group_instances').insert({ instance_group_id: group.id, instance_id: instance.id });
    const [own] = await db('groups').insert({ name: 'own', inventory_id: ids.inventory }).returning('id');
    await db('runs').where({ id: ids.job }).update({
      status: 'running',
      instance_id: instance.id,
      organization_id: ids.organization,
      project_id: ids.project,
    });
    const all: Record<string, number | undefined> = { ...ids, group: own.id, instance_group: group.id };
    for (const [type, path] of Object.entries(paths)) {
      const url = `/api/v2/${path}/${all[type]}/`;
      const { status, body, text } = await api.admin('DELETE', url);
      expect([type, status, body], text).to.deep.equal([
        type,
        409,
        { error: 'Resource is being used by running jobs.', active_jobs: [{ id: ids.job, type: 'job' }] },
      ]);
      expect((await api.admin('GET', url)).status, type).to.equal(200);
    }
    await db('runs').where({ id: ids.job }).update({ status: 'successful', finished: '2026-01-01' });
    expect((await api.admin('DELETE', `/api/v2/instance_groups/${group.id}/`)).status).to.equal(204);
  });

  it('is a clear 409 where another record holds on to it', async () => {
    const { db } = stage.api;
    const type = await db('credentials').where({ id: stage.ids.credential }).first('credential_type_id');
    const error = await db('credential_types')
      .where({ id: type.credential_type_id })
      .delete()
      .catch((reason: unknown) => reason);
    const answer = toApiError(error)!;
    expect([answer.status, answer.body.detail]).to.deep.equal([
      409,
      'This object is still used by credentials: delete or change those first.',
    ]);
  });
});
