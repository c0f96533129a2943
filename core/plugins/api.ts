import type { Plugin, PluginApi } from '@tapline/plugin-sdk';
import { isRoleType, roleDefinitions, type RoleType } from '../rbac/definitions.ts';
import { parent, role } from '../rbac/role-rules.ts';
import { checkArgument, schemas } from './arguments.ts';
import { hookCalls, lifeCalls, taskCalls } from './background-calls.ts';
import { contentCalls, extensionCalls, policyCalls } from './content-calls.ts';
import type { Contributions } from './contributions.ts';
import { callOf, createDoor } from './door.ts';
import { callError } from './error.ts';
import type { Registries } from './registries.ts';
import { tableOf } from './schema-name.ts';
import { sharedCalls } from './shared-calls.ts';

const serviceNames = [
  'db',
  'log',
  'launch',
  'notify',
  'audit',
  'sandbox',
  'http',
  'secrets',
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
    ...extensionCalls(door),
    ...policyCalls(door),
    hooks: hookCalls(door),
    ...taskCalls(door),
    ...lifeCalls(door),
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
    if (!isRoleType(type))
      throw callError(
        id,
        call,
        `names ${type}, a type without roles`,
        `take one of ${Object.keys(roleDefinitions).join(', ')}`,
      );
    const roles = Object.keys(roleDefinitions[type]);
    if (!roles.includes(field))
      throw callError(id, call, `names ${field}, no role of ${type}`, `take one of ${roles.join(', ')}`);
    return type;
  };
  return {
    role: (type, field) => role(check(callOf('rules.role', type, field), type, field), field),
    parent: (column, type, field, options) =>
      parent(column, check(callOf('rules.parent', column, type, field), type, field), field, options),
  };
}
