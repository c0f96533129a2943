import type { Actor, Call, Resource, Rule } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { capabilities, capabilityRules } from './capabilities.ts';
import type { Permissions } from './permissions.ts';
import { judge } from './row-roles.ts';

type Summaries = Map<number, Record<string, unknown>>;

/** A resource with more in its summary_fields; a constant number of statements per page must stay one. */
export function addSummaries(
  resource: Resource,
  more: (db: Knex, rows: any[], call: Call) => Promise<Summaries>,
): Resource {
  const own = resource.summaries;
  return {
    ...resource,
    async summaries(db, rows, call) {
      const [first, second] = await Promise.all([own?.(db, rows, call), more(db, rows, call)]);
      return new Map(rows.map(({ id }) => [id, { ...first?.get(id), ...second.get(id) }]));
    },
  };
}

/** `summary_fields.user_capabilities`, by the rules that guard the actions themselves. */
export function withCapabilities(resource: Resource, permissions: Record<string, Permissions>): Resource {
  const rules = capabilityRules(permissions, resource.type);
  return rules ? addCapabilities(resource, rules) : resource;
}

/** The same for a resource that brings its rules along: whether the caller may change and delete. */
export function withOwnCapabilities(resource: Resource): Resource {
  const { change: edit, delete: remove } = resource.access;
  const rules = { ...(edit && { edit }), ...(remove && { delete: remove }) };
  return resource.identity || !Object.keys(rules).length ? resource : addCapabilities(resource, rules);
}

function addCapabilities(resource: Resource, rules: Record<string, Rule>): Resource {
  return addSummaries(resource, async (db, rows, { actor }) => {
    const found = actor?.is_superuser
      ? await byRow(db, actor, rules, rows)
      : actor && rows.length === 1
        ? new Map([[rows[0].id, await byMemory(db, actor, resource.table, rules, rows[0])]])
        : await capabilities(db, actor, resource.table, rules, ids(rows));
    return new Map(rows.map(({ id }) => [id, { user_capabilities: found.get(id) }]));
  });
}

const ids = (rows: any[]): number[] => rows.map(({ id }) => id);

/** What came along with the row decides most of it; only the rest is asked for. */
async function byMemory(db: Knex, actor: Actor, table: string, rules: Record<string, Rule>, row: any) {
  const found: Record<string, boolean> = {};
  const open: Record<string, Rule> = {};
  for (const [key, rule] of Object.entries(rules)) {
    const judged = actor.read_only ? false : judge(rule, row, actor);
    if (judged === undefined) open[key] = rule;
    found[key] = judged ?? false;
  }
  const asked = await capabilities(db, actor, table, open, [row.id]);
  return Object.assign(found, asked.get(row.id));
}

/** Rules ask the database nothing about a superuser, so that the rows at hand tell everything. */
async function byRow(
  db: Knex,
  actor: Actor,
  rules: Record<string, Rule>,
  rows: any[],
): Promise<Map<number, Record<string, boolean>>> {
  const found = new Map<number, Record<string, boolean>>();
  for (const row of rows) {
    const own: Record<string, boolean> = {};
    for (const [key, rule] of Object.entries(rules)) own[key] = !actor.read_only && (await rule.row(actor, row, db));
    found.set(row.id, own);
  }
  return found;
}
