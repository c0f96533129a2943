import { type Resource, type Rule, ApiError, defineResource, field } from '@tapline/plugin-sdk';
import { userResource } from '../../core/resources/people/user.ts';
import { createDoors } from '../../core/rbac/doors.ts';
import { anyOf, auditor, authenticated, owner, superuser } from '../../core/rbac/rules.ts';

/** Tables that have a column of every kind and a relation of every kind. */
export const widgetSql = `
  create table makers (id bigint generated always as identity primary key, name text not null, country text not null default '', owner_id bigint references users);
  create table widgets (
    id bigint generated always as identity primary key, name text not null, description text not null default '', secret text not null default '',
    size integer not null default 0, weight double precision not null default 0, price numeric(8, 2) not null default 0, enabled boolean not null default true,
    level integer not null default 0, color text not null default 'red', made timestamptz, options jsonb not null default '{}', parts jsonb not null default '[]', variables text not null default '',
    code text not null default '', maker_id bigint references makers, spare_id bigint references makers on delete set null, note text,
    created timestamptz not null default now(), modified timestamptz not null default now(),
    created_by_id bigint references users on delete set null, modified_by_id bigint references users on delete set null,
    constraint widgets_name_maker unique nulls not distinct (name, maker_id), constraint widgets_size check (size <> 666)
  );
  create unique index widgets_code on widgets (code) where code <> '';
  create table tags (id bigint generated always as identity primary key, name text not null unique, shade text not null default '');
  create table widget_tags (widget_id bigint references widgets on delete cascade, tag_id bigint references tags on delete cascade, primary key (widget_id, tag_id));
  create table things (id bigint generated always as identity primary key, kind text not null, name text not null, hidden boolean not null default false, extra text not null default '');
`;

const access = { see: authenticated, create: superuser, change: superuser, delete: superuser };
const never: Rule = {
  name: 'never',
  row: async () => false,
  query: (_actor, builder) => void builder.whereRaw('false'),
};

const maker = defineResource({
  type: 'maker',
  path: 'makers',
  table: 'makers',
  label: 'Maker',
  fields: { name: field.string({ required: true, max: 20 }), country: field.string(), owner: field.ref('user') },
  access: { ...access, see: anyOf(auditor, owner('owner_id')) },
  orderBy: ['name'],
  naming: ['name'],
  sublists: { widgets: { resource: 'widget', column: 'maker_id', attach: true, create: true } },
  summary: ['id', 'name', 'country'],
});

const widget = defineResource({
  type: 'widget',
  path: 'widgets',
  table: 'widgets',
  label: 'Widget',
  fields: {
    name: field.string({ required: true, max: 40 }),
    description: field.text(),
    secret: field.string({ secret: true }),
    size: field.integer({ max: 1_000_000 }),
    weight: field.number({ min: 0 }),
    price: field.decimal(),
    enabled: field.boolean({ default: true }),
    level: field.choice([
      [0, 'low'],
      [1, 'high'],
    ]),
    color: field.choice(['red', 'green'], { default: 'red', ranked: true }),
    made: field.datetime({ nullable: true }),
    options: field.json(),
    parts: field.list(),
    variables: field.jsonText(),
    code: field.string({ mode: 'create', max: 10 }),
    maker: field.ref('maker'),
    spare: field.ref('maker'),
    note: field.string({ nullable: true, detailOnly: true }),
    big: field.boolean({ mode: 'ro', sql: '({alias}.size > 100)' }),
    loud: field.computed({ compute: (row) => String(row['name']).toUpperCase() }),
  },
  access,
  orderBy: ['name'],
  naming: ['name', 'maker'],
  sublists: {
    tags: {
      resource: 'tag',
      through: { table: 'widget_tags', parent: 'widget_id', child: 'tag_id' },
      attach: true,
      create: true,
      check: async (_trx, _parent, tag) => {
        if (tag.name === 'forbidden') throw new ApiError(400, { error: 'This tag fits no widget.' });
      },
    },
    picked: { resource: 'tag', through: { table: 'widget_tags', parent: 'widget_id', child: 'tag_id' }, attach: true },
    owned: {
      resource: 'tag',
      where: (builder, row, alias) => void builder.where(`${alias}.shade`, row['color'] as string),
    },
  },
  actions: {
    paint: {
      access: { GET: authenticated, POST: superuser },
      handler: async ({ method, body }, row) => ({ status: 200, body: { method, body, id: row.id } }),
    },
    locked: { access: { GET: never }, handler: async () => ({ status: 200, body: {} }) },
    quiet: {
      access: { GET: authenticated },
      related: false,
      formats: ['txt'],
      handler: async () => ({ status: 200, body: 'hush', type: 'text/plain' }),
    },
  },
  listActions: {
    totals: { access: { GET: authenticated }, handler: async () => ({ status: 200, body: { total: 1 } }) },
  },
});

const tag = defineResource({
  type: 'tag',
  path: 'tags',
  table: 'tags',
  label: 'Tag',
  access,
  orderBy: ['name'],
  fields: { name: field.string({ required: true }), shade: field.string() },
  spans: { widgets: { resource: 'widget', through: { table: 'widget_tags', parent: 'tag_id', child: 'widget_id' } } },
});

const thing = (kind: string, fields: Resource['fields']) =>
  defineResource({
    type: `big_${kind}`,
    path: `${kind}s`,
    table: 'things',
    where: { kind },
    label: kind,
    access,
    orderBy: ['id'],
    fields: { name: field.string({ required: true }), ...fields },
    listed: (builder, alias) => void builder.where(`${alias}.hidden`, false),
  });

const anything = defineResource({
  type: 'anything',
  path: 'anythings',
  table: 'things',
  label: 'Thing',
  access: { see: authenticated },
  orderBy: ['id'],
  variants: ['big_apple', 'big_pear'],
  methods: { list: ['GET'], detail: [] },
  fields: { name: field.string({ mode: 'ro' }) },
  listed: (builder, alias) => void builder.where(`${alias}.hidden`, false),
});

export const widgetResources: Resource[] = [
  userResource({
    settings: { get: () => 0 as never },
    visible: createDoors().visible,
  }),
  maker,
  widget,
  tag,
  thing('apple', { extra: field.string() }),
  thing('pear', {}),
  anything,
];
