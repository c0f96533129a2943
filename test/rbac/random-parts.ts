import type { Actor } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { RoleType } from '../../core/rbac/definitions.ts';
import type { Random } from './random-graph.ts';

interface Ground {
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
  const runs = await drawRuns(add, db, ground, machines);
  const accounts = await drawAccounts(add, ground);
  await drawLinks(add, ground, runs);
  await drawLabels(add, db, ground, runs);
  await drawActivity(add, ground, { ...machines, ...runs, ...accounts });
}

type Add = (table: string, rows: Rows) => Promise<any[]>;

/** Hosts, groups within groups, and an instance. */
async function drawMachines(add: Add, { random, prefix, inventories, group }: Ground) {
  const both = (kind: string, each: number) =>
    inventories.flatMap(({ id }) =>
      Array.from({ length: each }, (_, index) => ({ name: `${prefix}${kind} ${index}`, inventory_id: id })),
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
  return { hosts, groups, instances };
}

/** Jobs with and without a template, updates, events and summaries; a run that is still new is in no list. */
async function drawRuns(add: Add, db: Knex, ground: Ground, { hosts, instances }: { hosts: any[]; instances: any[] }) {
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
  ]);
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
          host_id: kind === 'job' ? host : null,
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
  return { applications, tokens, owned };
}

/** What records use, each pair as likely as not. */
async function drawLinks(add: Add, ground: Ground, { jobs }: { jobs: any[] }): Promise<void> {
  const { random, organizations, inventories, templates, credentials, group } = ground;
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
}

/** On templates and inventories of any organization, and on jobs: two of three pairs. */
async function drawLabels(add: Add, db: Knex, ground: Ground, { jobs }: { jobs: any[] }): Promise<void> {
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
}

/** Entries about records of every kind, some about two, and about people who logged in. */
async function drawActivity(add: Add, ground: Ground, more: Record<string, any[]>): Promise<void> {
  const { random, organizations, people, records } = ground;
  const about: [string, any][] = [
    ...records.filter(([type]) => type !== 'workflow_job_template'),
    ...people.map((row) => ['user', row] as [string, any]),
    ...Object.entries({
      hosts: 'host',
      groups: 'group',
      jobs: 'job',
      applications: 'o_auth2_application',
      tokens: 'o_auth2_access_token',
      owned: 'credential',
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
