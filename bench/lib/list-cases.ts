import type pg from 'pg';

interface Prepared {
  name: string;
  text: string;
}

/** One page of a list: by the service's path, and by hand. */
export interface Case {
  name: string;
  path: string;
  page: Prepared;
  count: Prepared;
  values: unknown[];
  /** its time is a figure as well */
  first?: boolean;
}

const size = 25;

/** What the user $1 was given, directly or with a team, and the templates and organizations whose runs it sees. */
const held = `
  direct as materialized (
    select r.content_type, r.role_field, r.object_id from role_users g join roles r on r.id = g.role_id where g.user_id = $1),
  held as materialized (
    select * from direct union all
    select r.content_type, r.role_field, r.object_id
    from team_users m join role_teams g on g.team_id = m.team_id and (m.is_admin or not g.for_admins) join roles r on r.id = g.role_id where m.user_id = $1),
  mine as materialized (
    select t.id from templates t where t.kind = 'job_template' and (
      t.id in (select object_id from held where content_type = 'job_template')
      or t.organization_id in (select object_id from held where content_type = 'organization' and role_field in ('admin_role', 'auditor_role', 'execute_role', 'job_template_admin_role')))),
  projects as materialized (
    select t.id from templates t where t.kind = 'project' and (
      t.id in (select object_id from held where content_type = 'project')
      or t.organization_id in (select object_id from held where content_type = 'organization' and role_field in ('admin_role', 'auditor_role', 'project_admin_role')))),
  kept as materialized (select object_id as id from direct where content_type = 'organization' and role_field in ('admin_role', 'auditor_role'))`;

const byTemplate = 'r.template_id = any (array(select id from mine))';
const byOrganization = 'r.organization_id = any (array(select id from kept))';
/** The same where rows are looked at one by one: a hash is asked faster than an array. */
const inTemplates = 'r.template_id in (select id from mine)';
const inOrganizations = 'r.organization_id in (select id from kept)';
const listed = `r.kind = 'job' and r.status <> 'new'`;

/** A page of runs with the names that lists show. */
const runPage = (where: string, order: string, offset: number) => `
  with ${held}, page as (
    select r.id from runs r where ${where} order by ${order} limit ${size} offset ${offset})
  select r.*, t.name as template, o.name as organization, i.name as inventory, p.name as project, p.status as project_status, u.username,
    (select json_agg(json_build_object('id', c.id, 'name', c.name)) from run_credentials x join credentials c on c.id = x.credential_id where x.run_id = r.id) as credentials
  from page join runs r on r.id = page.id
  left join templates t on t.id = r.template_id left join organizations o on o.id = r.organization_id
  left join inventories i on i.id = r.inventory_id left join templates p on p.id = r.project_id left join users u on u.id = r.created_by_id
  order by ${order}`;

/** Two conditions joined by "or" are counted apart: each has an index. */
const jobCount = (where: string) => `
  with ${held}
  select (select count(*) from runs r where ${listed} and ${byTemplate} and ${where})
       + (select count(*) from runs r where ${listed} and ${byOrganization} and r.template_id not in (select id from mine) and ${where})
       + (select count(*) from runs r where ${listed} and ${byOrganization} and r.template_id is null and ${where}) as count`;

const statement = (name: string, text: string): Prepared => ({ name: `bench ${name}`, text });

export async function runCases(client: pg.Client, user: number): Promise<Case[]> {
  const values = [user];
  const sees = `(${inTemplates} or ${inOrganizations})`;
  const count = Number((await client.query(jobCount('true'), values)).rows[0].count);
  const last = Math.ceil(count / size);
  const words = ['release', '7'];
  const search = words
    .map((word) => `(r.name ilike '%${word}%' or r.description ilike '%${word}%' or r.playbook ilike '%${word}%')`)
    .join(' and ');
  const one = (name: string, path: string, { where = 'true', order = 'r.id', offset = 0 } = {}): Case => ({
    name: `jobs, ${name}`,
    path: `jobs/${path}`,
    page: statement(`jobs ${name}`, runPage(`${listed} and ${sees} and ${where}`, order, offset)),
    count: statement(`jobs count ${name}`, jobCount(where)),
    values,
  });
  const final = one('last page', `?page=${last}`);
  // by hand one would read the last page from the end as well
  const rows = count - (last - 1) * size;
  final.page = statement(
    'jobs last',
    runPage(`${listed} and ${sees}`, 'r.id', 0).replace(
      `order by r.id limit ${size} offset 0`,
      `order by r.id desc limit ${rows}`,
    ),
  );
  return [
    { ...one('first page', ''), first: true },
    final,
    one('filtered by status', '?status=failed', { where: `r.status = 'failed'` }),
    one('searched', `?search=${words.join('+')}`, { where: search }),
    one('newest first', '?order_by=-finished', { order: 'r.finished desc, r.id' }),
    one('ordered by name', '?order_by=name', { order: 'r.name, r.id' }),
  ];
}

export async function unifiedCases(_client: pg.Client, user: number): Promise<Case[]> {
  const update = `(r.kind = 'project_update' and r.status <> 'new' and r.template_id = any (array(select id from projects)))`;
  return [
    {
      name: 'unified jobs, first page',
      path: 'unified_jobs/',
      page: statement(
        'unified',
        runPage(`((${listed} and (${byTemplate} or ${byOrganization})) or ${update})`, 'r.id', 0),
      ),
      count: statement(
        'unified count',
        jobCount('true').replace(' as count', ` + (select count(*) from runs r where ${update}) as count`),
      ),
      values: [user],
      first: true,
    },
  ];
}

export async function eventCases(client: pg.Client, user: number): Promise<Case[]> {
  const { rows } = await client.query('select id, event_count from runs order by event_count desc limit 1');
  const [run, events] = [Number(rows[0].id), Number(rows[0].event_count)];
  const values = [user, run];
  const seen = `exists (select from runs r where r.id = $2 and ${listed} and (${byTemplate} or ${byOrganization}))`;
  const one = (name: string, path: string, { where = 'true', order = 'e.counter', offset = 0 } = {}): Case => ({
    name: `events of a job, ${name}`,
    path: `jobs/${run}/job_events/${path}`,
    page: statement(
      `events ${name}`,
      `with ${held}, page as (select e.* from run_events e where e.run_id = $2 and ${where} and ${seen} order by ${order} limit ${size} offset ${offset})
       select page.run_id * 16777216 + page.counter as id, page.*, r.name as job, r.status as job_status, h.name as host
       from page join runs r on r.id = page.run_id left join hosts h on h.id = page.host_id order by ${order.replaceAll('e.', 'page.')}`,
    ),
    count: statement(
      `events count ${name}`,
      `with ${held} select count(*) from run_events e where e.run_id = $2 and ${where} and ${seen}`,
    ),
    values,
  });
  const last = Math.ceil(events / size);
  const final = one('last page', `?page=${last}`, { where: `e.counter > ${(last - 1) * size}` });
  final.count = one('last page', '').count;
  return [
    { ...one('first page', ''), first: true },
    final,
    one('filtered by task', '?task=loop+7', { where: `e.task = 'loop 7'` }),
    one('searched', '?search=item%3D77', { where: `e.stdout ilike '%item=77%'` }),
    one('newest first', '?order_by=-counter', { order: 'e.counter desc' }),
  ];
}
