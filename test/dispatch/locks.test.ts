import { expect } from 'chai';
import type { Knex } from 'knex';
import type { RunKinds } from '../../core/runs/kinds.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createRuns } from '../support/runs.ts';

/** contract/jobs.md §11.4: for which of the others each waits while they are waiting or running. */
const waits: Record<string, string[]> = {
  job: ['job', 'project update', 'source update', "other source's update", 'command'],
  'simultaneous job': ['project update', 'source update', "other source's update", 'command'],
  'job elsewhere': ['job elsewhere', 'command elsewhere'],
  workflow: ['workflow'],
  'simultaneous workflow': [],
  'project update': ['project update'],
  'source update': ['source update'],
  "other source's update": ["other source's update"],
  command: ['source update', "other source's update", 'command'],
  'command elsewhere': ['command elsewhere'],
  cleanup: ['cleanup'],
};

describe('the locks of runs', () => {
  let database: TestDatabase;
  let db: Knex;
  let kinds: RunKinds;
  let planned: Record<string, { kind: string; template: number | null; prompts?: object }>;
  before(async () => {
    database = await createTestDatabase();
    db = database.db;
    ({ kinds } = createRuns(db));
    const inserted = async (table: string, row: object): Promise<number> =>
      (await db(table).insert(row).returning('id'))[0].id;
    const template = (kind: string, row: object = {}) =>
      inserted('templates', { kind, name: `${kind} ${Math.random()}`, ...row });
    const organization_id = await inserted('organizations', { name: 'o' });
    const [here, there] = [
      await inserted('inventories', { name: 'here', organization_id }),
      await inserted('inventories', { name: 'there', organization_id }),
    ];
    const project = () =>
      template('project', { status: 'ok', local_path: crypto.randomUUID(), scm_type: 'git', scm_url: 'https://x/y' });
    const [own, other] = [await project(), await project()];
    const job = (row: object) => template('job_template', { playbook: 'site.yml', ...row });
    const source = () => template('inventory_source', { source: 'ec2', inventory_id: here, organization_id });
    const command = (inventory: number) => ({
      kind: 'ad_hoc_command',
      template: null,
      prompts: { inventory, module_name: 'ping' },
    });
    planned = {
      job: { kind: 'job', template: await job({ project_id: own, inventory_id: here }) },
      'simultaneous job': {
        kind: 'job',
        template: await job({ project_id: own, inventory_id: here, allow_simultaneous: true }),
      },
      'job elsewhere': { kind: 'job', template: await job({ project_id: other, inventory_id: there }) },
      workflow: { kind: 'workflow_job', template: await template('workflow_job_template') },
      'simultaneous workflow': {
        kind: 'workflow_job',
        template: await template('workflow_job_template', { allow_simultaneous: true }),
      },
      'project update': { kind: 'project_update', template: own },
      'source update': { kind: 'inventory_update', template: await source() },
      "other source's update": { kind: 'inventory_update', template: await source() },
      command: command(here),
      'command elsewhere': command(there),
      cleanup: {
        kind: 'system_job',
        template: (await db('templates').where({ kind: 'system_job_template' }).first('id')).id,
      },
    };
  });
  after(() => database.drop());

  it('let each wait for what the contract says, and for nothing else', async () => {
    const origin = { kind: 'api', id: null, client_ip: null };
    const plans = await Promise.all(
      Object.entries(planned).map(async ([name, { kind, template, prompts = {} }]) => {
        const request = { db, template, prompts, actor: null, authority: null, origin };
        return [name, (await kinds.of(kind).plan(request as never)).locks!] as const;
      }),
    );
    const found = plans.map(([name, { waitsFor }]) => {
      const held = plans.filter(([, { holds }]) => holds.some((key) => waitsFor.includes(key)));
      return [name, held.map(([other]) => other)];
    });
    expect(Object.fromEntries(found)).to.deep.equal(waits);
  });
});
