import { authenticated, defineResource, field, type Parameter, parameter, type Resource } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { openStage, type Stage } from './stage.ts';

const sql = `
  create table owners (id bigint generated always as identity primary key, name text not null);
  create table events (
    id bigint generated always as identity primary key, name text not null, at timestamptz not null,
    applies_to jsonb not null default '[]', user_id bigint, owner_id bigint references owners, size integer not null default 0);
  insert into owners (name) values ('first'), ('second');
  insert into events (name, at, applies_to, user_id, owner_id, size) values
    ('new year', '2026-01-01T00:00:00Z', '["job_template"]', null, 1, 1),
    ('morning', '2026-01-31T00:00:00Z', '["job_template", "ad_hoc_command"]', null, 1, 2),
    ('evening', '2026-01-31T23:59:59.999999Z', '[]', null, 2, 3),
    ('february', '2026-02-01T00:00:00Z', '["ad_hoc_command"]', null, 2, 4);`;

const kinds = ['job_template', 'ad_hoc_command'];

const wide: Parameter = {
  type: 'integer',
  help: 'Those of this size, or bigger than everything.',
  min: 1,
  max: 100,
  narrow: (conditions, size, { alias }) =>
    void conditions.whereRaw('?? = ?', [`${alias}.size`, size]).orWhereRaw('?? > ?', [`${alias}.size`, 1000]),
};

const event = (parameters: Resource['parameters'], more: Partial<Resource> = {}) =>
  defineResource({
    type: 'event',
    path: 'events',
    table: 'events',
    label: 'Event',
    access: { see: authenticated },
    orderBy: ['at'],
    search: ['name'],
    fields: {
      name: field.string(),
      at: field.datetime(),
      size: field.integer(),
      applies_to: field.list({ filterable: false }),
      owner: field.ref('owner'),
    },
    parameters,
    ...more,
  });

const owner = defineResource({
  type: 'owner',
  path: 'owners',
  table: 'owners',
  label: 'Owner',
  access: { see: authenticated },
  orderBy: ['id'],
  fields: { name: field.string() },
  sublists: { events: { resource: 'event', column: 'owner_id' } },
});

const all = {
  since: parameter.since('at'),
  ...parameter.between('at'),
  mine: parameter.mine('user_id'),
  applies_to: parameter.memberOf('applies_to', kinds, { emptyIsAll: true }),
  wide,
};

describe('parameters of a list', () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage([event(all), owner], { sql });
    await stage.db.raw(
      `update events set user_id = (select id from users where username = 'nobody') where name = 'morning'`,
    );
  });
  after(() => stage.close());

  const names = async (query: string, { path = 'events/', as = 'admin' } = {}) => {
    const { status, body } = await stage.get(`${path}?${query}`, as);
    return status === 200 ? body.results.map(({ name }: any) => name) : [status, body.detail];
  };

  it('since: from a time on, a date meaning its midnight', async () => {
    expect(await names('since=2026-01-31')).to.deep.equal(['morning', 'evening', 'february']);
    expect(await names('since=2026-01-31T00:00:01Z')).to.deep.equal(['evening', 'february']);
  });

  it('between: whole days, or times', async () => {
    expect(await names('date_from=2026-01-31&date_to=2026-01-31')).to.deep.equal(['morning', 'evening']);
    expect(await names('date_to=2026-01-31T00:00:00Z')).to.deep.equal(['new year', 'morning']);
    expect(await names('date_to=2026-01-01')).to.deep.equal(['new year']);
    expect(await names('date_from=2026-02-01')).to.deep.equal(['february']);
  });

  it("mine: the caller's own; false leaves all", async () => {
    expect(await names('mine=true', { as: 'nobody' })).to.deep.equal(['morning']);
    expect(await names('mine=true')).to.deep.equal([]);
    expect(await names('mine=false')).to.have.length(4);
  });

  it('memberOf: what a JSON list holds, an empty one meaning all where it says so; each time that it is sent', async () => {
    expect(await names('applies_to=job_template')).to.deep.equal(['new year', 'morning', 'evening']);
    expect(await names('applies_to=job_template&applies_to=ad_hoc_command')).to.deep.equal(['morning', 'evening']);
  });

  it('go together with filters, search, order, count and one another', async () => {
    expect(await names('since=2026-01-02&size__lt=4&order_by=-size&search=ing')).to.deep.equal(['evening', 'morning']);
    const { body } = await stage.get('events/?since=2026-01-02&page_size=1&page=2&applies_to=ad_hoc_command');
    expect(body.count).to.equal(3);
    expect(body.next).to.equal('/api/v2/events/?applies_to=ad_hoc_command&page=3&page_size=1&since=2026-01-02');
    expect(body.previous).to.include('since=2026-01-02');
  });

  it('widen nothing, whatever their conditions are', async () => {
    expect(await names('wide=2&name=morning')).to.deep.equal(['morning']);
    expect(await names('wide=2&name=evening')).to.deep.equal([]);
  });

  it('hold below other records and for details', async () => {
    expect(await names('since=2026-01-02', { path: 'owners/1/events/' })).to.deep.equal(['morning']);
    expect((await stage.get('events/1/?since=2026-01-02')).status).to.equal(404);
    expect((await stage.get('events/1/?since=2026-01-01')).status).to.equal(200);
  });

  const wrong: [string, RegExp][] = [
    ['since=soon', /^since: expected a date such as 2026-01-31T12:00:00Z but got 'soon'/],
    ['since=', /^since: /],
    ['date_to=2026-02-30', /^date_to: /],
    ['mine=perhaps', /^mine: 'perhaps' is not a boolean/],
    ['applies_to=project', /^applies_to: expected one of job_template, ad_hoc_command but got 'project'/],
    ['applies_to=', /^applies_to: /],
    ['wide=0', /^wide: expected a number from 1 to 100 but got '0'/],
    ['wide=x', /^wide: expected a number but got 'x'/],
    ['applies_to__contains=x', /cannot be filtered by 'applies_to'/],
    ['not__since=2026-01-01', /has no field named 'since'/],
    ['since=2026-01-01&'.repeat(21), /^since: more than 20 times/],
  ];
  for (const [query, message] of wrong)
    it(`answer 400 to ${query.slice(0, 40)}`, async () => {
      const [status, detail] = await names(query);
      expect(status).to.equal(400);
      expect(detail).to.match(message);
    });

  it('stand in OPTIONS, of lists and of lists below', async () => {
    for (const path of ['events/', 'owners/1/events/']) {
      const { parameters, actions } = (await stage.send('OPTIONS', path)).body;
      expect(parameters.since, path).to.include({ type: 'datetime', label: 'Since' });
      expect(parameters.applies_to.choices, path).to.deep.equal(kinds.map((kind) => [kind, kind]));
      expect(parameters.wide, path).to.include({ min_value: 1, max_value: 100 });
      expect(actions.GET.applies_to.filterable, path).to.equal(true);
    }
    expect((await stage.send('OPTIONS', 'owners/')).body).to.not.have.property('parameters');
    expect((await stage.send('OPTIONS', 'events/1/')).body).to.not.have.property('parameters');
  });

  it('stand in the description of the API', async () => {
    const { paths } = (await stage.get('openapi.json')).body;
    for (const path of ['/api/v2/events/', '/api/v2/owners/{id}/events/']) {
      const { parameters } = paths[path].get;
      const named = Object.fromEntries(parameters.map((one: any) => [one.name, one]));
      expect(named.mine.schema, path).to.deep.equal({ type: 'boolean' });
      expect(named.applies_to.schema.enum, path).to.deep.equal(kinds);
      expect(named.since.description, path).to.include('at this time or later');
    }
    expect(paths['/api/v2/owners/'].get.parameters.map(({ name }: any) => name)).to.not.include('since');
  });
});

describe('parameters that cannot work', () => {
  const failure = (parameters: Resource['parameters'], more?: Partial<Resource>) =>
    openStage([event(parameters, more), owner], { sql }).then(
      async (stage) => stage.close().then(() => 'it opened'),
      (error: Error) => error.message,
    );
  const cases: [string, Resource['parameters'], RegExp][] = [
    ['a field', { size: wide }, /parameter size: clashes: filters ask for the field of that name.*filterable: false/],
    ['the column of a link', { owner_id: wide }, /parameter owner_id: clashes: filters ask for the field/],
    ['a parameter of every list', { order_by: wide }, /parameter order_by: clashes: every list has a parameter/],
    ['what there is not', { since: parameter.since('made') }, /parameter since: event has no field or column made/],
  ];
  for (const [what, parameters, message] of cases)
    it(`end the start: ${what}`, async () => {
      expect(await failure(parameters)).to.match(message);
    });

  it('end the start: a list below', async () => {
    const message = await failure(
      { parts: wide },
      { sublists: { parts: { resource: 'owner', where: () => undefined } } },
    );
    expect(message).to.match(/parameter parts: clashes: filters follow a relation/);
  });
});
