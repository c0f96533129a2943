import pg from 'pg';

export const organizations = 20;
/** per organization */
export const templates = 50;
export const events = 100_000;

/** Organizations with an inventory, a project and job templates each. */
const content = `
  insert into organizations (name) select 'Organization ' || n from generate_series(1, ${organizations}) n;
  insert into inventories (name, organization_id) select 'Inventory of ' || name, id from organizations where name like 'Organization %';
  insert into templates (kind, name, organization_id, scm_type, scm_url, local_path)
    select 'project', 'Project of ' || name, id, 'git', 'https://git.example.org/site.git', 'project-' || id from organizations where name like 'Organization %';
  insert into templates (kind, name, description, organization_id, project_id, inventory_id, playbook)
    select 'job_template', 'Deploy ' || n || ' of ' || o.name, 'Puts release ' || n || ' in place', o.id, p.id, i.id, 'site-' || n || '.yml'
    from organizations o join templates p on p.organization_id = o.id and p.kind = 'project' join inventories i on i.organization_id = o.id, generate_series(1, ${templates}) n;
  create temporary table turns as
    select row_number() over (order by id) - 1 as turn, id, name, description, organization_id, inventory_id, project_id, playbook, 'job' as kind
    from templates where kind = 'job_template' and name like 'Deploy %';
  insert into turns select row_number() over (order by id) - 1, id, name, description, organization_id, null, null, '', 'project_update' from templates where kind = 'project' and name like 'Project of %';`;

/** A run a minute, by each template in turn, so that what belongs together lies far apart. */
const runs = (kind: string, count: number, every: number) => `
  insert into runs (kind, name, description, template_id, organization_id, inventory_id, project_id, playbook, status, launch_type,
      started, finished, created, modified, job_args, job_cwd, job_env, extra_vars, "limit", actor_id, created_by_id, event_count, scm_revision)
    select t.kind, t.name, t.description, t.id, t.organization_id, t.inventory_id, t.project_id, t.playbook,
      case when n % 97 < 8 then 'failed' when n % 97 = 8 then 'error' when n % 97 = 9 then 'canceled' else 'successful' end,
      'manual', at, at + n % 300 * interval '1 second', at, at,
      '["ansible-playbook", "-i", "/tmp/inventory.json", "' || t.playbook || '"]', '/tmp/project',
      jsonb_build_object('HOME', '/tmp/home', 'RUN', n, 'PATH', '/usr/local/bin:/usr/bin:/bin', 'LANG', 'C.UTF-8', 'ANSIBLE_HOST_KEY_CHECKING', 'False', 'ANSIBLE_FORCE_COLOR', '1'),
      jsonb_build_object('release', n, 'region', 'region-' || n % 7, 'canary', n % 2 = 0)::text, 'web*', 1, 1, 12, md5((n / 5000)::text)
    from generate_series(1, ${count}) n
      cross join lateral (select timestamptz '2024-01-01' + n * interval '${every} minutes' as at) x
      join turns t on t.kind = '${kind}' and t.turn = n % (select count(*) from turns where kind = '${kind}')
    order by n;`;

/** One run with many events, the newest of the first template. */
const manyEvents = `
  with made as (
    insert into runs (kind, name, template_id, organization_id, inventory_id, project_id, playbook, status, actor_id, created_by_id, started, finished, event_count)
    select 'job', name, id, organization_id, inventory_id, project_id, playbook, 'successful', 1, 1, now(), now(), ${events} from turns where turn = 0 and kind = 'job'
    returning id
  ), place as materialized (select id, ensure_event_partition(id) as partition from made)
  select id, partition from place`;

const eventRows = (run: number) => `
  insert into run_events (run_id, counter, event, event_level, event_data, uuid, parent_uuid, host_name, playbook, play, task, stdout, start_line, end_line, changed)
    select ${run}, n, 'runner_item_on_ok', 3,
      jsonb_build_object('host', 'localhost', 'task', 'loop', 'task_action', 'command', 'task_path', '/work/project/site.yml:4',
        'res', jsonb_build_object('changed', true, 'cmd', jsonb_build_array('/bin/echo', 'item ' || n), 'rc', 0, 'stdout', 'item ' || n, 'item', n, 'delta', '0:00:00.003412')),
      '0242ac11-0002-0000-0000-' || lpad(n::text, 12, '0'), '0242ac11-0002-0000-0001-' || lpad((n / 100)::text, 12, '0'),
      'localhost', 'site.yml', 'all', 'loop ' || n / 100, 'changed: [localhost] => (item=' || n || ')', n, n + 1, true
    from generate_series(1, ${events}) n`;

export interface Filled {
  /** the run with the events */
  eventful: number;
}

/** Fills a migrated database with content, a million runs and a hundred thousand events of one of them. */
export async function fillRuns(databaseUrl: string, jobs: number): Promise<Filled> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(content);
    // the rows are right by construction: checking eight million links takes longer than writing them
    await client.query(`set session_replication_role = replica`);
    await client.query(runs('job', jobs, 1));
    await client.query(runs('project_update', jobs / 50, 50));
    const { rows } = await client.query<{ id: string }>(manyEvents);
    const eventful = Number(rows[0]!.id);
    await client.query(eventRows(eventful));
    await client.query(`set session_replication_role = default`);
    // as autovacuum does after such a number of rows
    await client.query('vacuum (analyze)');
    return { eventful };
  } finally {
    await client.end();
  }
}
