import {
  assertMembers,
  defineResource,
  field,
  parameter,
  type PluginApi,
  type Resource,
  switchActions,
} from '@tapline/plugin-sdk';
import { modes, resourceTypes } from '../policy.ts';
import { engineSettings } from '../settings.ts';
import type { Sync } from '../sync.ts';
import { backtestAction } from './backtest-action.ts';
import { readModule } from './read-module.ts';
import { testAction, testDraftAction } from './test-action.ts';
import type { Engine } from '../engine/client.ts';

const moduleHelp =
  'The policy in the language of the engine, beginning with its package, which no other policy has. Pushed to the engine when it is saved.';
const ro = { mode: 'ro' } as const;
const shadowHelp = 'Only tried: what it says is recorded, and neither denies launches nor warns of them.';

const fields = {
  name: field.string({ required: true }),
  description: field.text(),
  organization: field.ref('organization', { help: 'Empty: it is asked about launches of every organization.' }),
  rego_module: field.text({ required: true, help: moduleHelp }),
  package_path: field.string({
    default: '',
    help: 'What is asked of the engine: the package of the module (tapline/launch), or a rule of it. Empty: the package.',
  }),
  package: field.string({ ...ro, max: 512, help: 'The package that the module declares.' }),
  enforcement: field.choice(modes, {
    default: 'warn',
    help: 'What it may do at most. The policy_enforcement of the organization caps it.',
  }),
  shadow: field.boolean({ default: false, help: shadowHelp }),
  enabled: field.boolean({ default: true }),
  applies_to: field.list({
    default: [],
    filterable: false,
    help: `Of ${resourceTypes.join(', ')}; empty means all.`,
  }),
  trigger_count: field.integer({ ...ro, default: 0 }),
  last_triggered_at: field.datetime({ ...ro, nullable: true }),
  last_evaluated_at: field.datetime({ ...ro, nullable: true }),
  last_sync_status: field.choice(
    [
      ['', 'Never pushed'],
      ['ok', 'OK'],
      ['failed', 'Failed'],
    ],
    ro,
  ),
  last_sync_error: field.text({ ...ro, help: 'What the engine said of the module, or why it could not be asked.' }),
};

/** Read by who reads its organization, changed by those who administer that; everybody's by superusers. */
export function policyResource(api: PluginApi, engine: Engine, sync: Sync): Resource {
  const organization = (role: string, alsoEmpty = false) =>
    api.rules.parent('organization_id', 'organization', role, { alsoEmpty });
  const administers = organization('admin_role');
  return defineResource({
    type: 'policy',
    path: 'policies',
    table: 'policies',
    label: 'Policy',
    description: 'A module of the policy engine that judges launches before they start.',
    access: { see: organization('read_role', true), create: administers, change: administers, delete: administers },
    orderBy: ['name', 'id'],
    search: ['name', 'description'],
    unique: { policies_package: { field: 'rego_module', message: 'Another policy has this package already.' } },
    fields,
    parameters: { applies_to: parameter.memberOf('applies_to', resourceTypes, { emptyIsAll: true }) },
    sublists: {
      waivers: { resource: 'policy_waiver', column: 'policy_id' },
      decisions: { resource: 'policy_decision', column: 'policy_id' },
    },
    actions: {
      ...switchActions(api, {
        type: 'policy',
        table: 'policies',
        access: administers,
        enable: 'Asks it about launches',
        disable: 'Asks it no more',
      }),
      test: testAction(api, engine, administers),
      backtest: backtestAction(api, engine, administers),
    },
    listActions: { test: testDraftAction(api, engine, administers) },
    validate({ input, before }) {
      if (input.applies_to) assertMembers('applies_to', input.applies_to, resourceTypes, { once: true });
      if (!before || 'rego_module' in input || 'package_path' in input)
        Object.assign(input, readModule({ ...before, ...input }, 'package_path' in input));
    },
    async afterCreate({ afterCommit }, { id }) {
      if (engineSettings(api).enabled) afterCommit(() => push(api, sync, id));
    },
    async afterUpdate({ afterCommit, before }, { id, rego_module: module }) {
      if (module === before.rego_module && before.last_sync_status === 'ok') return;
      if (engineSettings(api).enabled) afterCommit(() => push(api, sync, id));
    },
    async afterDelete(trx, { id }) {
      if (engineSettings(api).enabled) await sync.later.enqueue(trx, { policy: id });
    },
  });
}

/** Before the answer, so that it tells how that went; where it failed, again from the queue. */
async function push(api: PluginApi, sync: Sync, policy: number): Promise<void> {
  const pushed = await sync.one(policy).catch((err: unknown) => {
    api.log.error({ err, policy }, 'a policy could not be pushed to the engine');
    return false;
  });
  if (!pushed) await sync.later.enqueue(api.db, { policy });
}
