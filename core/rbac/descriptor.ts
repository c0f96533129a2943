import type { Action, Actor, Call, Resource, Row, Rule } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { capabilities, capabilityRules } from './capabilities.ts';
import { hasBeside } from './held.ts';

type Summaries = Map<number, Record<string, unknown>>;

/** A resource with more in its summary_fields; a constant number of statements per page must stay one. */
export function addSummaries(
  resource: Resource,
  more: (db: Knex, rows: Row[], call: Call) => Promise<Summaries>,
): Resource {
  const own = resource.summaries;
  return {
    ...resource,
    async summaries(db, rows, call, view) {
      const [first, second] = await Promise.all([own?.(db, rows, call, view), more(db, rows, call)]);
      return new Map(rows.map(({ id }) => [id, { ...first?.get(id), ...second.get(id) }]));
    },
  };
}

/** `summary_fields.user_capabilities`, by the rules that guard the actions themselves. */
export const withCapabilities = (resource: Resource): Resource =>
  resource.capabilities ? addCapabilities(resource, capabilityRules(resource)) : resource;

/** What a resource of a plugin shows without saying so: whether the caller may change and delete. */
export function withOwnCapabilities(resource: Resource): Resource {
  const { change, delete: remove } = resource.access;
  const keys = { ...(change && { edit: 'change' }), ...(remove && { delete: 'delete' }), ...resource.capabilities };
  return resource.identity || !Object.keys(keys).length ? resource : { ...resource, capabilities: keys };
}

/** By name, the rule of each action that does something. */
export function actionRules(actions: Record<string, Action> = {}): Record<string, Rule> {
  return Object.fromEntries(
    Object.entries(actions).flatMap(([name, { access }]) => {
      const rule = access.POST ?? access.PUT ?? access.PATCH ?? access.DELETE;
      return rule ? [[name, rule]] : [];
    }),
  );
}

function addCapabilities(resource: Resource, rules: Record<string, Rule>): Resource {
  return addSummaries(resource, async (db, rows, { actor }) => {
    const rights = await rightsOn(db, actor, resource.table, rules, rows);
    return new Map(rows.map(({ id }) => [id, { user_capabilities: rights.get(id) }]));
  });
}

/** Which of the rules the actor passes for each of the rows, by their id: one statement at most, however many rows. */
export async function rightsOn(
  db: Knex,
  actor: Actor | null,
  table: string,
  rules: Record<string, Rule>,
  rows: Row[],
): Promise<Map<number, Record<string, boolean>>> {
  if (actor && (actor.is_superuser || rows.every(hasBeside))) return byRow(db, actor, rules, rows);
  return capabilities(db, actor, table, rules, ids(rows));
}

const ids = (rows: Row[]): number[] => rows.map(({ id }) => id);

/** By the row forms: rules ask the database nothing about a superuser, and little about a row whose roles came along. */
async function byRow(
  db: Knex,
  actor: Actor,
  rules: Record<string, Rule>,
  rows: Row[],
): Promise<Map<number, Record<string, boolean>>> {
  const found = new Map<number, Record<string, boolean>>();
  for (const row of rows) {
    const own: Record<string, boolean> = {};
    const verdicts = new Map<Rule, boolean>();
    for (const [key, rule] of Object.entries(rules)) {
      const verdict = verdicts.get(rule) ?? (!actor.read_only && (await rule.row(actor, row, db)));
      verdicts.set(rule, verdict);
      own[key] = verdict;
    }
    found.set(row.id, own);
  }
  return found;
}
