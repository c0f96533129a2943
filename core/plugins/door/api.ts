import type { Plugin, PluginApi } from '@tapline/plugin-sdk';
import { roleProblem } from '@tapline/plugin-sdk/checks';
import type { RoleType } from '../../rbac/definitions.ts';
import { parent, role } from '../../rbac/role-rules.ts';
import { checkArgument, schemas } from './arguments.ts';
import { hookCalls, lifeCalls, taskCalls } from './background-calls.ts';
import { contentCalls, extensionCalls, pageCall, policyCalls } from './content-calls.ts';
import type { Contributions } from './contributions.ts';
import { callOf, createDoor } from './door.ts';
import { callError } from '../../observe/plugin-error.ts';
import type { Registries } from '../registries.ts';
import { tableOf } from '../data/schema-name.ts';
import { runCalls } from './run-calls.ts';
import { pointCalls } from './point-calls.ts';
import { sharedCalls } from './shared-calls.ts';

const serviceNames = [
  'db',
  'log',
  'launch',
  'runs',
  'notify',
  'audit',
  'sandbox',
  'http',
  'programs',
  'contents',
  'inventories',
  'secrets',
  'recurrence',
  'clock',
  'tracer',
] as const;

/** The door of one plugin: every call is checked here, so that what the registries hold can be relied on. */
export function createPluginApi(plugin: Plugin, contributions: Contributions, registries: Registries): PluginApi {
  const door = createDoor(plugin, contributions, registries);
  const api = {
    id: plugin.id,
    table: (name: string) =>
      tableOf(plugin.id, checkArgument(plugin.id, callOf('table', name), schemas.typeName, name)),
    rules: roleRules(plugin.id),
    ...contentCalls(door),
    ...pageCall(door),
    ...extensionCalls(door),
    ...policyCalls(door),
    hooks: hookCalls(door),
    ...runCalls(door),
    ...taskCalls(door),
    ...lifeCalls(door),
    ...pointCalls(door),
    ...sharedCalls(door),
  };
  // getters, so that a use inside `register` is told by its name
  for (const name of serviceNames)
    Object.defineProperty(api, name, { enumerable: true, get: () => door.services(`api.${name}`)[name] });
  return Object.freeze(api) as PluginApi;
}

/** Rules over core's roles, whose names are known by text only outside of it. */
function roleRules(id: string): PluginApi['rules'] {
  const check = (call: string, type: string, field: string): RoleType => {
    const wrong = roleProblem(type, field);
    if (wrong) throw callError(id, call, ...wrong);
    return type as RoleType;
  };
  return {
    role: (type, field) => role(check(callOf('rules.role', type, field), type, field), field),
    parent: (column, type, field, options) =>
      parent(column, check(callOf('rules.parent', column, type, field), type, field), field, options),
  };
}
