import { expect } from 'chai';
import type { Knex } from 'knex';
import { type Ask, type Rewindable, startRewindable } from '../support/rewindable.ts';
import { type Stage, setStage } from './principals.ts';

/** What is done to find out; `ids` are those of the matrix. */
interface Deed {
  method: string;
  path: string;
  body?: unknown;
  prepare?: (trx: Knex, caller: string) => Promise<void>;
  /** a 400 says what is in the way of those who have the right, such as what an edit could mend */
  lacking?: true;
}

type Shown = { id: number; type: string; url: string; summary_fields: Record<string, any> };

describe('user_capabilities', function () {
  let service: Rewindable;
  let stage: Stage;
  /** by type: the rows that are looked at, in every state that a capability depends on */
  let rows: Record<string, number[]>;
  const callers = () => Object.keys(stage.tokens).filter((name) => name !== 'anonymous' && name !== 'disabled');
  let done = 0;

  before(async () => {
    service = await startRewindable();
    stage = await setStage(service.db);
    rows = await everyState(service.db, stage);
  });
  after(async () => {
    await service?.stop();
    console.log(`      ${done} capabilities tried`);
  });

  /** By `type.capability`, else by capability: the deed that shows whether it is true. */
  const deeds: Record<string, (row: Shown) => Deed> = {
    edit: ({ url }) => ({ method: 'PATCH', path: url, body: {}, lacking: true }),
    delete: ({ url }) => ({ method: 'DELETE', path: url }),
    enable: ({ url }) => ({ method: 'POST', path: `${url}enable/`, body: {} }),
    disable: ({ url }) => ({ method: 'POST', path: `${url}disable/`, body: {} }),
    copy: ({ url }) => ({ method: 'POST', path: `${url}copy/`, body: { name: 'The copy' } }),
    'inventory.adhoc': ({ url }) => ({
      method: 'POST',
      path: `${url}ad_hoc_commands/`,
      body: { module_name: 'ping' },
    }),
    'job_template.start': ({ url }) => ({ method: 'POST', path: `${url}launch/`, body: {} }),
    'workflow_job_template.start': ({ url }) => ({ method: 'POST', path: `${url}launch/`, body: {} }),
    'workflow_job.start': ({ url }) => ({ method: 'POST', path: `${url}relaunch/`, body: {} }),
    // it was decided before: who may do so is told that, others are refused
    'workflow_approval.start': ({ url }) => ({ method: 'POST', path: `${url}approve/`, body: {}, lacking: true }),
    'project.start': ({ url }) => ({ method: 'POST', path: `${url}update/`, body: {} }),
    'ad_hoc_command.start': ({ url }) => ({ method: 'POST', path: `${url}relaunch/`, body: {} }),
    'job.start': ({ url }) => ({ method: 'POST', path: `${url}relaunch/`, body: {} }),
    // to do it again is to update its project again
    'project_update.start': () => ({ method: 'POST', path: `/api/v2/projects/${stage.ids.project}/update/`, body: {} }),
    'inventory_source.start': ({ url }) => ({ method: 'POST', path: `${url}update/`, body: {} }),
    'inventory_update.start': () => ({
      method: 'POST',
      path: `/api/v2/inventory_sources/${stage.ids.inventory_source}/update/`,
      body: {},
    }),
    // when the template itself could be run, or not: what is in its way is told to who may
    schedule: ({ url }) => ({
      method: 'POST',
      path: `${url}schedules/`,
      body: { name: 'Nightly', rrule: 'DTSTART:20300115T030000Z RRULE:FREQ=DAILY;INTERVAL=1' },
    }),
    'credential.use': ({ id }) => ({
      method: 'POST',
      path: `/api/v2/job_templates/${stage.ids.job_template}/credentials/`,
      body: { id },
      // whose own the template is, to see that nothing but the credential is in the way
      prepare: (trx, caller) => giveTemplate(trx, stage, caller),
    }),
  };

  /** There is nothing to do these by yet: told by hand, or by another capability (contract/rbac.md §4). */
  const others: Record<string, (row: Shown) => boolean> = {
    'group.copy': ({ summary_fields: { user_capabilities: own } }) => own.edit,
    // the engine is switched off
    'policy.test': ({ summary_fields: { user_capabilities: own } }) => own.edit,
    'policy.backtest': ({ summary_fields: { user_capabilities: own } }) => own.edit,
  };

  async function tryOut(row: Shown, key: string, caller: string): Promise<string | undefined> {
    const shown = row.summary_fields.user_capabilities[key];
    const told = others[`${row.type}.${key}`] ?? others[key];
    done++;
    if (told) return told(row) === shown ? undefined : `${caller}: ${row.type} ${row.id} ${key} is ${shown}`;
    const deed = deeds[`${row.type}.${key}`] ?? deeds[key];
    if (!deed) return `nobody knows how to try ${row.type}.${key}`;
    return service.undone(async (ask, trx) => {
      const { prepare, lacking = false, ...question } = deed(row);
      await prepare?.(trx, caller);
      const { status, body } = await ask({ ...question, token: stage.tokens[caller] });
      if ((status < 300 || (lacking && status === 400)) === shown && status < 500) return undefined;
      return `${caller}: ${row.type} ${row.id} ${key} is ${shown}, but ${question.method} ${question.path} answers ${status} ${JSON.stringify(body).slice(0, 200)}`;
    });
  }

  /** explain-access judges row by row what lists and details ask for a page at once. A token's scope is none of its business. */
  async function explained(row: Shown, caller: string): Promise<string | undefined> {
    const { status, body } = await service.ask({
      method: 'GET',
      path: `${row.url}explain-access/`,
      token: stage.tokens[caller],
    });
    if (status !== 200) return `${caller}: ${row.url}explain-access/ answers ${status}`;
    const rights: Record<string, string> = { edit: 'change', schedule: 'start' };
    // of actions of plugins it tells nothing
    const other = Object.entries(row.summary_fields.user_capabilities).find(
      ([key, shown]) =>
        !['enable', 'disable', 'test', 'backtest'].includes(key) &&
        body.rights[rights[key] ?? key].granted !== shown &&
        caller !== 'readToken',
    );
    return other && `${caller}: ${row.type} ${row.id} ${other.join(' is ')}, but explain-access says otherwise`;
  }

  const listed = async (ask: Ask, type: string, caller: string): Promise<Shown[]> => {
    const { path } = service.services.catalog.type(type).resource;
    const ids = [...rows[type]!, ...(type === 'user' ? [stage.users[caller]?.id ?? stage.users.superuser.id] : [])];
    const query = `id__in=${ids.join(',')}&page_size=200`;
    return (await ask({ method: 'GET', path: `/api/v2/${path}/?${query}`, token: stage.tokens[caller] })).body.results;
  };

  it('stand in the answers of every type that has rows to look at here', async () => {
    const types = [...service.services.catalog.models.values()]
      .filter(({ resource }) => resource.methods?.list?.length !== 0 && !resource.variants)
      .map(({ type }) => type);
    const showing: string[] = [];
    for (const type of types) {
      if (!rows[type]) rows[type] = stage.ids[type] === undefined ? [] : [stage.ids[type]];
      if (!rows[type].length) continue;
      const [first] = await listed(service.ask, type, 'superuser');
      if (first?.summary_fields.user_capabilities) showing.push(type);
    }
    expect(showing.toSorted()).to.deep.equal(Object.keys(capable).toSorted());
  });

  for (const type of [
    'organization',
    'user',
    'team',
    'o_auth2_application',
    'o_auth2_access_token',
    'instance_group',
    'instance',
    'inventory',
    'host',
    'group',
    'credential_type',
    'credential',
    'project',
    'project_update',
    'inventory_source',
    'inventory_update',
    'job_template',
    'job',
    'ad_hoc_command',
    'system_job',
    'schedule',
    'workflow_job_template',
    'workflow_job',
    'workflow_approval',
    'execution_environment',
    'notification_template',
    'policy',
    'scanner',
  ])
    it(`of a ${type} are true exactly when it works`, async () => {
      const wrong: (string | undefined)[] = [];
      for (const caller of callers())
        for (const row of await listed(service.ask, type, caller)) {
          const own = row.summary_fields.user_capabilities;
          expect(Object.keys(own), type).to.deep.equal(capable[type]);
          const detail = await service.ask({ method: 'GET', path: row.url, token: stage.tokens[caller] });
          expect(detail.body.summary_fields.user_capabilities, `${caller} ${row.url}`).to.deep.equal(own);
          for (const key of Object.keys(own)) wrong.push(await tryOut(row, key, caller));
          wrong.push(await explained(row, caller));
        }
      expect(wrong.filter(Boolean)).to.deep.equal([]);
    });

  /** Takes away what a role entry says may be taken away. */
  async function takeAway(caller: string, path: string, id: number, unattach: boolean): Promise<string | undefined> {
    done++;
    return service.undone(async (ask) => {
      const question = { method: 'POST', path, body: { id, disassociate: true }, token: stage.tokens[caller] };
      const { status } = await ask(question);
      return (status === 204) === unattach && status < 500
        ? undefined
        : `${caller}: role ${id} unattach is ${unattach}, but ${path} answers ${status}`;
    });
  }

  /** What a list shows; nothing to who may not see what it lies below. */
  async function resultsFor(caller: string, path: string): Promise<any[]> {
    const { status, body } = await service.ask({ method: 'GET', path, token: stage.tokens[caller] });
    expect(status, `${caller} ${path}`).to.be.oneOf([200, 403, 404]);
    return status === 200 ? body.results : [];
  }

  it('of a role below its holder say whether it can be taken away', async () => {
    const wrong: (string | undefined)[] = [];
    const holders = [`users/${stage.ids.user}`, `users/${stage.users.superuser.id}`, `teams/${stage.ids.operators}`];
    for (const path of holders.map((holder) => `/api/v2/${holder}/roles/`))
      for (const caller of callers()) {
        for (const { id, summary_fields: shown } of await resultsFor(caller, path))
          wrong.push(await takeAway(caller, path, id, shown.user_capabilities.unattach));
      }
    expect(wrong.filter(Boolean)).to.deep.equal([]);
  });

  it('of an entry in an access list say whether it can be taken away', async () => {
    const wrong: (string | undefined)[] = [];
    const names = ['self', 'throughTeam', 'job_template.read', 'superuser'].map((name) => stage.users[name].username);
    for (const type of ['organization', 'job_template'])
      for (const caller of callers()) {
        const path = `/api/v2/${type}s/${stage.ids[type]}/access_list/?page_size=200&username__in=${names.join(',')}`;
        for (const user of await resultsFor(caller, path))
          for (const { role } of [...user.summary_fields.direct_access, ...user.summary_fields.indirect_access]) {
            // system-wide roles are never taken away here, whoever asks
            if (role.resource_name === undefined) expect(role.user_capabilities.unattach).to.equal(false);
            else {
              const holder = role.team_id === undefined ? `users/${user.id}` : `teams/${role.team_id}`;
              wrong.push(await takeAway(caller, `/api/v2/${holder}/roles/`, role.id, role.user_capabilities.unattach));
            }
          }
      }
    expect(wrong.filter(Boolean)).to.deep.equal([]);
  });

  it('were tried in all their places: who is shown nothing has nothing to try', () => {
    expect(done).to.be.at.least(1_490);
  });
});

/** The keys of each type, in their order (contract/rbac.md §4). */
const capable: Record<string, string[]> = {
  user: ['edit', 'delete'],
  organization: ['edit', 'delete'],
  team: ['edit', 'delete'],
  credential_type: ['edit', 'delete'],
  instance_group: ['edit', 'delete'],
  host: ['edit', 'delete'],
  group: ['copy', 'edit', 'delete'],
  project: ['start', 'schedule', 'edit', 'delete', 'copy'],
  inventory: ['edit', 'delete', 'adhoc', 'copy'],
  constructed_inventory: ['edit', 'delete', 'adhoc', 'copy'],
  federated_inventory: ['edit', 'delete', 'adhoc', 'copy'],
  credential: ['edit', 'delete', 'copy', 'use'],
  job_template: ['start', 'schedule', 'edit', 'copy', 'delete'],
  job: ['start', 'delete'],
  ad_hoc_command: ['start', 'delete'],
  system_job: ['delete'],
  execution_environment: ['edit', 'delete', 'copy'],
  notification_template: ['edit', 'delete', 'copy'],
  project_update: ['start', 'delete'],
  inventory_source: ['edit', 'start', 'schedule', 'delete'],
  inventory_update: ['start', 'delete'],
  instance: ['edit'],
  o_auth2_application: ['edit', 'delete'],
  o_auth2_access_token: ['edit', 'delete'],
  role_definition: ['edit', 'delete'],
  host_metric: ['delete'],
  schedule: ['edit', 'delete'],
  workflow_job_template: ['start', 'schedule', 'edit', 'copy', 'delete'],
  workflow_job: ['start', 'delete'],
  workflow_approval: ['start', 'delete'],
  credential_input_source: ['delete'],
  policy: ['enable', 'disable', 'test', 'backtest', 'edit', 'delete'],
  policy_waiver: ['edit', 'delete'],
  scanner: ['enable', 'disable', 'edit', 'delete'],
  scan_result: ['accept'],
  accepted_finding: ['delete'],
  event_rule: ['webhook_key', 'test', 'backtest', 'enable', 'disable', 'edit', 'delete'],
  event_log: ['replay'],
  outbound_webhook: ['webhook_key', 'test', 'edit', 'delete'],
  outbound_webhook_delivery: ['redeliver'],
};

async function everyState(db: Knex, { ids, rows, users, make }: Stage): Promise<Record<string, number[]>> {
  const { organization } = rows;
  const idsOf = (...made: { id: number }[]) => made.map(({ id }) => id);
  const manual = await make.project(organization, { scm_type: '', local_path: 'somewhere' });
  const broken = await make.jobTemplate(organization, { inventory_id: ids.inventory });
  await make.give('job_template', broken, 'execute_role', users['job_template.execute']);
  await make.give('project', manual, 'admin_role', users['project.admin']);
  const mine = await make.credential(null, { user_id: users.self.id });
  await make.give('credential', mine, 'admin_role', users.self);
  const orphan = await make.job(null, {
    status: 'successful',
    organization_id: organization.id,
    finished: '2026-01-01',
  });
  const prompted = await promptedJobs(db, { ids, rows, users, make });
  ids.operators = (await db('teams').where({ name: 'Operators' }).first('id')).id;
  return {
    user: idsOf(users.self, users.creator, users.superuser, users.auditor, users.otherAdmin, users.outsider),
    team: [ids.team!, ids.operators],
    credential_type: [ids.credential_type!, (await db('credential_types').where({ managed: true }).first('id')).id],
    project: [ids.project!, manual.id],
    job_template: [ids.job_template!, broken.id],
    credential: [ids.credential!, mine.id],
    job: [ids.job!, orphan.id, ...prompted],
    instance_group: [
      ids.instance_group!,
      ...(await db('instance_groups').where({ name: 'default' })).map(({ id }) => id),
    ],
  };
}

async function giveTemplate(trx: Knex, { ids, users }: Stage, caller: string): Promise<void> {
  const role = await trx('roles')
    .where({ content_type: 'job_template', object_id: ids.job_template, role_field: 'admin_role' })
    .first();
  const user = users[caller] ?? users.superuser;
  await trx('role_users').insert({ role_id: role.id, user_id: user.id }).onConflict().ignore();
}

/** Launched with more than the template has: with what only some may use, and with what is not asked for any more. */
async function promptedJobs(db: Knex, { ids, rows, users, make }: Pick<Stage, 'ids' | 'rows' | 'users' | 'make'>) {
  const { organization, job_template: template } = rows;
  const inventory = await make.inventory(organization);
  const credential = await make.credential(organization);
  await make.give('inventory', inventory, 'use_role', users['job_template.execute']);
  await make.give('credential', credential, 'use_role', users.throughTeam);
  await db('templates')
    .where({ id: template.id })
    .update({ ask_inventory_on_launch: true, ask_credential_on_launch: true });
  const common = { status: 'successful', project_id: ids.project, inventory_id: ids.inventory, finished: '2026-01-01' };
  const launched = (more: Record<string, unknown>) => make.job(template, { ...common, ...more });
  const jobs = [
    await launched({ inventory_id: inventory.id, prompts: JSON.stringify({ inventory: inventory.id }) }),
    await launched({ prompts: JSON.stringify({ credentials: [credential.id] }) }),
    // not asked for
    await launched({ prompts: JSON.stringify({ limit: 'web' }) }),
  ];
  return jobs.map(({ id }) => id);
}
