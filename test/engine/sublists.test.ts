import { expect } from 'chai';
import { openStage, type Stage } from './stage.ts';
import { widgetResources, widgetSql } from './widgets.ts';

describe('Sublists', () => {
  let stage: Stage;
  const tagsOf = async (path = 'widgets/1/tags/') => (await stage.get(path)).body.results.map(({ name }: any) => name);
  before(async () => {
    stage = await openStage(widgetResources, { sql: widgetSql });
    await stage.db('makers').insert([{ name: 'Acme' }, { name: 'Bolt' }]);
    await stage.db('widgets').insert([{ name: 'w', color: 'red' }, { name: 'v' }]);
    await stage.db('tags').insert([{ name: 'x', shade: 'red' }, { name: 'y' }, { name: 'forbidden' }]);
  });
  after(() => stage.close());

  it('attaches once or twice, detaches once or twice, always 204 and empty', async () => {
    for (const body of [{ id: 1 }, { id: 1, associate: true }, { id: 2, name: 'ignored' }]) {
      const answer = await stage.send('POST', 'widgets/1/tags/', body);
      expect([answer.status, answer.body]).to.deep.equal([204, '']);
      expect(answer.headers.get('content-type')).to.equal(null);
    }
    expect(await tagsOf()).to.deep.equal(['x', 'y']);
    for (const disassociate of [true, false, 'maybe', null, 0]) {
      expect((await stage.send('POST', 'widgets/1/tags/', { id: 1, disassociate })).status).to.equal(204);
    }
    expect(await tagsOf()).to.deep.equal(['y']);
    expect((await stage.get('tags/1/')).status).to.equal(200);
  });

  it('creates and attaches without an id', async () => {
    const { status, body, headers } = await stage.send('POST', 'widgets/1/tags/', { name: 'made here' });
    expect(status).to.equal(201);
    expect(headers.get('location')).to.equal(body.url);
    expect(await tagsOf()).to.include('made here');
    expect((await stage.send('POST', 'widgets/1/tags/', {})).body).to.deep.equal({ name: ['This field is required.'] });
  });

  it('pages, filters and searches like any list, under its own path', async () => {
    const { body } = await stage.get('widgets/1/tags/?page_size=1&order_by=-name');
    expect(body.next).to.equal('/api/v2/widgets/1/tags/?order_by=-name&page=2&page_size=1');
    expect((await stage.get('widgets/1/tags/?name=y')).body.count).to.equal(1);
    expect((await stage.get('widgets/1/tags/?nosuch=y')).status).to.equal(400);
  });

  const refusals: [string, unknown, number, object][] = [
    ['tags', { id: '1' }, 400, { msg: '"id" field must be an integer.' }],
    ['tags', { id: null }, 400, { msg: '"id" field must be an integer.' }],
    ['tags', { id: 1.5 }, 400, { msg: '"id" field must be an integer.' }],
    ['tags', { id: [1] }, 400, { msg: '"id" field must be an integer.' }],
    ['tags', { id: 99999 }, 400, { detail: 'No Tag matches the given query.' }],
    ['tags', { id: 1e300 }, 400, { detail: 'No Tag matches the given query.' }],
    ['tags', { id: 99999, disassociate: true }, 400, { detail: 'No Tag matches the given query.' }],
    ['tags', { disassociate: true }, 400, { msg: '"id" is required to disassociate.' }],
    ['tags', { id: 3 }, 400, { error: 'This tag fits no widget.' }],
    ['tags', { name: 'forbidden' }, 400, { name: ['Tag with this Name already exists.'] }],
    ['picked', { name: 'new' }, 400, { msg: '"id" field is missing.' }],
  ];
  for (const [name, body, status, answer] of refusals) {
    it(`${name} refuses ${JSON.stringify(body)}`, async () => {
      expect(await stage.send('POST', `widgets/1/${name}/`, body)).to.deep.include({ status, body: answer });
    });
  }

  it('lists what a condition picks, and takes no POST there', async () => {
    expect(await tagsOf('widgets/1/owned/')).to.deep.equal(['x']);
    const { status, headers } = await stage.send('POST', 'widgets/1/owned/', { id: 1 });
    expect([status, headers.get('allow')]).to.deep.equal([405, 'GET, HEAD, OPTIONS']);
  });

  it('creates a child under its parent whatever the body says, and deletes it on detaching', async () => {
    const { status, body } = await stage.send('POST', 'makers/1/widgets/', { name: 'child', maker: 2 });
    expect(status).to.equal(201);
    expect(body.maker).to.equal(1);
    expect((await stage.send('POST', 'makers/2/widgets/', { id: body.id })).status).to.equal(400);
    expect((await stage.send('POST', 'makers/2/widgets/', { id: body.id, disassociate: true })).status).to.equal(204);
    expect((await stage.get(`widgets/${body.id}/`)).status).to.equal(200);
    expect((await stage.send('POST', 'makers/1/widgets/', { id: body.id, disassociate: true })).status).to.equal(204);
    expect((await stage.get(`widgets/${body.id}/`)).status).to.equal(404);
  });

  it('asks first whether the parent may be seen, then whether it may be changed', async () => {
    expect((await stage.send('POST', 'widgets/99/tags/', { id: 1 })).status).to.equal(404);
    expect((await stage.send('POST', 'widgets/1/tags/', { id: 1 }, { as: 'nobody' })).status).to.equal(403);
    expect((await stage.send('POST', 'makers/1/widgets/', { name: 'x' }, { as: 'nobody' })).status).to.equal(404);
    expect((await stage.get('widgets/1/tags/', 'nobody')).status).to.equal(200);
  });
});
