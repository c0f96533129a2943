import type { Actor, Call, Resource, Route, View } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Doors } from '../rbac/doors.ts';
import type { Log } from '../observe/log.ts';
import { asPluginError } from '../plugins/error.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { Activity } from './activity.ts';
import { type DeclaredExtension, extendResources } from './extend.ts';
import type { Models } from './links.ts';
import { type Narrow, selectRows } from './list.ts';
import { type Model, compileModel } from './model.ts';
import { openApiRoute } from './openapi.ts';
import type { Proof } from './prepared.ts';
import { type CompiledRoute, compileRoutes } from './routes.ts';
import { representIds } from './represent.ts';
import { type Serializer, compileSerializer } from './serialize.ts';
import { type Reads, compileReads } from './sql.ts';
import { readTables, type Tables } from './tables.ts';

export interface Compiled extends Model {
  reads: Reads;
  serializer: Serializer;
}

export interface Engine {
  db: Knex;
  log: Log;
  models: Models;
  /** absent: changes are not written down */
  activity?: Activity;
  doors?: Doors;
  /** for secrets among the fields that plugins add */
  keyRing?: KeyRing;
  /** path items of the API's description for what is answered outside of the routes */
  besides: Record<string, object>;
  /** every path under its methods, in the order in which they are to be tried */
  routes: CompiledRoute[];
  /** @throws Error for a type that nobody declared */
  type: (name: string) => Compiled;
  url: (type: string, id: number) => string;
  /** The row as rules, links and handlers see it, or undefined where there is none or the actor may not see it. */
  find: (type: string, id: number, actor: Actor | null, proof?: Proof) => Promise<any | undefined>;
  /** Ids of the rows that the actor may see, as a subquery. */
  visible: (type: string, actor: Actor | null, narrow?: Narrow) => Knex.QueryBuilder;
  /** The API form of rows, in the order of the ids; ids without a row are left out. */
  represent: (type: string, ids: readonly number[], call: Call, view?: View) => Promise<Record<string, any>[]>;
}

export interface EngineDeps {
  db: Knex;
  log: Log;
  resources: readonly Resource[];
  routes?: readonly Route[];
  besides?: Record<string, object>;
  activity?: Activity;
  doors?: Doors;
  keyRing?: KeyRing;
  /** what plugins add to resources of core */
  extensions?: readonly DeclaredExtension[];
  /** types that plugins declared, with the plugin */
  owners?: ReadonlyMap<string, string>;
}

/** Turns the descriptors into models, statements and routes. Throws where a declaration does not fit the database. */
export async function compileResources(deps: EngineDeps): Promise<Engine> {
  const { db, log, routes = [], activity, doors, keyRing, extensions = [], owners } = deps;
  const tables = await readTables(db);
  const declared = await extendResources({ db, log, resources: deps.resources, extensions, owners, tables });
  const resources = doors ? declared.map((resource) => restricted(resource, doors)) : declared;
  const models = compileModels(resources, tables, owners);
  warnOfMissingTargets(models, log);
  const compiled = new Map([...models].map(([type, model]) => [type, withStatements(model, models)]));

  const engine: Engine = {
    db,
    log,
    models,
    activity,
    doors,
    keyRing,
    besides: deps.besides ?? {},
    routes: [],
    type(name) {
      const found = compiled.get(name);
      if (!found) throw new Error(`there is no resource ${name}`);
      return found;
    },
    url: (type, id) => engine.type(type).url(id),
    async find(type, id, actor, proof) {
      const { reads, resource } = engine.type(type);
      const row = await reads.row(db, id, actor, proof);
      const own = row && Object.entries(resource.where ?? {}).every(([column, value]) => row[column] === value);
      return own && (await resource.access.see.row(actor, row, db)) ? row : undefined;
    },
    visible: (type, actor, narrow) =>
      selectRows(engine, engine.type(type), { actor, query: new URLSearchParams() }, narrow).select(
        db.raw(`${engine.type(type).id('t')} as id`),
      ),
    represent: (type, ids, call, view = 'detail') => representIds(engine, engine.type(type), ids, call, view),
  };
  engine.routes = [...compileRoutes(engine, resources, routes), openApiRoute(engine)];
  return engine;
}

function compileModels(resources: readonly Resource[], tables: Tables, owners?: EngineDeps['owners']): Models {
  const models = new Map<string, Model>();
  for (const resource of resources) {
    if (models.has(resource.type)) throw new Error(`resource ${resource.type} is declared twice`);
    const owner = owners?.get(resource.type);
    try {
      models.set(resource.type, compileModel(resource, tables, { sealing: owner !== undefined }));
    } catch (error) {
      throw owner === undefined ? error : asPluginError(owner, 'compiling its resources', error);
    }
  }
  return models;
}

const withStatements = (model: Model, models: Models): Compiled => ({
  ...model,
  reads: compileReads(model, models),
  serializer: compileSerializer(model, models),
});

/** Every reading goes through the visibility rule, so narrowing that one narrows all of them. */
const restricted = (resource: Resource, doors: Doors): Resource => ({
  ...resource,
  access: { ...resource.access, see: doors.visible(resource.type, resource.access.see) },
});

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
