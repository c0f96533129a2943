import { coreColumns, type CoreRows } from '@tapline/plugin-sdk';
import { fakeRun, fakeTemplate } from '@tapline/plugin-sdk/testing';
import { expect } from 'chai';
import type { Knex } from 'knex';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

/** The tables that most columns of a view are of: what may be empty is known of tables only. */
const tables: Record<keyof CoreRows, string> = {
  core_organizations: 'organizations',
  core_users: 'users',
  core_teams: 'teams',
  core_team_members: 'team_users',
  core_inventories: 'inventories',
  core_hosts: 'hosts',
  core_groups: 'groups',
  core_group_hosts: 'group_hosts',
  core_group_children: 'group_children',
  core_facts: 'facts',
  core_host_facts: 'host_facts',
  core_templates: 'templates',
  core_projects: 'templates',
  core_credentials: 'credentials',
  core_labels: 'labels',
  core_template_labels: 'template_labels',
  core_template_credentials: 'template_credentials',
  core_schedules: 'schedules',
  core_runs: 'runs',
  core_run_labels: 'run_labels',
  core_run_credentials: 'run_credentials',
  core_host_summaries: 'job_host_summaries',
  core_run_events: 'run_events',
};
const views = Object.keys(tables) as (keyof CoreRows)[];

describe("the views of core's data that plugins may rely on", () => {
  let database: TestDatabase;
  let db: Knex;

  before(async () => {
    database = await createTestDatabase();
    db = database.db;
  });
  after(() => database.drop());

  const columnsOf = async (relation: string) => {
    const { rows } = await db.raw(
      `select attname as name, format_type(atttypid, null) as type, attnotnull as needed
       from pg_attribute where attrelid = ?::regclass and attnum > 0 and not attisdropped`,
      [relation],
    );
    return rows as { name: string; type: string; needed: boolean }[];
  };

  it('are all that there are', async () => {
    const { rows } = await db.raw(`select relname from pg_class where relkind = 'v' and relname like 'core\\_%'`);
    expect(rows.map((row: { relname: string }) => row.relname)).to.have.members(views);
  });

  for (const view of views) {
    const declared = Object.entries(coreColumns[view]);

    it(`${view} has the columns and types that its rows declare`, async () => {
      const found = await columnsOf(view);
      expect(found.map(({ name, type }) => [name, type])).to.have.deep.members(
        declared.map(([name, type]) => [name, type.replace(' | null', '')]),
      );
    });

    it(`${view} declares what may be null`, async () => {
      const table = new Map((await columnsOf(tables[view])).map(({ name, needed }) => [name, needed]));
      const differing = declared.filter(
        ([name, type]) => table.has(name) && view !== 'core_run_labels' && table.get(name) === type.includes('| null'),
      );
      expect(differing).to.deep.equal([]);
    });

    it(`${view} cannot be written through`, async () => {
      const [first] = Object.keys(coreColumns[view]);
      const error = await db.raw(`insert into ${view} (${first}) values (null)`).then(
        () => undefined,
        (thrown: Error) => thrown.message,
      );
      expect(error).to.match(new RegExp(`${view} is for reading only`));
    });
  }

  it('are described in the database', async () => {
    const { rows } = await db.raw(
      `select c.relname from pg_class c where c.relkind = 'v' and c.relname like 'core\\_%' and obj_description(c.oid) is null`,
    );
    expect(rows).to.deep.equal([]);
  });

  it('hold nothing that is secret', () => {
    const columns = views.flatMap((view) => Object.keys(coreColumns[view]).map((column) => `${view}.${column}`));
    expect(
      columns.filter((column) => /password|inputs|token|secret|key|scm_url|survey_spec/.test(column)),
    ).to.deep.equal(['core_users.has_default_password']);
  });

  it('are what fakes of launches have', () => {
    expect(fakeRun()).to.have.all.keys(Object.keys(coreColumns.core_runs));
    const template = Object.keys(coreColumns.core_templates).filter((name) => name !== 'survey_questions');
    expect(fakeTemplate()).to.have.all.keys(template);
  });

  it('give timestamps as texts, ids as numbers, JSON as values, and are typed', async () => {
    const [{ id }] = await db('users').insert({ username: 'ann' }).returning('id');
    await db('facts').insert({ hash: 'h', document: JSON.stringify({ ansible_distribution: 'Debian' }) });
    const user = await db('core_users').where({ username: 'ann' }).first();
    const facts = await db('core_facts').first('document', 'created');
    expect(user).to.deep.include({ id, has_default_password: false, last_login: null });
    expect(user!.created).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z$/);
    expect(facts!.document).to.deep.equal({ ansible_distribution: 'Debian' });
    // @ts-expect-error: there is no such column
    expect(user!.pasword).to.equal(undefined);
  });

  it('tell when a project was synced well for the last time, whatever came later', async () => {
    const insert = async (name: string, columns: object = {}) =>
      (
        await db('templates')
          .insert({ kind: 'project', name, ...columns })
          .returning('id')
      )[0].id as number;
    const never = await insert('never');
    const later = await insert('failed since', { status: 'failed', last_job_run: '2026-03-03T00:00:00Z' });
    const gone = await insert('runs deleted', { status: 'successful', last_job_run: '2026-02-02T00:00:00Z' });
    for (const [status, finished] of [
      ['successful', '2026-01-01T00:00:00Z'],
      ['failed', '2026-03-03T00:00:00Z'],
    ])
      await db('runs').insert({ kind: 'project_update', template_id: later, status, finished });
    const synced = await db('core_projects').whereIn('id', [never, later, gone]).orderBy('id').pluck('last_synced');
    expect(synced).to.deep.equal([null, '2026-01-01T00:00:00Z', '2026-02-02T00:00:00Z']);
  });

  it('leave out runs that are not decided about, and count the questions of surveys', async () => {
    await db('runs').insert({ kind: 'job', name: 'undecided', status: 'new' });
    expect(await db('core_runs').where({ name: 'undecided' })).to.deep.equal([]);
    const spec = JSON.stringify({ spec: [{ variable: 'a' }, { variable: 'b' }] });
    await db('templates').insert({ kind: 'job_template', name: 'asks', survey_spec: spec });
    expect(await db('core_templates').where({ name: 'asks' }).pluck('survey_questions')).to.deep.equal([2]);
  });
});
