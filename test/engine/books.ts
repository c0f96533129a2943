import { authenticated, defineResource, field, format, parameter, superuser, type Resource } from '@tapline/plugin-sdk';
import { anyOf, columnIs } from '../../core/rbac/rules.ts';

/** Books with names that a table must not take as they are, and one that only superusers see. */
export const bookSql = `
  create table shelves (id bigint generated always as identity primary key, name text not null);
  create table books (
    id bigint generated always as identity primary key, name text not null, pages integer not null default 0, sold boolean not null default false,
    tags jsonb not null default '[]', printed timestamptz, public boolean not null default true, shelf_id bigint references shelves);
  insert into shelves (name) values ('top, left');
  insert into books (name, pages, sold, tags, printed, public, shelf_id) values
    ('plain', 1, true, '["a", "b"]', '2026-01-01T00:00:00Z', true, 1),
    ('a "quoted", one' || chr(10) || 'of two lines', -5, false, '[]', null, true, null),
    ('=1+1', 0, false, '[]', null, true, null), ('+1', 0, false, '[]', null, true, null),
    ('-1', 0, false, '[]', null, true, null), ('@sum(a1)', 0, false, '[]', null, true, null),
    (chr(9) || 'tab', 0, false, '[]', null, true, null), (chr(13) || 'cr', 0, false, '[]', null, true, null),
    ('größer', 0, false, '[]', null, true, null), ('hidden', 0, false, '[]', null, false, 1);`;

const columns = {
  Title: 'name',
  Pages: 'pages',
  Sold: 'sold',
  Tags: 'tags',
  Printed: 'printed',
  Shelf: 'summary_fields.shelf.name',
};

const book = defineResource({
  type: 'book',
  path: 'books',
  table: 'books',
  label: 'Book',
  access: { see: anyOf(superuser, columnIs('public', true)), create: superuser },
  orderBy: ['id'],
  fields: {
    name: field.string(),
    pages: field.integer(),
    sold: field.boolean(),
    tags: field.list(),
    printed: field.datetime(),
    shelf: field.ref('shelf'),
  },
  parameters: {
    since: parameter.since('printed'),
    slow: {
      type: 'boolean',
      help: 'Takes six seconds for each row.',
      narrow: (conditions, _slow, { alias }) =>
        void conditions.whereRaw('(select true from pg_sleep(case when ?? > 0 then 6 end))', [`${alias}.id`]),
    },
  },
  formats: {
    csv: format.csv({ columns }),
    all: format.csv(),
    lines: format.jsonLines({ columns: { id: 'id', Size: (row) => Number(row['pages']) * 2 } }),
    siem: format.jsonList({ columns: { id: 'id', name: 'name' } }),
    xml: {
      media: 'application/xml',
      extension: 'xml',
      header: '<books>',
      row: (_values, row) => `<book id="${row.id}"/>`,
      separator: '|',
      footer: '</books>',
    },
    broken: {
      media: 'text/plain',
      extension: 'txt',
      row: (_values, row) => {
        if (row.name === 'row 700') throw new TypeError('this one is not to be had');
        return `${row.name}\n`;
      },
    },
  },
});

const shelf = defineResource({
  type: 'shelf',
  path: 'shelves',
  table: 'shelves',
  label: 'Shelf',
  access: { see: authenticated },
  orderBy: ['id'],
  fields: { name: field.string() },
  sublists: {
    books: {
      resource: 'book',
      column: 'shelf_id',
      decorate: async (_db, results) => results.forEach((one) => (one.name = `${one.name} (here)`)),
    },
  },
  actions: {
    inventory: {
      access: { GET: authenticated },
      lists: 'book',
      answers: { GET: { media: 'text/csv' } },
      handler: async (call, row) =>
        call.write('book', 'csv', (builder, alias) => void builder.where(`${alias}.shelf_id`, row.id)),
    },
  },
});

export const bookResources: Resource[] = [book, shelf];
