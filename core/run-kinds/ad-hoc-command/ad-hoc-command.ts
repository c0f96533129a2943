import { type Call, type Columns, field, type RunDescriptor } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { shownInventories } from '../../inventory/shown-inventories.ts';
import { hostCounts } from '../../runs/fields.ts';
import { jobTypes, verbosities } from '../../runs/prompts/prompts.ts';
import type { LaunchDoor } from '../../runs/start.ts';
import type { KeyRing } from '../../secrets/key-ring.ts';
import type { Settings } from '../../settings/settings.ts';
import { commandEvents } from './command-event.ts';
import { relaunchAction } from './relaunch.ts';
import { commandAccess } from './rules.ts';

const create = { mode: 'create' } as const;
const ro = { mode: 'ro' } as const;

export interface CommandServices {
  db: Knex;
  settings: Settings;
  keyRing: KeyRing;
  launch: LaunchDoor;
}

const commandFields = (settings: Settings) => ({
  job_type: field.choice(jobTypes, { ...create, default: 'run' }),
  inventory: field.ref('inventory', { ...create, help: 'On whose hosts it runs; needed.' }),
  limit: field.text({ ...create, help: 'Which hosts to run on; empty = all of them.' }),
  credential: field.ref('credential', { ...create, help: 'Of the kind ssh: how the hosts are reached.' }),
  module_name: field.string({
    ...create,
    default: 'command',
    apiType: 'choice',
    sql: `({alias}.data->>'module_name')`,
    offers: () => settings.get('AD_HOC_COMMANDS') as readonly string[],
  }),
  module_args: field.text({ ...create, sql: `({alias}.data->>'module_args')` }),
  forks: field.integer({ ...create, min: 0 }),
  verbosity: field.choice(verbosities, create),
  extra_vars: field.jsonText({ ...create, shortInLists: true }),
  become_enabled: field.boolean(create),
  diff_mode: field.boolean(create),
  execution_environment: field.ref('execution_environment', create),
  controller_node: field.string(ro),
  host_status_counts: hostCounts.host_status_counts,
});

export const commandDescriptor = (services: CommandServices): RunDescriptor => ({
  path: 'ad_hoc_commands',
  label: 'Ad hoc command',
  description: 'One module run on the hosts of an inventory, without a playbook.',
  without: ['description', 'unified_job_template'],
  methods: { list: ['GET', 'POST'], detail: ['GET', 'DELETE'] },
  search: ['name'],
  summary: ['id', 'name', 'status', 'limit'],
  fields: commandFields(services.settings),
  sublists: { events: commandEvents },
  actions: { relaunch: relaunchAction(services, commandAccess) },
  launch: (call, values) => launchCommand(services, call, values),
  async summaries(db, rows) {
    const inventory = await shownInventories(db, rows);
    return new Map(
      rows.map((row) => {
        const shown = inventory(row);
        return [row.id, shown ? { inventory: shown } : {}];
      }),
    );
  },
});

/** Passwords stand beside the fields, by their own names. */
async function launchCommand({ launch }: CommandServices, call: Call, values: Columns) {
  const given = Object.entries({ ...call.body, ...values }).filter(([, value]) => value !== null);
  const { run } = await launch.start({
    kind: 'ad_hoc_command',
    template: null,
    prompts: Object.fromEntries(given),
    actor: call.actor,
    authority: call.actor,
    waiting: true,
    origin: { kind: 'api', id: null, client_ip: call.ip },
  });
  const [shown] = await call.represent(run.kind, [run.id], 'list');
  // it may be running already; the answer is about the launch, as clients know it
  const launched = {
    status: 'new',
    failed: false,
    started: null,
    finished: null,
    execution_node: '',
    controller_node: '',
  };
  return { status: 201, body: { ...shown, ...launched }, headers: { Location: String(shown?.url) } };
}
