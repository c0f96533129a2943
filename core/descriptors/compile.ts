import type { Actor, Call, Resource, Row, Shown, View } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Doors } from '../rbac/doors.ts';
import type { Log } from '../observe/log.ts';
import { attributed, callError } from '../observe/plugin-error.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { Activity } from './write/activity.ts';
import { type DeclaredExtension, extensionFault } from './extend/declared.ts';
import { withActionRights } from './extend/action-rights.ts';
import { extendResources } from './extend/extend.ts';
import { Places } from './formats/places.ts';
import type { Models } from './links.ts';
import { type Narrow, selectRows } from './read/list.ts';
import { type Model, compileModel } from './model.ts';
import type { Longest } from './write/field-values.ts';
import { nameProblems, relationProblems } from './names.ts';
import { openApiRoute } from './describe/openapi.ts';
import { type CompiledRoute, compileRoutes, type OwnRoute } from './routes/routes.ts';
import type { Asking } from './read/filter-path.ts';
import { guardProblem } from './read/field-rights.ts';
import { parameterProblem } from './read/parameters.ts';
import { representIds } from './read/represent.ts';
import { type Serializer, compileSerializer } from './read/serialize.ts';
import { type Extent, type Reads, compileReads } from './read/sql.ts';
import { readTables, type Tables } from '../db/tables.ts';

export interface Compiled extends Model {
  reads: Reads;
  serializer: Serializer;
}

export interface Catalog {
  db: Knex;
  log: Log;
  models: Models;
  /** absent: changes are not written down */
  activity?: Activity;
  doors?: Doors;
  /** texts that bodies of launches may hold besides, and what each is for */
  launchTexts: () => Readonly<Record<string, string>>;
  /** for secrets among the fields that plugins add */
  keyRing?: KeyRing;
  /** absent: texts may be as long as they like */
  longest?: Longest;
  /** what a list is asked for decides how much work it is: less time than a statement has else */
  listTimeoutMs: number;
  /** path items of the API's description for what is answered outside of the routes */
  besides: Record<string, object>;
  /** for lists that are being written in other formats than JSON */
  places: Places;
  /** every path under its methods, in the order in which they are to be tried */
  routes: CompiledRoute[];
  /** @throws Error for a type that nobody declared */
  type: (name: string) => Compiled;
  url: (type: string, id: number) => string;
  /** The row as rules, links and handlers see it, or undefined where there is none or the actor may not see it. */
  find: (type: string, id: number, actor: Actor | null, extent?: Extent) => Promise<Row | undefined>;
  /** Ids of the rows that the actor may see, as a subquery. */
  visible: (type: string, actor: Actor | null, narrow?: Narrow) => Knex.QueryBuilder;
  /** The API form of rows, in the order of the ids; ids without a row are left out. */
  represent: (type: string, ids: readonly number[], call: Call, view?: View) => Promise<Shown[]>;
}

export interface CatalogDeps {
  db: Knex;
  log: Log;
  resources: readonly Resource[];
  routes?: readonly OwnRoute[];
  besides?: Record<string, object>;
  activity?: Activity;
  doors?: Doors;
  launchTexts?: Catalog['launchTexts'];
  keyRing?: KeyRing;
  longest?: Longest;
  /** what plugins add to resources of core */
  extensions?: readonly DeclaredExtension[];
  /** types that plugins declared as resources, with the plugin */
  owners?: ReadonlyMap<string, string>;
  /** all types that plugins bring, with the call that brings them: whose fault it is where one does not fit */
  declaredBy?: ReadonlyMap<string, { plugin: string; call: string }>;
}

/** Turns the descriptors into models, statements and routes. Throws where a declaration does not fit the database. */
export async function compileResources(deps: CatalogDeps): Promise<Catalog> {
  const { db, log, routes = [], activity, doors, keyRing, extensions = [], owners } = deps;
  const tables = await readTables(db);
  const told = deps.resources.map((resource) => {
    const owner = owners?.get(resource.type);
    return owner === undefined ? resource : withActionRights(resource, owner, log);
  });
  const declared = await extendResources({ db, log, resources: told, extensions, owners, tables });
  const resources = doors ? restricted(declared, doors) : declared;
  const models = compileModels(resources, tables, deps);
  for (const model of models.values()) assertParameters(model, deps);
  warnOfMissingTargets(models, log);
  assertNames({ db, models, actor: null }, tables, deps);
  const withReads = (model: Model) =>
    attributed(deps.declaredBy?.get(model.type)?.plugin, 'compiling its resources', () =>
      withStatements(model, models, log),
    );
  const compiled = new Map([...models].map(([type, model]) => [type, withReads(model)]));

  const catalog: Catalog = {
    db,
    log,
    models,
    activity,
    doors,
    launchTexts: deps.launchTexts ?? (() => ({})),
    keyRing,
    longest: deps.longest,
    listTimeoutMs: 10_000,
    besides: deps.besides ?? {},
    places: new Places(),
    routes: [],
    type(name) {
      const found = compiled.get(name);
      if (!found) throw new Error(`there is no resource ${name}`);
      return found;
    },
    url: (type, id) => catalog.type(type).url(id),
    find: (type, id, actor, extent) => findSeen(db, catalog.type(type), { id, actor, extent }),
    visible: (type, actor, narrow) =>
      selectRows(catalog, catalog.type(type), { actor, query: new URLSearchParams() }, narrow).select(
        db.raw(`${catalog.type(type).id('t')} as id`),
      ),
    represent: (type, ids, call, view = 'detail') => representIds(catalog, catalog.type(type), ids, call, view),
  };
  catalog.routes = [...compileRoutes(catalog, resources, routes, deps.declaredBy), openApiRoute(catalog)];
  return catalog;
}

async function findSeen(
  db: Knex,
  { reads, resource }: Compiled,
  { id, actor, extent }: { id: number; actor: Actor | null; extent?: Extent | undefined },
): Promise<Row | undefined> {
  const row = await reads.row(db, id, actor, extent);
  const own = row && Object.entries(resource.where ?? {}).every(([column, value]) => row[column] === value);
  return own && (await resource.access.see.row(actor, row, db)) ? row : undefined;
}

function compileModels(
  resources: readonly Resource[],
  tables: Tables,
  { owners, declaredBy }: Pick<CatalogDeps, 'owners' | 'declaredBy'>,
): Models {
  const models = new Map<string, Model>();
  for (const resource of resources) {
    if (models.has(resource.type)) throw new Error(`resource ${resource.type} is declared twice`);
    const plugin = declaredBy?.get(resource.type)?.plugin;
    const sealing = owners?.has(resource.type);
    const model = attributed(plugin, 'compiling its resources', () => {
      const compiled = compileModel(resource, tables, { sealing });
      const problem = guardProblem(compiled);
      if (problem) throw new Error(`resource ${resource.type}: ${problem}`);
      return compiled;
    });
    models.set(resource.type, model);
  }
  return models;
}

/** @throws PluginError where a resource or list of a plugin names what is not there */
function assertNames(asking: Asking, tables: Tables, { declaredBy = new Map(), extensions = [] }: CatalogDeps): void {
  const { models } = asking;
  const told = (plugin: string, call: string, problems: readonly string[]) => {
    if (problems.length)
      throw callError(plugin, call, 'does not fit', `${problems.join('; ')}: correct it, or add it in a migration`);
  };
  for (const [type, { plugin, call }] of declaredBy) {
    const model = models.get(type);
    if (model) told(plugin, call, nameProblems(asking, tables, model));
  }
  for (const { plugin, type, extension } of extensions) {
    const model = models.get(type);
    if (model) told(plugin, `api.extend("${type}")`, relationProblems(models, tables, model, extension.sublists ?? {}));
  }
}

/** @throws PluginError where a parameter cannot be told from what else a query may hold, or narrows by what is not there */
function assertParameters(model: Model, { declaredBy = new Map(), extensions = [] }: CatalogDeps): void {
  const { name, problem } = parameterProblem(model) ?? {};
  if (name === undefined) return;
  const by = extensions.find(({ type, extension }) => type === model.type && name in (extension.parameters ?? {}));
  if (by) throw extensionFault(by, `adds the parameter ${name}`, problem!);
  const { plugin, call } = declaredBy.get(model.type) ?? {};
  if (plugin === undefined) throw new Error(`resource ${model.type}: its parameter ${name}: ${problem}`);
  throw callError(plugin, call!, `has the parameter ${name}`, problem!);
}

const withStatements = (model: Model, models: Models, log: Log): Compiled => ({
  ...model,
  reads: compileReads(model, models),
  serializer: compileSerializer(model, models, log),
});

/** Every reading goes through the visibility rule, so narrowing that one narrows all of them. */
function restricted(resources: readonly Resource[], doors: Doors): Resource[] {
  for (const { type, access } of resources) doors.declare(type, access.see);
  return resources.map((resource) => ({
    ...resource,
    access: { ...resource.access, see: doors.visible(resource.type) },
  }));
}

/** A plugin that is off takes its types along, so a link to one is no error: it shows the id alone. */
function warnOfMissingTargets(models: Models, log: Log): void {
  for (const { type, refs, resource } of models.values()) {
    const targets = [
      ...refs.map(({ name, field }) => [name, field.target!]),
      ...Object.entries(resource.sublists ?? {}).map(([name, sublist]) => [name, sublist.resource]),
    ];
    const missing = targets.filter(([, target]) => !models.has(target!)).map(([name, target]) => `${name} → ${target}`);
    if (missing.length) log.warn({ resource: type, missing }, 'links to types that nobody declared lead nowhere');
  }
}
