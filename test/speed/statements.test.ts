import { expect } from 'chai';
import { type Api, basic, startApi } from '../support/api.ts';
import { hashPassword } from '../../core/accounts/password.ts';

const rows = 60;
const lists = [
  'organizations/',
  'users/',
  'teams/',
  'inventories/',
  'hosts/',
  'groups/',
  'credentials/',
  'projects/',
  'project_updates/',
  'job_templates/',
  'jobs/',
  'jobs/1/job_events/',
  'jobs/1/job_host_summaries/',
  'inventories/1/hosts/',
  'hosts/1/groups/',
  'projects/1/project_updates/',
];
/** One more statement or two for each type on the page. */
const mixed = ['unified_jobs/', 'unified_job_templates/', 'roles/'];
/** Pages of the same list: in the middle of it, read from its end, narrowed, searched, ordered. */
const queries = ['', 'page=2', 'page=last', 'id__gt=1', 'search=a', 'order_by=-id'];
const details = [
  'organizations/1/',
  'users/3/',
  'teams/1/',
  'inventories/1/',
  'hosts/1/',
  'groups/1/',
  'credentials/1/',
  'projects/1/',
  'project_updates/61/',
  `job_templates/${rows + 1}/`,
  'jobs/1/',
  `job_events/${2 ** 24 + 1}/`,
];

const content = `
  insert into organizations (name) select 'Organization a' || n from generate_series(1, ${rows}) n;
  insert into users (username) select 'user a' || n from generate_series(1, ${rows}) n;
  insert into teams (name, organization_id) select 'Team a' || n, n from generate_series(1, ${rows}) n;
  insert into inventories (name, organization_id) select 'Inventory a' || n, 1 from generate_series(1, ${rows}) n;
  insert into hosts (name, inventory_id) select 'host a' || n, 1 from generate_series(1, ${rows}) n;
  insert into groups (name, inventory_id) select 'group a' || n, 1 from generate_series(1, ${rows}) n;
  insert into group_hosts (group_id, host_id) select id, 1 from groups;
  insert into credentials (name, organization_id, credential_type_id) select 'Credential a' || n, 1, 1 from generate_series(1, ${rows}) n;
  delete from templates;
  alter table templates alter column id restart;
  insert into templates (kind, name, organization_id, scm_type) select 'project', 'Project a' || n, 1, 'git' from generate_series(1, ${rows}) n;
  insert into templates (kind, name, organization_id, project_id, inventory_id) select 'job_template', 'Template a' || n, 1, n, n from generate_series(1, ${rows}) n;
  insert into runs (kind, name, template_id, organization_id, project_id, inventory_id, status, created_by_id)
    select 'job', name, id, 1, project_id, inventory_id, 'successful', 1 from templates where kind = 'job_template' order by id;
  insert into runs (kind, name, template_id, organization_id, project_id, status) select 'project_update', name, 1, 1, 1, 'successful' from templates where kind = 'project' order by id;
  select ensure_event_partition(1);
  insert into run_events (run_id, counter, event, stdout, host_id) select 1, n, 'runner_on_ok', 'a' || n, n from generate_series(1, ${rows}) n;
  insert into job_host_summaries (run_id, host_id, host_name) select 1, n, 'host a' || n from generate_series(1, ${rows}) n;
  insert into role_users (user_id, role_id) select 2, id from roles where content_type = 'organization' and object_id = 1 and role_field in ('auditor_role', 'member_role');
  insert into role_users (user_id, role_id) select 2, id from roles where content_type = 'organization' and object_id > 1 and role_field = 'read_role';
  insert into role_users (user_id, role_id) select 2, id from roles where content_type = 'job_template' and role_field = 'execute_role' and object_id % 2 = 0;
`;

describe('Statements sent to the database', function () {
  let api: Api;
  let ann: string;

  before(async () => {
    api = await startApi();
    ann = basic('ann', 'secret of ann');
    await api.db('users').insert({ username: 'ann', password: await hashPassword('secret of ann') });
    await api.db.raw(content);
  });
  after(() => api.stop());

  async function statementsOf(
    path: string,
    caller: 'ann' | 'admin',
    but?: RegExp,
  ): Promise<{ count: number; body: any }> {
    const client = caller === 'ann' ? api.as(ann) : api.admin;
    await client('GET', '/api/v2/me/');
    const sent: string[] = [];
    const note = ({ sql }: { sql: string }) => void (but?.test(sql) || sent.push(sql));
    api.db.on('query', note);
    const { status, body } = await client('GET', `/api/v2/${path}`);
    api.db.off('query', note);
    expect(status, path).to.equal(200);
    expect(sent.length, path).to.be.greaterThan(0);
    return { count: sent.length, body };
  }

  /** What an inventory counts is asked for once in some seconds. */
  const counts = /total_hosts/;

  for (const caller of ['ann', 'admin'] as const) {
    for (const path of lists) {
      it(`are at most eight for ${path}, whatever the page holds, as ${caller}`, async () => {
        for (const query of queries) {
          const few = await statementsOf(`${path}?${query}&page_size=2`, caller, counts);
          const many = await statementsOf(`${path}?${query.replace('page=2', 'page=1')}&page_size=200`, caller, counts);
          expect(few.count, `${path}?${query}`).to.be.at.most(8);
          // a page that is not full need not be counted
          expect(many.count, `${path}?${query}`).to.be.at.most(few.count);
        }
      });
    }

    for (const path of mixed) {
      it(`are at most eight for ${path} with every type on the page, as ${caller}`, async () => {
        for (const query of queries)
          for (const size of [2, 25, 200])
            expect(
              (await statementsOf(`${path}?${query.replace('page=2', 'page=1')}&page_size=${size}`, caller)).count,
            ).to.be.at.most(8);
      });
    }

    for (const path of details) {
      it(`are at most six for ${path} as ${caller}`, async () => {
        expect((await statementsOf(path, caller)).count).to.be.at.most(6);
      });
    }

    it(`are two for a job that cannot be started, three for one that can, as ${caller}`, async () => {
      expect((await statementsOf('jobs/1/', caller, counts)).count).to.equal(2);
      expect((await statementsOf('jobs/2/', caller, counts)).count).to.equal(caller === 'admin' ? 2 : 3);
    });
  }
});
