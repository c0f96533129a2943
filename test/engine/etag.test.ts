import { expect } from 'chai';
import { openStage, type Stage } from './stage.ts';
import { widgetResources, widgetSql } from './widgets.ts';

describe('ETag and If-Match', () => {
  let stage: Stage;
  let id: number;
  before(async () => {
    stage = await openStage(widgetResources, { sql: widgetSql });
  });
  after(() => stage.close());
  beforeEach(async () => {
    id = (await stage.send('POST', 'widgets/', { name: `w${Math.random()}` })).body.id;
  });

  const tagOf = async (path = `widgets/${id}/`) => (await stage.get(path)).headers.get('etag')!;
  const change = (body: object, match?: string, method = 'PATCH') =>
    stage.send(method, `widgets/${id}/`, body, { headers: match === undefined ? {} : { 'if-match': match } });

  it('gives details a strong tag that stays while nothing changes', async () => {
    const tag = await tagOf();
    expect(tag).to.match(/^"\d+-\d+"$/);
    expect(await tagOf()).to.equal(tag);
    expect((await stage.send('HEAD', `widgets/${id}/`)).headers.get('etag')).to.equal(tag);
    expect((await stage.get('widgets/')).headers.get('etag')).to.equal(null);
  });

  it('lets a change pass that knows the present version, and tells the next one', async () => {
    const tag = await tagOf();
    const first = await change({ size: 1 }, tag);
    expect(first.status).to.equal(200);
    const next = first.headers.get('etag')!;
    expect(next).not.to.equal(tag);
    expect(await tagOf()).to.equal(next);
    expect((await change({ size: 2 }, `"other", ${next}`)).status).to.equal(200);
    const replaced = await change({ name: 'replaced' }, await tagOf(), 'PUT');
    expect([replaced.status, replaced.headers.get('etag')]).to.deep.equal([200, null]);
    expect((await change({ size: 3 }, '*')).status).to.equal(200);
    expect((await change({ size: 4 })).status).to.equal(200);
  });

  it('refuses with 412 what was decided on an older version, and changes nothing', async () => {
    const old = await tagOf();
    await change({ size: 1 });
    for (const method of ['PATCH', 'PUT', 'DELETE']) {
      const answer = await change({ name: 'lost', size: 2 }, old, method);
      expect(answer.status).to.equal(412);
      expect(answer.headers.get('etag')).to.equal(await tagOf());
      expect(answer.body.detail).to.include('has changed');
    }
    expect((await stage.get(`widgets/${id}/`)).body.size).to.equal(1);
    expect((await change({ size: 2 }, `W/${await tagOf()}`)).status, 'weak').to.equal(412);
    const unquoted = await change({ size: 2 }, 'unquoted');
    expect(unquoted.status).to.equal(400);
    expect(unquoted.body.detail).to.include('double quotes');
  });

  it('refuses before it looks at the body, and after it looked at rights', async () => {
    expect((await change({ size: 'no number' }, '"old"')).status).to.equal(412);
    const answer = await stage.send('PATCH', `widgets/${id}/`, {}, { as: 'nobody', headers: { 'if-match': '"old"' } });
    expect(answer.status).to.equal(403);
    const gone = await stage.send('PATCH', 'widgets/99999/', {}, { headers: { 'if-match': '*' } });
    expect(gone.status).to.equal(404);
  });

  it('lets one of many changes at once pass, each with the version that all had read', async () => {
    const tag = await tagOf();
    const answers = await Promise.all(Array.from({ length: 6 }, (_, size) => change({ size: size + 1 }, tag)));
    const passed = answers.filter(({ status }) => status === 200);
    expect(passed).to.have.lengthOf(1);
    expect(answers.filter(({ status }) => status === 412)).to.have.lengthOf(5);
    expect((await stage.get(`widgets/${id}/`)).body.size).to.equal(passed[0]!.body.size);
  });

  it('deletes the version that was read', async () => {
    expect((await change({}, await tagOf(), 'DELETE')).status).to.equal(204);
  });

  it('holds for users, whose field modified tells of something else', async () => {
    const { body } = await stage.send('POST', 'users/', { username: 'tagged', password: 'tagged' });
    const send = (match: string) =>
      stage.send('PATCH', `users/${body.id}/`, { first_name: match }, { headers: { 'if-match': match } });
    const tag = await tagOf(`users/${body.id}/`);
    expect((await send(tag)).status).to.equal(200);
    expect((await send(tag)).status).to.equal(412);
    expect((await send(await tagOf(`users/${body.id}/`))).status).to.equal(200);
  });
});
