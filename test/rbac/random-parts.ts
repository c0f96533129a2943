import type { Actor } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { RoleType } from '../../core/rbac/definitions.ts';
import type { Random } from './random-graph.ts';
import { drawSavedOfSchedules, drawSchedules, drawWorkflows } from './random-workflows.ts';

export interface Ground {
  random: Random;
  prefix: string;
  organizations: any[];
  inventories: any[];
  projects: any[];
  templates: any[];
  credentials: any[];
  group: any;
  people: Actor[];
  records: [RoleType, any][];
}

type Rows = Record<string, unknown>[];

/** What hangs on the records of the graph and has no roles of its own: each kind in one statement. */
export async function drawParts(db: Knex, ground: Ground): Promise<void> {
  const add = async (table: string, rows: Rows): Promise<any[]> =>
    rows.length ? db(table).insert(rows).onConflict().ignore().returning('*') : [];
  const machines = await drawMachines(add, ground);
  const schedules = await drawSchedules(add, ground, machines);
  const runs = await drawRuns(add, db, ground, { ...machines, schedules });
  const accounts = await drawAccounts(add, ground);
  const told = await drawLinks(add, ground, runs);
  const labels = await drawLabels(add, db, ground, runs);
  await drawSavedOfSchedules(add, ground, schedules, labels);
  const flows = await drawWorkflows(add, ground, { labels, told });
  await drawActivity(add, ground, { ...machines, ...runs, ...accounts, ...flows, schedules });
}

export type Add = (table: string, rows: Rows) => Promise<any[]>;

/** Hosts, groups within groups, and an instance. */
async function drawMachines(add: Add, { random, prefix, inventories, projects, credentials, group }: Ground) {
  const sources = await add(
    'templates',
    inventories.map(({ id, organization_id }) => ({
      kind: 'inventory_source',
      source: 'scm',
      name: `${prefix}source`,
      name_scope: `inventory:${id}`,
      inventory_id: id,
      organization_id,
      project_id: random.pick(projects).id,
      credential_id: random.chance(0.5) ? null : random.pick(credentials).id,
    })),
  );
  const both = (kind: string, each: number) =>
    inventories.flatMap(({ id }) =>
      Array.from({ length: each }, (_, index) => ({
        name: `${prefix}${kind} ${index}`,
        inventory_id: id,
        source_ids: sources.filter((one) => one.inventory_id === id && random.chance(0.5)).map((one) => one.id),
      })),
    );
  const hosts = await add('hosts', both('host', 1));
  const groups = await add('groups', both('group', 3));
  const inside = groups.flatMap((one) =>
    groups
      .filter((other) => other.inventory_id === one.inventory_id && other.id > one.id)
      .map((other) => ({ parent_id: one.id, child_id: other.id })),
  );
  await add(
    'group_children',
    inside.filter(() => random.chance(0.4)),
  );
  const members = groups.flatMap((one) =>
    hosts
      .filter((host) => host.inventory_id === one.inventory_id)
      .map((host) => ({ group_id: one.id, host_id: host.id })),
  );
  await add(
    'group_hosts',
    members.filter(() => random.chance(0.4)),
  );
  const number = prefix.replaceAll(/\D/g, '').padStart(12, '0');
  const instances = await add('instances', [{ hostname: `${prefix}node`, uuid: `00000000-0000-4000-8000-${number}` }]);
  if (random.chance(0.7))
    await add('instance_group_instances', [{ instance_group_id: group.id, instance_id: instances[0].id }]);
  return { sources, hosts, groups, instances };
}

/** Jobs with and without a template, updates, events and summaries; a run that is still new is in no list. */
async function drawRuns(
  add: Add,
  db: Knex,
  ground: Ground,
  { sources, hosts, instances, schedules }: Record<'sources' | 'hosts' | 'instances' | 'schedules', any[]>,
) {
  const { random, prefix, organizations, inventories, projects, templates } = ground;
  const common = (name: string) => ({
    name: `${prefix}${name}`,
    organization_id: random.chance(0.15) ? null : random.pick(organizations).id,
    instance_id: random.chance(0.3) ? null : instances[0].id,
    status: 'successful',
    finished: '2026-01-01',
  });
  const job = (template: any) => ({
    ...common('job'),
    kind: 'job',
    template_id: template?.id ?? null,
    schedule_id: schedules.find((one) => one.unified_job_template_id === template?.id)?.id ?? null,
    inventory_id: random.chance(0.3) ? null : random.pick(inventories).id,
    project_id: random.pick(projects).id,
  });
  const runs = await add('runs', [
    ...[...templates, null].map(job),
    { ...job(templates[0]), status: 'new', finished: null },
    ...projects.map(({ id }) => ({
      ...common('update'),
      kind: 'project_update',
      template_id: id,
      project_id: id,
      inventory_id: null,
    })),
    ...inventories.map(({ id }) => ({ ...common('command'), kind: 'ad_hoc_command', inventory_id: id })),
    ...sources.map(({ id, inventory_id, project_id }) => ({
      ...common('reading'),
      kind: 'inventory_update',
      data: '{"source":"scm"}',
      template_id: id,
      project_id,
      inventory_id,
    })),
  ]);
  const ofKind = (kind: string) => runs.filter((run) => run.kind === kind);
  await add(
    'run_dependencies',
    ofKind('inventory_update').flatMap((reading) =>
      ofKind('project_update')
        .filter((update) => update.project_id === reading.project_id && random.chance(0.5))
        .map((update) => ({ run_id: reading.id, depends_on: update.id })),
    ),
  );
  await db.raw('select ensure_event_partition(?)', [runs.at(-1).id]);
  const started = runs.filter(({ status }) => status !== 'new');
  await add(
    'run_events',
    started.flatMap(({ id, kind }) => {
      const host = random.pick(hosts).id;
      const uuids = [`${id}-1`, `${id}-2`];
      return [
        { run_id: id, counter: 1, event: 'playbook_on_start', uuid: uuids[0], stdout: `PLAY ${prefix}` },
        {
          run_id: id,
          counter: 2,
          event: 'runner_on_ok',
          uuid: uuids[1],
          parent_uuid: uuids[0],
          // updates of projects are about no host
          host_id: kind === 'project_update' ? null : host,
        },
      ];
    }),
  );
  const jobs = started.filter(({ kind }) => kind === 'job');
  const summaries = await add(
    'job_host_summaries',
    jobs.map(({ id }) => ({ run_id: id, host_id: random.pick(hosts).id, host_name: `${prefix}host` })),
  );
  return { jobs, runs, summaries };
}

async function drawAccounts(add: Add, { random, prefix, organizations, people, credentials }: Ground) {
  const applications = await add(
    'applications',
    organizations.map(({ id }) => ({
      name: `${prefix}application`,
      client_id: `${prefix}${id}`,
      client_type: 'public',
      authorization_grant_type: 'password',
      organization_id: id,
      created_by_id: random.pick(people).id,
    })),
  );
  const tokens = await add(
    'tokens',
    [null, ...applications].map((application) => ({
      user_id: random.pick(people).id,
      application_id: application?.id ?? null,
      token_hash: `${prefix}${application?.id}`,
      description: `${prefix}token`,
      expires: '2100-01-01',
    })),
  );
  const owned = await add('credentials', [
    { name: `${prefix}own`, user_id: random.pick(people).id, credential_type_id: credentials[0].credential_type_id },
  ]);
  await add('credential_input_sources', [
    { input_field_name: 'token', target_credential_id: owned[0].id, source_credential_id: credentials[0].id },
    ...credentials.map(({ id }) => ({
      input_field_name: 'token',
      target_credential_id: id,
      source_credential_id: owned[0].id,
    })),
  ]);
  return { applications, tokens, owned };
}

/** What records use, each pair as likely as not. */
async function drawLinks(add: Add, ground: Ground, { jobs }: { jobs: any[] }): Promise<any[]> {
  const { random, prefix, organizations, inventories, templates, credentials, group } = ground;
  const built = await add('inventories', [
    { name: `${prefix}built`, kind: 'constructed', organization_id: random.pick(organizations).id },
    { name: `${prefix}together`, kind: 'federated', organization_id: random.pick(organizations).id },
  ]);
  await add(
    'inventory_inputs',
    built.flatMap(({ id }) => inventories.map((input) => ({ inventory_id: id, input_id: input.id }))),
  );
  const pairs = (parents: any[], parent: string, children: any[], child: string) =>
    parents.flatMap(({ id }) =>
      children.filter(() => random.chance(0.5)).map((one) => ({ [parent]: id, [child]: one.id })),
    );
  await add('template_credentials', pairs(templates, 'template_id', credentials, 'credential_id'));
  await add('run_credentials', pairs(jobs, 'run_id', credentials, 'credential_id'));
  await add(
    'organization_galaxy_credentials',
    pairs(organizations, 'organization_id', credentials.toReversed(), 'credential_id'),
  );
  await add('organization_instance_groups', pairs(organizations, 'organization_id', [group], 'instance_group_id'));
  await add('inventory_instance_groups', pairs(inventories, 'inventory_id', [group], 'instance_group_id'));
  await add('template_instance_groups', pairs(templates, 'template_id', [group], 'instance_group_id'));
  const told = await add(
    'notification_templates',
    organizations.map(({ id }) => ({
      name: `${prefix}told`,
      organization_id: id,
      notification_type: 'msteams',
      notification_configuration: '{"msteams_url": "https://chat.example/key"}',
    })),
  );
  const notifying = { notification_type: 'msteams', event: 'success', subject: 'told', status: 'successful' };
  const sent = pairs(jobs, 'run_id', told, 'notification_template_id').map((pair) => ({ ...pair, ...notifying }));
  await add('notifications', sent);
  const asked = (rows: any[]) => rows.map((pair) => ({ ...pair, event: random.pick(['started', 'success', 'error']) }));
  await add('template_notifications', asked(pairs(templates, 'template_id', told, 'notification_template_id')));
  await add(
    'organization_notifications',
    asked(pairs(organizations, 'organization_id', told, 'notification_template_id')),
  );
  return told;
}

/** On templates and inventories of any organization, and on jobs: two of three pairs. */
async function drawLabels(add: Add, db: Knex, ground: Ground, { jobs }: { jobs: any[] }): Promise<any[]> {
  const { prefix, organizations, inventories, templates } = ground;
  const labels = await add(
    'labels',
    organizations.map(({ id }) => ({ name: `${prefix}label`, organization_id: id })),
  );
  let turn = 0;
  const some = () => labels.filter(() => turn++ % 3 > 0).map(({ id }) => id as number);
  const on = (parents: any[], column: string) =>
    parents.flatMap(({ id }) => some().map((label_id) => ({ [column]: id, label_id })));
  await add('template_labels', on(templates, 'template_id'));
  await add('inventory_labels', on(inventories, 'inventory_id'));
  await db('runs')
    .update({ label_ids: some() })
    .whereIn(
      'id',
      jobs.map(({ id }) => id),
    );
  return labels;
}

/** Entries about records of every kind, some about two, and about people who logged in. */
async function drawActivity(add: Add, ground: Ground, more: Record<string, any[]>): Promise<void> {
  const { random, organizations, people, records } = ground;
  await add(
    'audit_events',
    Array.from({ length: 4 }, () => ({
      action: 'update',
      organization_id: random.chance(0.3) ? null : random.pick(organizations).id,
    })),
  );
  const about: [string, any][] = [
    ...records,
    ...people.map((row) => ['user', row] as [string, any]),
    ...Object.entries({
      hosts: 'host',
      groups: 'group',
      jobs: 'job',
      applications: 'o_auth2_application',
      tokens: 'o_auth2_access_token',
      owned: 'credential',
      schedules: 'schedule',
      flows: 'workflow_job',
      approvals: 'workflow_approval',
    }).flatMap(([name, type]) => more[name]!.map((row) => [type, row] as [string, any])),
  ];
  const entries = await add(
    'activity_stream',
    Array.from({ length: 8 }, () => ({
      operation: 'update',
      object1: 'something',
      changes: '{}',
      actor_id: random.pick(people).id,
      organization_id: random.chance(0.6) ? null : random.pick(organizations).id,
      subject_id: random.chance(0.8) ? null : random.pick(people).id,
    })),
  );
  await add(
    'activity_objects',
    entries.flatMap(({ id }) =>
      Array.from({ length: random.below(3) }, () => {
        const [type, row] = random.pick(about);
        return { activity_id: id, type, object_id: row.id, summary: JSON.stringify({ id: row.id }) };
      }),
    ),
  );
}
