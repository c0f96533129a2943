import {
  ApiError,
  type Call,
  type Reply,
  type Row,
  type Rule,
  type Shown,
  type Sublist,
  notFound,
} from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Compiled, Catalog } from '../compile.ts';
import { formatOf, writeList } from '../formats/write-list.ts';
import type { Narrow } from '../read/list.ts';
import { type ListOptions, listPage } from '../read/list-page.ts';
import { requireRule } from '../read/lookup.ts';
import { quote } from '../model.ts';
import type { Endpoint } from './routes.ts';
import { createRow, deleteRow, inTransaction, launchRow } from '../write/write.ts';

interface Place {
  catalog: Catalog;
  parent: Compiled;
  child: Compiled;
  name: string;
  sublist: Sublist;
}

const refused = (msg: string) => new ApiError(400, { msg });

/** GET lists the children, POST attaches, detaches or creates one. */
export function sublistEndpoints(
  catalog: Catalog,
  parent: Compiled,
  name: string,
  sublist: Sublist,
  parentRow: (call: Call) => Promise<Row>,
): Record<string, Endpoint> {
  const place: Place = { catalog, parent, child: catalog.type(sublist.resource), name, sublist };
  const get: Endpoint = {
    rule: parent.resource.access.see,
    prepare: parentRow,
    run: async (call, row) => {
      const options: ListOptions = {
        narrow: narrowTo(place, row),
        orderBy: sublist.orderBy,
        above: sublist.column === undefined ? undefined : { column: sublist.column, table: parent.table, row },
        order: positionOf(place, row),
      };
      const decorate = async (rows: Shown[]) => sublist.decorate?.(catalog.db, rows, row, call);
      const format = formatOf(place.child, call);
      if (format) return writeList(catalog, place.child, call, format, { ...options, decorate });
      const body = await listPage(catalog, place.child, call, `${parent.url(row.id)}${name}/`, options);
      await decorate(body.results as Shown[]);
      return { status: 200, headers: place.child.resource.listHeaders?.(call), body };
    },
  };
  if (!sublist.attach && !sublist.create) return { GET: get };
  const rule = sublist.write ?? parent.resource.access.change;
  if (!rule)
    throw new Error(
      `resource ${parent.type}: sublist ${name} can be written, but neither it nor the resource states who may change it`,
    );
  const launches = sublist.create && place.child.resource.launch ? 201 : undefined;
  return { GET: get, POST: { rule, prepare: parentRow, run: (call, row) => write(place, rule, call, row), launches } };
}

function positionOf({ sublist: { through }, child }: Place, row: Row): ListOptions['order'] {
  if (!through?.ordered) return undefined;
  const { table, parent, child: below } = through;
  return (alias) => ({
    sql: `(select position from ${quote(table)} where ${quote(parent)} = ? and ${quote(below)} = ${child.id(alias)})`,
    bindings: [row.id],
  });
}

function narrowTo({ sublist, child }: Place, row: Row): Narrow {
  const { column, through, where } = sublist;
  const instead = sublist.instead?.(row);
  if (instead) return instead;
  return (builder, alias) => {
    if (column) builder.where(`${alias}.${column}`, row.id);
    if (through) {
      const links = { [through.parent]: row.id, ...through.where };
      const held = Object.keys(links).map((name) => `${quote(name)} = ?`);
      builder.whereRaw(
        `${child.id(alias)} in (select ${quote(through.child)} from ${quote(through.table)} where ${held.join(' and ')})`,
        Object.values(links),
      );
    }
    where?.(builder, row, alias);
  };
}

async function write(place: Place, rule: Rule, call: Call, row: Row): Promise<Reply> {
  await requireRule(place.catalog, rule, call, row);
  place.sublist.refuse?.(call, row);
  const { attach, create } = place.sublist;
  const { body } = call;
  const detach = Object.hasOwn(body, 'disassociate');
  // a list that only creates ignores an id as it ignores any read-only key
  if (attach && Object.hasOwn(body, 'id')) {
    const id = body.id;
    if (!Number.isInteger(id)) throw refused('"id" field must be an integer.');
    if (place.sublist.link) await linkByRule(place, call, row, id as number, detach);
    else if (detach) await detachChild(place, call, row, id as number);
    else await attachChild(place, call, row, id as number);
    return { status: 204 };
  }
  if (detach && place.sublist.detachDeletesParent) {
    await deleteRow(place.catalog, place.parent, call, row.id);
    return { status: 204 };
  }
  if (attach && detach) throw refused('"id" is required to disassociate.');
  if (!create) throw refused('"id" field is missing.');
  if (place.sublist.createRule) await requireRule(place.catalog, place.sublist.createRule, call, row);
  place.sublist.prepare?.(call, row);
  const known = await place.sublist.adopt?.(place.catalog.db, row, call);
  if (known === undefined) return createBelow(place, call, row);
  await attachChild(place, call, row, known);
  return { status: 204 };
}

const linkByRule = (place: Place, call: Call, parent: Row, id: number, detach: boolean) =>
  inTransaction(place.catalog.db, place.child.resource, (trx) =>
    linkInside(place, trx, call, parent, id, { detach, created: false }),
  );

async function linkInside(
  place: Place,
  trx: Knex,
  call: Call,
  parent: Row,
  id: number,
  how: { detach: boolean; created: boolean },
): Promise<void> {
  if (!(await place.sublist.link!(trx, parent, id, call, how))) return;
  const rows = await place.child.rows();
  const row = (await rows.query(trx).findById(id))!;
  await askGuards(place, how.detach ? 'detach' : 'attach', trx, call, parent, row);
  await tell(place, how.detach ? 'disassociate' : 'associate', trx, call, parent, row);
}

async function childRow({ catalog, child }: Place, call: Call, id: number): Promise<Row> {
  const found = Number.isSafeInteger(id) && id > 0 ? await catalog.find(child.type, id, call.actor) : undefined;
  if (!found) throw new ApiError(400, notFound(`No ${child.resource.label} matches the given query.`).body);
  return found;
}

async function attachChild(place: Place, call: Call, parentRow: Row, id: number): Promise<void> {
  const { catalog, sublist, parent } = place;
  const row = await childRow(place, call, id);
  const { through, column } = sublist;
  if (column && row[column] !== parentRow.id)
    throw refused(`${place.child.resource.label} ${id} belongs to another ${parent.resource.label}.`);
  if (!through) return;
  await inTransaction(catalog.db, parent.resource, async (trx) => {
    await sublist.check?.(trx, parentRow, row, call);
    await link(place, trx, call, parentRow, row);
  });
}

/** Linking what is linked already changes nothing, so there is nothing to tell of it. */
async function link(place: Place, trx: Knex, call: Call, parent: Row, child: Row): Promise<void> {
  const { table, parent: above, child: below, where } = place.sublist.through!;
  const linked = await trx(table)
    .insert({ [above]: parent.id, [below]: child.id, ...where })
    .onConflict()
    .ignore()
    .returning(below);
  if (!linked.length) return;
  await askGuards(place, 'attach', trx, call, parent, child);
  await tell(place, 'associate', trx, call, parent, child);
}

async function askGuards(
  { catalog, name, parent, child }: Place,
  operation: 'attach' | 'detach',
  trx: Knex,
  { actor }: Call,
  parentRow: Row,
  row: Row,
): Promise<void> {
  const link = { parent: parentRow, relation: name, type: child.type };
  await catalog.doors?.check(parent.type, operation, { trx, actor, rows: [row], ...link });
}

async function tell(
  { catalog, name, parent, child }: Place,
  operation: 'associate' | 'disassociate',
  trx: Knex,
  call: Call,
  parentRow: Row,
  row: Row,
): Promise<void> {
  const ends = { parent: { model: parent, row: parentRow }, child: { model: child, row } };
  await catalog.activity?.linked(trx, catalog, call, { operation, relation: name, ...ends });
}

/** Unlinks; a child that belongs to its parent ends with it. Detaching what is not attached is done already. */
async function detachChild(place: Place, call: Call, parentRow: Row, id: number): Promise<void> {
  const { catalog, sublist, child } = place;
  const { through, column } = sublist;
  const row = await childRow(place, call, id);
  if (through) {
    await inTransaction(catalog.db, child.resource, async (trx) => {
      await sublist.checkDetach?.(trx, parentRow, row, call);
      const ended = await trx(through.table)
        .where({ [through.parent]: parentRow.id, [through.child]: id, ...through.where })
        .delete();
      if (!ended) return;
      await askGuards(place, 'detach', trx, call, parentRow, row);
      await tell(place, 'disassociate', trx, call, parentRow, row);
    });
  } else if (column && row[column] === parentRow.id) await deleteRow(catalog, child, call, id);
}

async function createBelow(place: Place, call: Call, parentRow: Row): Promise<Reply> {
  const { catalog, child, sublist } = place;
  const { through, column, write: own, inherit = [] } = sublist;
  const inherited = inherit.map((name) => [name, parentRow[name]]);
  const fixed = { ...Object.fromEntries(inherited), ...(column ? { [column]: parentRow.id } : {}) };
  // a sublist with a rule of its own may be the only place where such a row can be made
  const checkAccess = !sublist.createRule && (child.resource.access.create !== undefined || !own);
  if (child.resource.launch) return launchRow(catalog, child, call, { fixed, checkAccess });
  const id = await createRow(catalog, child, call, {
    fixed,
    checkAccess,
    after: async (trx, row) => {
      if (sublist.link) await linkInside(place, trx, call, parentRow, row.id, { detach: false, created: true });
      if (!through) return;
      await sublist.check?.(trx, parentRow, row, call);
      await link(place, trx, call, parentRow, row);
    },
  });
  const [created] = await catalog.represent(child.type, [id], call);
  return { status: 201, body: created, headers: { Location: child.url(id) } };
}
