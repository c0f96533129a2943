import { expect } from 'chai';
import { type Stage, startStage } from './fixture.ts';
import { until } from '../support/until.ts';

describe('labels', () => {
  let stage: Stage;
  let organization: number;
  before(async () => {
    stage = await startStage();
    organization = (await stage.get('organizations/')).body.results[0].id;
  });
  after(() => stage?.stop());

  const label = async (name: string) => (await stage.post('labels/', { name, organization })).body.id as number;
  const names = async (path: string) =>
    (await stage.get(`${path}labels/`)).body.results.map((one: { name: string }) => one.name);

  it('are named once in an organization, and cannot be deleted', async () => {
    const { status, body } = await stage.post('labels/', { name: 'production', organization });
    expect(status).to.equal(201);
    expect(body).to.include({ type: 'label', name: 'production', organization });
    expect(body.related.named_url).to.match(/production\+\+/);
    const again = await stage.post('labels/', { name: 'production', organization });
    expect(again.status).to.equal(400);
    expect(again.body.__all__[0]).to.match(/already exists/);
    expect((await stage.post('labels/', { name: 'x' })).body).to.have.property('organization');
    expect((await stage.request('PATCH', `labels/${body.id}/`, { body: { name: 'prod' } })).body.name).to.equal('prod');
    expect((await stage.request('DELETE', `labels/${body.id}/`)).status).to.equal(405);
  });

  it('of an organization that is hidden answer by their names as none would', async () => {
    const template = await stage.template();
    const { id: foreign } = (await stage.post('organizations/', { name: 'elsewhere' })).body;
    expect((await stage.post('labels/', { name: 'theirs', organization: foreign })).status).to.equal(201);
    const { object_roles: roles } = (await stage.get(`job_templates/${template}/`)).body.summary_fields;
    const { body: user } = await stage.post('users/', { username: 'keeper', password: 'keeper-password-1' });
    await stage.post(`users/${user.id}/roles/`, { id: roles.admin_role.id });
    const auth = { auth: 'keeper:keeper-password-1' };
    const answers = [];
    for (const name of ['theirs', 'nobodys']) {
      const { status, body } = await stage.post(
        `job_templates/${template}/labels/`,
        { name, organization: foreign },
        auth,
      );
      answers.push([status, body]);
    }
    expect(answers[0]).to.deep.equal(answers[1]);
    expect(answers[0]![0]).to.equal(403);
  });

  it('are attached by id or by name, and made where there is none of that name', async () => {
    const template = await stage.template();
    const path = `job_templates/${template}/`;
    const known = await label('known');
    expect((await stage.post(`${path}labels/`, { id: known })).status).to.equal(204);
    expect((await stage.post(`${path}labels/`, { name: 'known', organization })).status).to.equal(204);
    const made = await stage.post(`${path}labels/`, { name: 'made', organization });
    expect(made.status).to.equal(201);
    expect(made.body).to.include({ type: 'label', name: 'made' });
    expect(await names(path)).to.deep.equal(['known', 'made']);
    const { body } = await stage.get(path);
    expect(body.related.labels).to.equal(`/api/v2/${path}labels/`);
    expect(body.summary_fields.labels).to.deep.equal({
      count: 2,
      results: [
        { id: known, name: 'known' },
        { id: made.body.id, name: 'made' },
      ],
    });
    expect((await stage.get('job_templates/?labels__name=made')).body.results.map(({ id }: any) => id)).to.deep.equal([
      template,
    ]);
  });

  it('end with their last use, be it a template or a job', async () => {
    const template = await stage.template();
    const path = `job_templates/${template}/`;
    const once = await label('once');
    await stage.post(`${path}labels/`, { id: once });
    expect((await stage.post(`${path}labels/`, { id: once, disassociate: true })).status).to.equal(204);
    expect((await stage.get(`labels/${once}/`)).status).to.equal(404);
    const kept = await label('kept');
    await stage.post(`${path}labels/`, { id: kept });
    const job = await stage.ended((await stage.launch(template)).id);
    await stage.post(`${path}labels/`, { id: kept, disassociate: true });
    expect((await stage.get(`labels/${kept}/`)).status).to.equal(200);
    expect(job.summary_fields.labels).to.deep.equal({ count: 1, results: [{ id: kept, name: 'kept' }] });
    expect((await stage.request('DELETE', `jobs/${job.id}/`)).status).to.equal(204);
    expect((await stage.get(`labels/${kept}/`)).status).to.equal(404);
  });

  it('are carried by inventories as well', async () => {
    const path = `inventories/${stage.inventory}/`;
    const { body } = await stage.post(`${path}labels/`, { name: 'rack 1', organization });
    expect(await names(path)).to.deep.equal(['rack 1']);
    expect((await stage.get(path)).body.summary_fields.labels).to.deep.equal({
      count: 1,
      results: [{ id: body.id, name: 'rack 1' }],
    });
    expect((await stage.get('inventories/?labels__name=rack 1')).body.count).to.equal(1);
    const copy = (await stage.post(`${path}copy/`, { name: 'copy with labels' })).body;
    expect(await names(`inventories/${copy.id}/`)).to.deep.equal(['rack 1']);
    await stage.request('DELETE', `inventories/${copy.id}/`);
    await until(async () => (await stage.get(`inventories/${copy.id}/`)).status === 404);
    await stage.post(`${path}labels/`, { id: body.id, disassociate: true });
    expect((await stage.get(`labels/${body.id}/`)).status).to.equal(404);
  });

  it('are at most a hundred on a template', async () => {
    const template = await stage.template();
    const { db } = stage.services;
    const rows = Array.from({ length: 100 }, (_, index) => ({ name: `many ${index}`, organization_id: organization }));
    const ids = (await db('labels').insert(rows).returning('id')).map(({ id }) => id);
    await db('template_labels').insert(ids.map((label_id) => ({ template_id: template, label_id })));
    const { status, body } = await stage.post(`job_templates/${template}/labels/`, { id: await label('too many') });
    expect(status).to.equal(400);
    expect(body).to.have.property('msg');
    const { labels } = (await stage.get(`job_templates/${template}/`)).body.summary_fields;
    expect(labels.count).to.equal(100);
    expect(labels.results).to.have.length(10);
  });

  it('of a launch are added to those of the template, kept by the job and by its relaunch, and copied with the template', async () => {
    const template = await stage.template({ ask_labels_on_launch: true });
    const [own, more] = [await label('own'), await label('more')];
    await stage.post(`job_templates/${template}/labels/`, { id: own });
    const info = (await stage.get(`job_templates/${template}/launch/`)).body;
    expect(info.defaults.labels).to.deep.equal([{ id: own, name: 'own' }]);
    const job = await stage.launch(template, { labels: [more] });
    expect(job.ignored_fields).to.deep.equal({});
    await stage.ended(job.id);
    expect(await names(`jobs/${job.id}/`)).to.deep.equal(['more', 'own']);
    expect((await stage.get('jobs/?labels__name=more')).body.results.map(({ id }: any) => id)).to.deep.equal([job.id]);
    const again = (await stage.post(`jobs/${job.id}/relaunch/`)).body;
    await stage.ended(again.id);
    expect(await names(`jobs/${again.id}/`)).to.deep.equal(['more', 'own']);
    const copy = (await stage.post(`job_templates/${template}/copy/`, { name: 'copy with labels' })).body;
    expect(await names(`job_templates/${copy.id}/`)).to.deep.equal(['own']);
  });

  it('of a launch are ignored where the template does not ask for them, and must be seen', async () => {
    const [silent, asking] = [await stage.template(), await stage.template({ ask_labels_on_launch: true })];
    const [elsewhere] = await stage.services.db('organizations').insert({ name: 'Elsewhere' }).returning('id');
    const hidden = (await stage.post('labels/', { name: 'hidden', organization: elsewhere.id })).body.id;
    expect((await stage.launch(silent, { labels: [hidden] })).ignored_fields).to.deep.equal({ labels: [hidden] });
    const user = (await stage.post('users/', { username: 'labeller', password: 'labeller' })).body.id;
    const { object_roles: roles } = (await stage.get(`job_templates/${asking}/`)).body.summary_fields;
    await stage.post(`roles/${roles.execute_role.id}/users/`, { id: user });
    const launch = () =>
      stage.post(`job_templates/${asking}/launch/`, { labels: [hidden] }, { auth: 'labeller:labeller' });
    expect((await launch()).body.labels[0]).to.equal(`Invalid pk "${hidden}" - object does not exist.`);
    // who sees a template sees what it carries
    await stage.post(`job_templates/${asking}/labels/`, { id: hidden });
    expect((await launch()).status).to.equal(201);
  });
});
