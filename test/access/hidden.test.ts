import { expect } from 'chai';
import { createDoors } from '../../core/rbac/doors.ts';
import { forbidden } from '@tapline/plugin-sdk';
import { type AccessStage, openAccessStage } from './stage.ts';

describe('what a caller may not see', () => {
  let stage: AccessStage;
  const doors = createDoors();
  let closed: number | undefined;
  const ask = (name: string, method: string, path: string, body?: unknown) =>
    stage.as[name]!(method, `/api/v2/${path}`, body);
  const names = async (name: string, path: string) =>
    (await ask(name, 'GET', path)).body.results.map((one: any) => one.id);

  before(async () => {
    doors.restrict('job', 'not the closed one', {
      row: async (_actor, row) => row.id !== closed,
      query: (_actor, builder, alias) =>
        void (closed === undefined ? builder : builder.whereNot(`${alias}.id`, closed)),
    });
    doors.guard('inventory', 'create', ({ rows }) => {
      if (rows[0].name === 'too many') throw forbidden('The quota is used up.');
    });
    for (const type of ['job_template', 'credential'])
      doors.guard(type, 'create', ({ rows }) => {
        if (rows[0].name === 'too many') throw forbidden('The quota is used up.');
      });
    doors.guard('host', 'update', ({ rows, before }) => {
      const many = (row?: Record<string, unknown>) => String(row?.variables).includes('many');
      if (many(rows[0]) && !many(before![0])) throw forbidden('The quota is used up.');
    });
    stage = await openAccessStage({ doors });
  });
  after(() => stage?.stop());

  it('cannot be found through a relation', async () => {
    const { ids } = stage;
    // the template is seen, its project and inventory are not
    expect(await names('teammate', `job_templates/?id=${ids.job_template}`)).to.deep.equal([ids.job_template]);
    for (const filter of ['project__name__icontains=proj', 'inventory__hosts__id__gt=0', 'organization__name=Ours'])
      expect(await names('teammate', `job_templates/?${filter}`), filter).to.deep.equal([]);
    expect(await names('orgAdmin', 'job_templates/?organization__name=Ours')).to.deep.equal([ids.job_template]);
  });

  it('does not show in an order', async () => {
    const { make, stop: _stop, users, api } = stage;
    const first = await make.organization({ name: 'A hidden one' });
    const last = await make.organization({ name: 'Z hidden one' });
    const late = await make.jobTemplate(last, { name: 'late' });
    const early = await make.jobTemplate(first, { name: 'early' });
    for (const template of [late, early]) await make.give('job_template', template, 'read_role', users.outsider);
    const order = 'job_templates/?order_by=organization__name';
    // both are the same for who sees neither organization, so that the id decides
    expect((await ask('outsider', 'GET', order)).body.results.map(({ name }: any) => name)).to.deep.equal([
      'early',
      'late',
    ]);
    expect(await names('outsider', 'job_templates/?order_by=-organization__name')).to.deep.equal(
      await names('outsider', order),
    );
    await api.db('organizations').whereIn('id', [first.id, last.id]).delete();
  });

  it('cannot be named in a body', async () => {
    const { ids } = stage;
    const foreign = await stage.make.inventory(stage.rows.elsewhere);
    const template = `job_templates/${ids.job_template}/`;
    const patch = (name: string, body: unknown) => ask(name, 'PATCH', template, body).then(({ status }) => status);
    expect(await patch('job_template.admin_role', { inventory: foreign.id })).to.equal(400);
    // it is seen, but not to be used
    await stage.make.give('inventory', foreign, 'read_role', stage.users['job_template.admin_role']);
    expect(await patch('job_template.admin_role', { inventory: foreign.id })).to.equal(403);
    expect(await patch('job_template.admin_role', { limit: 'web' })).to.equal(200);
    expect(
      (await ask('orgAdmin', 'POST', 'inventories/', { name: 'x', organization: ids.elsewhere })).status,
    ).to.be.oneOf([400, 403]);
    expect(
      (await ask('orgAdmin', 'PATCH', `inventories/${ids.inventory}/`, { organization: ids.elsewhere })).status,
    ).to.be.oneOf([400, 403]);
  });

  it('is attached by those only who may use it', async () => {
    const path = `job_templates/${stage.ids.job_template}/credentials/`;
    const body = { id: stage.ids.credential };
    expect((await ask('job_template.admin_role', 'POST', path, body)).status).to.equal(400);
    await stage.make.give('credential', stage.rows.credential, 'read_role', stage.users['job_template.admin_role']);
    expect((await ask('job_template.admin_role', 'POST', path, body)).status).to.equal(403);
    expect((await ask('orgAdmin', 'POST', path, body)).status).to.equal(204);
  });

  it('is what a restriction says, also for superusers, in lists of every kind', async () => {
    const { job } = stage.ids;
    const paths = ['jobs/', 'unified_jobs/?type=job', `job_templates/${stage.ids.job_template}/jobs/`];
    for (const path of paths) expect(await names('superuser', path), path).to.include(job);
    closed = job;
    for (const path of paths) expect(await names('superuser', path), path).to.not.include(job);
    expect((await ask('superuser', 'GET', `jobs/${job}/`)).status).to.equal(404);
    expect(await names('superuser', `job_templates/?jobs__id=${job}`)).to.deep.equal([]);
    closed = undefined;
  });

  it('a guard refuses a write inside its transaction', async () => {
    const make = (name: string) =>
      ask('orgAdmin', 'POST', 'inventories/', { name, organization: stage.ids.organization });
    const refused = await make('too many');
    expect([refused.status, refused.body.detail]).to.deep.equal([403, 'The quota is used up.']);
    expect(await names('orgAdmin', 'inventories/?name=too many')).to.deep.equal([]);
    expect((await make('one')).status).to.equal(201);
  });

  it('may be refused by a guard where it is copied or written as a mapping too', async () => {
    const { ids, api } = stage;
    for (const [type, path] of [
      ['job_template', 'job_templates'],
      ['credential', 'credentials'],
      ['inventory', 'inventories'],
    ] as const) {
      const copy = (name: string) => ask('superuser', 'POST', `${path}/${ids[type]}/copy/`, { name });
      expect((await copy('too many')).body.detail, type).to.equal('The quota is used up.');
      expect(await names('superuser', `${path}/?name=too many`)).to.deep.equal([]);
      const { status, body } = await copy('a copy');
      expect(status, JSON.stringify(body)).to.equal(201);
      const [entry] = (await ask('superuser', 'GET', `${path}/${body.id}/activity_stream/`)).body.results;
      expect(entry).to.include({ operation: 'create', object1: type });
      expect(entry.changes).to.include({ name: 'a copy' });
    }
    const before = (await api.db('hosts').where({ id: ids.host }).first()).variables;
    const written = await ask('superuser', 'PUT', `hosts/${ids.host}/variable_data/`, { too: 'many' });
    expect([written.status, written.body.detail]).to.deep.equal([403, 'The quota is used up.']);
    expect((await api.db('hosts').where({ id: ids.host }).first()).variables).to.equal(before);
  });
});
