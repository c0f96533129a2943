import { authenticated, defineResource, field, nobody, superuser, type Resource } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { openStage, type Stage } from './stage.ts';

const sql = `
  create table boxes (id bigint generated always as identity primary key, name text not null);
  create table lids (id bigint generated always as identity primary key, name text not null);
  insert into boxes (name) values ('small');
  insert into lids (name) values ('round');`;

const fields = {
  name: field.string({ required: true, max: 5 }),
  kind: field.choice(['a', 'b']),
  size: field.integer({ min: 1, max: 3_000_000_000, default: 7 }),
  tags: field.list(),
  until: field.datetime(),
  variables: field.jsonText(),
  box: field.ref('box'),
  lid: field.ref('lid'),
  note: field.string({ mode: 'ro' }),
};

const echo = async ({ body }: { body: unknown }) => ({ status: 200, body });
const read = { see: authenticated };

const resources: Resource[] = [
  defineResource({
    type: 'box',
    path: 'boxes',
    table: 'boxes',
    label: 'Box',
    access: read,
    orderBy: ['id'],
    fields: { name: field.string(), loud: field.computed({ sql: 'upper({alias}.name)' }) },
    extraSql: { letters: 'length({alias}.name)' },
    actions: {
      whole: { access: { GET: authenticated }, handler: async (_, row) => ({ status: 200, body: row }) },
      bare: { access: { GET: authenticated }, bareRow: true, handler: async (_, row) => ({ status: 200, body: row }) },
      order: {
        access: { POST: authenticated, PUT: authenticated, PATCH: authenticated },
        fields,
        handler: echo as any,
      },
      raw: { access: { POST: authenticated }, fields, validate: false, handler: echo as any },
      locked: { access: { POST: superuser }, fields, handler: echo as any },
    },
    listActions: { order: { access: { POST: authenticated }, fields, handler: echo as any } },
  }),
  defineResource({
    type: 'lid',
    path: 'lids',
    table: 'lids',
    label: 'Lid',
    access: { see: nobody },
    orderBy: ['id'],
    fields: { name: field.string() },
  }),
];

describe('the body of an action with fields', () => {
  let stage: Stage;
  before(async () => {
    const route = { path: '/api/v2/orders/', access: { POST: authenticated }, fields, handler: echo as any };
    stage = await openStage(resources, { sql, routes: [route] });
  });
  after(() => stage.close());

  const places = ['boxes/1/order/', 'boxes/order/', 'orders/'];
  const complaints = async (body: unknown, path = places[0]!) => (await stage.send('POST', path, body)).body;

  it('is handed over as the fields say, without what they do not name', async () => {
    const sent = { name: ' ab ', kind: 'b', box: '1', until: '2026-01-31', tags: null, note: 'x', other: 1 };
    const handed = {
      name: 'ab',
      kind: 'b',
      box: 1,
      size: 7,
      tags: [],
      until: '2026-01-31T00:00:00.0+00:00',
    };
    for (const path of places) expect((await stage.send('POST', path, sent)).body, path).to.deep.equal(handed);
  });

  it('lacks what was not sent and has no default', async () => {
    expect(await complaints({ name: 'ab' })).to.deep.equal({ name: 'ab', size: 7 });
  });

  it('is refused with the messages of every wrong field', async () => {
    const wrong = { kind: 'c', size: 0, tags: {}, until: 'soon', variables: '[', box: 99 };
    for (const path of places) {
      const { status, body } = await stage.send('POST', path, wrong);
      expect(status, path).to.equal(400);
      expect(body, path).to.have.all.keys('name', 'kind', 'size', 'tags', 'until', 'variables', 'box');
      expect(body.name, path).to.deep.equal(['This field is required.']);
      expect(body.box, path).to.deep.equal(['Invalid pk "99" - object does not exist.']);
    }
    expect(await complaints({ name: 'toolong' })).to.have.all.keys('name');
  });

  it('cannot name what the caller does not see', async () => {
    expect((await complaints({ name: 'ab', lid: 1 })).lid).to.deep.equal(['Invalid pk "1" - object does not exist.']);
  });

  it('of a PATCH may lack what is required, and gets no defaults', async () => {
    expect((await stage.send('PATCH', places[0]!, { kind: 'a' })).body).to.deep.equal({ kind: 'a' });
    expect((await stage.send('PATCH', places[0]!, { kind: 'c' })).status).to.equal(400);
    expect((await stage.send('PUT', places[0]!, { kind: 'a' })).body).to.have.all.keys('name');
  });

  it('is read after the rights were asked', async () => {
    expect((await stage.send('POST', 'boxes/1/locked/', {}, { as: 'nobody' })).status).to.equal(403);
    expect((await stage.send('POST', 'boxes/9/locked/', {}, { as: 'nobody' })).status).to.equal(404);
  });

  it('is handed over as it came where the handler reads it itself', async () => {
    expect((await stage.send('POST', 'boxes/1/raw/', { kind: 'c', other: 1 })).body).to.deep.equal({
      kind: 'c',
      other: 1,
    });
  });

  it('comes with the row, of which an action may want the columns alone', async () => {
    const { loud, ...bare } = (await stage.get('boxes/1/whole/')).body;
    expect(loud).to.equal('SMALL');
    expect((await stage.get('boxes/1/bare/')).body).to.deep.equal(bare);
    expect(bare).to.include({ name: 'small', letters: 5 });
    expect((await stage.get('boxes/9/bare/')).status).to.equal(404);
  });
});
