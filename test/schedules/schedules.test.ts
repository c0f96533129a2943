import { expect } from 'chai';
import { ensureCleanupSchedules } from '../../core/run-kinds/system-job/cleanup-schedules.ts';
import { startDue } from '../../core/schedules/due.ts';
import { launchTicks } from '../../core/schedules/launch-tick.ts';
import { nextTimes } from '../../core/schedules/times.ts';
import { type Stage, startStage } from '../launch/fixture.ts';
import { until } from '../support/until.ts';
import * as tablesMigration from '../../migrations/0070_schedules.ts';
import * as viewMigration from '../../migrations/0071_core_schedules.ts';

const daily = 'DTSTART:20300115T120000Z RRULE:FREQ=DAILY;INTERVAL=1';

describe('schedules', function () {
  let stage: Stage;
  let made = 0;
  before(async () => (stage = await startStage()));
  after(() => stage?.stop());

  const create = (template: number, body: object = {}) =>
    stage.post('schedules/', { name: `s${++made}`, rrule: daily, unified_job_template: template, ...body });
  const patch = (id: number, body: object) => stage.request('PATCH', `schedules/${id}/`, { body });
  /** As if its time had come so many seconds ago. */
  const due = async (id: number, secondsAgo = 1) => {
    const at = new Date(Date.now() - secondsAgo * 1000).toISOString();
    await stage.services.db('schedules').where({ id }).update({ next_run: at });
    return at;
  };
  const jobsOf = async (id: number) => (await stage.get(`schedules/${id}/jobs/`)).body.results as any[];
  const launched = (id: number, count = 1) =>
    until(
      async () => {
        const jobs = await jobsOf(id);
        return jobs.length >= count ? jobs : undefined;
      },
      60_000,
      `schedule ${id} launched`,
    );

  it('keeps what its rule says, and its template shows what comes first', async () => {
    const template = await stage.template();
    const late = (await create(template)).body;
    expect(late).to.include({
      dtstart: '2030-01-15T12:00:00Z',
      next_run: '2030-01-15T12:00:00Z',
      dtend: null,
      timezone: 'UTC',
      until: '',
      enabled: true,
    });
    const soon = (
      await create(template, {
        rrule: 'DTSTART;TZID=America/New_York:20290702T120000 RRULE:FREQ=WEEKLY;INTERVAL=1;UNTIL=20290801T000000',
      })
    ).body;
    expect(soon.rrule).to.equal(
      'DTSTART;TZID=America/New_York:20290702T120000 RRULE:FREQ=WEEKLY;INTERVAL=1;UNTIL=20290801T040000Z',
    );
    expect(soon).to.include({
      next_run: '2029-07-02T16:00:00Z',
      dtend: '2029-07-30T16:00:00Z',
      timezone: 'America/New_York',
      until: '2029-08-01T00:00:00',
    });
    const shown = async () => (await stage.get(`job_templates/${template}/`)).body;
    expect((await shown()).next_job_run).to.equal(soon.next_run);
    expect((await shown()).related.next_schedule).to.equal(`/api/v2/schedules/${soon.id}/`);
    const { id, name, description } = soon;
    expect((await shown()).summary_fields.next_schedule).to.deep.equal({
      id,
      name,
      description,
      next_run: '2029-07-02T16:00:00.000000Z',
    });
    expect((await patch(soon.id, { enabled: false })).body.next_run).to.equal(null);
    expect((await shown()).next_job_run).to.equal(late.next_run);
    expect((await patch(soon.id, { enabled: true })).body.next_run).to.equal('2029-07-02T16:00:00Z');
    await stage.request('DELETE', `schedules/${soon.id}/`);
    await stage.request('DELETE', `schedules/${late.id}/`);
    expect((await shown()).next_job_run).to.equal(null);
    expect((await shown()).related).not.to.have.property('next_schedule');
    expect((await shown()).summary_fields).not.to.have.property('next_schedule');
  });

  it('shows the inventory that it names, else the one of its template', async () => {
    const template = await stage.template({ ask_inventory_on_launch: true });
    const [{ organization }] = (await stage.get('inventories/')).body.results;
    const own = (await stage.post('inventories/', { name: 'its own', organization })).body.id;
    const theirs = (await create(template)).body;
    const its = (await create(template, { inventory: own })).body;
    const shown = async ({ id }: any) => (await stage.get(`schedules/${id}/`)).body;
    expect((await shown(theirs)).summary_fields.inventory).to.include({ id: stage.inventory, name: 'stage' });
    expect((await shown(theirs)).related.inventory).to.equal(`/api/v2/inventories/${stage.inventory}/`);
    expect((await shown(its)).summary_fields.inventory).to.include({ id: own, name: 'its own' });
    expect(theirs.summary_fields.inventory, 'in the answer to POST').to.include({ id: stage.inventory });
    const listed = (await stage.get(`job_templates/${template}/schedules/`)).body.results;
    expect(listed.map((one: any) => one.summary_fields.inventory?.id)).to.have.members([stage.inventory, own]);
  });

  it('stands below templates of every kind, and names the template by the address', async () => {
    const template = await stage.template();
    const below = await stage.post(`job_templates/${template}/schedules/`, { name: 'below', rrule: daily });
    expect([below.status, below.body.unified_job_template]).to.deep.equal([201, template]);
    expect((await stage.get(`job_templates/${template}/schedules/`)).body.count).to.equal(1);
    const again = await stage.post(`job_templates/${template}/schedules/`, { name: 'below', rrule: daily });
    expect([again.status, Object.keys(again.body)]).to.deep.equal([400, ['__all__']]);
    const manual = await stage.post(`projects/${stage.project}/schedules/`, { name: 'no', rrule: daily });
    expect(manual.status, JSON.stringify(manual.body)).to.equal(400);
    const cleanups = (await stage.get('system_job_templates/')).body.results;
    expect(cleanups.length).to.equal(4);
    for (const { next_job_run, related } of cleanups) {
      expect(next_job_run, 'cleanups are scheduled from the first start').to.be.a('string');
      expect((await stage.get(related.next_schedule)).body).to.include({ enabled: true });
    }
  });

  it('switches its cleanups off where runs were there before them: nobody asked for those to be deleted', async () => {
    const { db } = stage.services;
    const undo = new Error('back');
    const later = db.transaction(async (trx) => {
      await trx('runs').insert({ kind: 'job', name: 'from before' });
      await trx('service_state').where({ key: 'cleanup_schedules' }).delete();
      await trx('schedules').whereNotNull('id').delete();
      await ensureCleanupSchedules(trx);
      expect(await trx('schedules').select('enabled', 'next_run')).to.deep.equal(
        Array.from({ length: 4 }, () => ({ enabled: false, next_run: null })),
      );
      expect(
        await trx('templates').where({ kind: 'system_job_template' }).whereNotNull('next_schedule_id'),
      ).to.deep.equal([]);
      throw undo;
    });
    expect(await later.catch((error: unknown) => error)).to.equal(undo);
  });

  it('takes its tables back without the labels that workflows use', async () => {
    const { db } = stage.services;
    const template = await stage.template();
    const undo = new Error('back');
    const later = db.transaction(async (trx) => {
      const { organization_id } = await trx('templates').where({ id: template }).first();
      const [label] = await trx('labels').insert({ name: 'used', organization_id }).returning('id');
      const [node] = await trx('workflow_job_template_nodes')
        .insert({ workflow_job_template_id: template, identifier: 'n' })
        .returning('id');
      await trx('workflow_node_labels').insert({ node_id: node.id, label_id: label.id });
      await trx('template_labels').insert({ template_id: template, label_id: label.id });
      await viewMigration.down(trx);
      await tablesMigration.down(trx);
      await trx('template_labels').where({ label_id: label.id }).delete();
      expect(await trx('labels').where({ id: label.id })).to.have.length(1);
      await trx('workflow_node_labels').where({ label_id: label.id }).delete();
      expect(await trx('labels').where({ id: label.id })).to.have.length(0);
      throw undo;
    });
    expect(await later.catch((error: unknown) => error)).to.equal(undo);
  });

  it('refuses prompts by field, keeps secret answers, and brings all to the launch', async () => {
    const closed = await stage.template();
    const refused = await create(closed, { limit: 'good', extra_data: { a: 1 }, verbosity: 3 });
    expect(refused.status).to.equal(400);
    expect(Object.keys(refused.body).toSorted()).to.deep.equal(['extra_data', 'limit', 'verbosity']);
    const template = await stage.template({
      ask_limit_on_launch: true,
      ask_credential_on_launch: true,
      survey_enabled: true,
    });
    const question = { question_name: 'q', required: true };
    await stage.post(`job_templates/${template}/survey_spec/`, {
      name: 's',
      description: '',
      spec: [
        { ...question, variable: 'who', type: 'text' },
        { ...question, variable: 'secret', type: 'password' },
      ],
    });
    const missing = await create(template, { extra_data: { who: 'me' } });
    expect(Object.keys(missing.body)).to.deep.equal(['variables_needed_to_start']);
    expect((await create(template, { extra_data: { who: 'me', secret: '$encrypted$' } })).status).to.equal(400);
    const schedule = await create(template, { limit: 'good', extra_data: 'who: me\nsecret: hush\n' });
    expect(schedule.status, JSON.stringify(schedule.body)).to.equal(201);
    expect(schedule.body.extra_data).to.deep.equal({ who: 'me', secret: '$encrypted$' });
    const kept = await patch(schedule.body.id, { extra_data: { who: 'you', secret: '$encrypted$' } });
    expect(kept.body.extra_data).to.deep.equal({ who: 'you', secret: '$encrypted$' });
    const machine = await stage.credential({ credential_type: stage.machineType, inputs: { username: 'x' } });
    const asking = await stage.credential({ credential_type: stage.machineType, inputs: { password: 'ASK' } });
    const credentials = `schedules/${schedule.body.id}/credentials/`;
    expect((await stage.post(credentials, { id: asking })).status).to.equal(400);
    expect((await stage.post(credentials, { id: machine })).status).to.equal(204);
    const other = await stage.credential({ credential_type: stage.machineType, inputs: { username: 'y' } });
    expect((await stage.post(credentials, { id: other })).body.msg).to.be.a('string');

    await due(schedule.body.id);
    await startDue(stage.services);
    const [run] = await launched(schedule.body.id);
    const { body: job } = await stage.get(`jobs/${run.id}/`);
    expect(job).to.include({ launch_type: 'scheduled', limit: 'good' });
    expect(JSON.parse(job.extra_vars)).to.deep.equal({ who: 'you', secret: '$encrypted$' });
    expect(job.launched_by).to.include({ id: schedule.body.id, type: 'schedule' });
    expect(job.related.schedule).to.equal(`/api/v2/schedules/${schedule.body.id}/`);
    expect(job.summary_fields.credentials.map(({ id }: any) => id)).to.deep.equal([machine]);
    await stage.ended(run.id);

    const copy = await stage.post(`jobs/${run.id}/create_schedule/`);
    expect(copy.status, JSON.stringify(copy.body)).to.equal(201);
    expect(copy.body).to.include({ enabled: false, limit: 'good', unified_job_template: template, next_run: null });
    expect(copy.body.extra_data).to.deep.equal({ who: 'you', secret: '$encrypted$' });
    expect((await stage.get(`schedules/${copy.body.id}/credentials/`)).body.count).to.equal(1);
  });

  it('lets nobody approve the steps of a workflow that they schedule', async () => {
    const made = async (path: string, body: object, options = {}) => {
      const answer = await stage.post(path, body, options);
      expect(answer.status, answer.text).to.equal(201);
      return answer.body;
    };
    const planner = { auth: 'planner:planner-password-1' };
    await made('users/', { username: 'planner', password: 'planner-password-1', is_superuser: true });
    const workflow = await made('workflow_job_templates/', { name: 'asks', organization: 1 });
    const node = await made(`workflow_job_templates/${workflow.id}/workflow_nodes/`, { identifier: 'asks' });
    await made(`workflow_job_template_nodes/${node.id}/create_approval_template/`, { name: 'Shall we?' });
    const schedule = { name: 'planned', rrule: daily, unified_job_template: workflow.id };
    await due((await made('schedules/', schedule, planner)).id);
    await startDue(stage.services);
    const waits = await until(
      async () => (await stage.get('workflow_approvals/?status=pending')).body.results[0],
      60_000,
      'that the step waits',
    );
    const approve = (options = {}) => stage.post(`workflow_approvals/${waits.id}/approve/`, { comment: 'go' }, options);
    expect((await approve(planner)).status).to.equal(403);
    expect((await approve()).status).to.equal(204);
    const { results } = (await stage.get(`workflow_approvals/${waits.id}/activity_stream/?order_by=-id`)).body;
    expect(results[0].changes).to.deep.equal({
      vote: ['', 'approve'],
      comment: ['', 'go'],
      status: ['pending', 'successful'],
    });
    const audited = await stage.services.db('audit_events').where({ object_id: waits.id, action: 'approve' }).first();
    expect(audited).to.include({ object_type: 'workflow_approval', actor_name: 'admin' });
  });

  it('launches each time once however many ask, and skips what was missed unless it is to catch up', async () => {
    const template = await stage.template({ allow_simultaneous: true });
    const ids: number[] = [];
    for (const missed_runs of ['skip', 'skip', 'catch_up_one'])
      ids.push((await create(template, { missed_runs })).body.id);
    const [normal, skipped, caught] = ids as [number, number, number];
    await due(normal);
    await due(skipped, 3600);
    await due(caught, 3600);
    await Promise.all([startDue(stage.services), startDue(stage.services), startDue(stage.services)]);
    await launched(normal);
    await launched(caught);
    expect(await jobsOf(skipped)).to.deep.equal([]);
    for (const id of ids) expect((await stage.get(`schedules/${id}/`)).body.next_run).to.equal('2030-01-15T12:00:00Z');
    expect((await jobsOf(normal)).length + (await jobsOf(caught)).length).to.equal(2);
    await stage.request('PATCH', 'settings/jobs/', { body: { SCHEDULE_MISSED_AFTER: 7200 } });
    await due(skipped, 3600);
    await startDue(stage.services);
    await launched(skipped);
    await stage.request('PATCH', 'settings/jobs/', { body: { SCHEDULE_MISSED_AFTER: 300 } });
  });

  it('launches updates of projects and sources, and cleanups, each with what it keeps', async () => {
    const [{ id: organization }] = (await stage.get('organizations/')).body.results;
    const away = { name: 'away', organization, scm_type: 'git', scm_url: 'http://127.0.0.1:9/away.git' };
    const project = (await stage.post('projects/', away)).body.id;
    const script = { source: 'custom', source_script: '#!/bin/sh\necho "{}"\n' };
    const source = (await stage.post('inventory_sources/', { name: 'own', inventory: stage.inventory, ...script })).body
      .id;
    const [cleanup] = (await stage.get('system_job_templates/?job_type=cleanup_jobs')).body.results;
    const kept = (await stage.get(`system_job_templates/${cleanup.id}/schedules/`)).body.results[0];
    const ids: [string, number][] = [
      ['project_update', (await create(project)).body.id],
      ['inventory_update', (await create(source)).body.id],
      ['system_job', kept.id],
    ];
    for (const [, id] of ids) await due(id);
    await startDue(stage.services);
    for (const [type, id] of ids) {
      const [run] = await launched(id);
      expect(run, type).to.include({ type, launch_type: 'scheduled' });
      expect(await jobsOf(id), type).to.have.length(1);
    }
    const [{ id: job }] = await jobsOf(kept.id);
    const { extra_vars: given } = (await stage.get(`system_jobs/${job}/`)).body;
    expect(Number(JSON.parse(given).days)).to.equal(Number(kept.extra_data.days));
    expect(Number(kept.extra_data.days)).to.be.greaterThan(0);
  });

  it('launches by one task what is due together, and what one fails of keeps no other', async () => {
    const { services } = stage;
    const template = await stage.template({ allow_simultaneous: true });
    const ticks: { schedule: number; at: string }[] = [];
    for (let n = 0; n < 6; n += 1) {
      const { id } = (await create(template)).body;
      ticks.push({ schedule: id as number, at: new Date(Date.now() - 1000).toISOString() });
    }
    const [off, refused] = ticks.map(({ schedule }) => schedule);
    await services.db('schedules').where({ id: off }).update({ enabled: false });
    const scheduled = ticks.map(({ schedule }) => schedule).filter((id) => id !== off);
    const launch = Object.create(services.launch, {
      start: {
        value: async (request: Parameters<typeof services.launch.start>[0]) => {
          if (request.origin.id === refused) throw new Error('not now');
          return services.launch.start(request);
        },
      },
    });
    const runs = () =>
      services
        .db('runs')
        .whereIn(
          'schedule_id',
          ticks.map(({ schedule }) => schedule),
        )
        .select('*');
    const failed = await launchTicks({ ...services, launch }, ticks).catch((error: Error) => error.message);
    expect(failed).to.equal('not now');
    const launchedOf = async () => (await runs()).map((run) => run.schedule_id);
    expect(await launchedOf()).to.have.members(scheduled.filter((id) => id !== refused));
    await launchTicks(services, ticks);
    await launchTicks(services, ticks);
    expect(await launchedOf()).to.have.members(scheduled);
    for (const { id } of await runs()) await stage.ended(id);
  });

  it('keeps as failed the launch of one whose secret answers cannot be read, and launches those beside it', async () => {
    const { services } = stage;
    const template = await stage.template({ allow_simultaneous: true });
    const at = new Date(Date.now() - 1000).toISOString();
    const broken = (await create(template)).body.id as number;
    const whole = (await create(template)).body.id as number;
    await services
      .db('schedules')
      .where({ id: broken })
      .update({ survey_passwords: { secret: 'of a key that is gone' } });
    await launchTicks(
      services,
      [broken, whole].map((schedule) => ({ schedule, at })),
    );
    const runs = await services.db('runs').whereIn('schedule_id', [broken, whole]).orderBy('schedule_id').select('*');
    expect(runs.map((run) => run.schedule_id)).to.deep.equal([broken, whole]);
    expect(runs[0]).to.include({ status: 'failed' });
    expect(runs[0].job_explanation).to.contain('The secret answers of the schedule cannot be read');
    await stage.ended(runs[1].id);
  });

  it('enters portions of what is due', async () => {
    const { services } = stage;
    const template = await stage.template({ allow_simultaneous: true });
    const ids: number[] = [];
    for (let n = 0; n < 12; n += 1) ids.push((await create(template)).body.id as number);
    const portions: number[] = [];
    const queue = Object.create(services.queue, {
      addTasks: {
        value: async (_trx: unknown, tasks: { payload: { ticks: unknown[] } }[]) =>
          void portions.push(...tasks.map(({ payload }) => payload.ticks.length)),
      },
    });
    const at = new Date(Date.now() - 1000).toISOString();
    const dueNow = (isGated: boolean) =>
      services.db
        .transaction(async (trx) => {
          await trx('schedules').update({ next_run: null });
          await trx('schedules').whereIn('id', ids).update({ next_run: at });
          const launch = Object.create(services.launch, { isGated: { value: () => isGated } });
          await startDue({ ...services, db: trx, queue, launch });
          await trx.rollback();
        })
        .catch(() => undefined);
    await dueNow(false);
    expect(portions.splice(0)).to.deep.equal([10, 2]);
    // gates may take long
    await dueNow(true);
    expect(portions).to.deep.equal(ids.map(() => 1));
  });

  it('is claimed while a launch refers to it, and again where the database gave it up', async () => {
    const { id } = (await create(await stage.template({ allow_simultaneous: true }))).body;
    const launching = await stage.services.db.transaction();
    let lost = 0;
    const db = new Proxy(stage.services.db, {
      get: (target, name) =>
        name === 'transaction' && (lost += 1) < 5
          ? () => Promise.reject(Object.assign(new Error('deadlock detected'), { code: '40P01', severity: 'ERROR' }))
          : Reflect.get(target, name),
    });
    try {
      await launching('schedules').where({ id }).forKeyShare().first();
      // the service, which looks for itself now and then, may be first
      // oxlint-disable-next-line no-unmodified-loop-condition
      for (let tries = 0; lost < 5 && tries < 20; tries += 1) {
        // oxlint-disable-next-line no-await-in-loop
        await due(id);
        // oxlint-disable-next-line no-await-in-loop
        await startDue({ ...stage.services, db });
      }
      await until(
        () => stage.services.db('schedules').where({ id }).whereRaw('next_run > now()').first('id'),
        60_000,
        'it is claimed',
      );
    } finally {
      await launching.rollback();
    }
    expect(lost).to.equal(5);
    await launched(id);
  });

  it('looks for what is due each half minute', async () => {
    const { db, queue } = stage.services;
    await queue.addTask(db, 'core:start-schedules', {});
    const half = await until(
      () =>
        db('tapline_jobs.jobs')
          .where({ key: 'core:start-schedules:half' })
          .first(db.raw(`extract(epoch from run_at - created_at)::float as after_s`)),
      60_000,
      'a look between two minutes',
    );
    expect(half.after_s).to.be.greaterThan(0);
  });

  it('looks again soon where the database failed a look', async () => {
    const { db, queue } = stage.services;
    const looks = () => db('tapline_jobs.jobs').where({ task_identifier: 'core:start-schedules' });
    await db.schema.renameTable('schedules', 'schedules_out_of_reach');
    try {
      await queue.addTask(db, 'core:start-schedules', { half: true });
      await until(() => looks().whereNotNull('last_error').first('id'), 60_000, 'a look fails');
      const again = await looks().whereNotNull('last_error').first(db.raw('attempts < max_attempts as again'));
      expect(again).to.deep.equal({ again: true });
    } finally {
      await db.schema.renameTable('schedules_out_of_reach', 'schedules');
    }
    await until(async () => !(await looks().whereNotNull('last_error').first('id')), 60_000, 'a later try goes well');
  });

  it('holds nothing while next times are found, and leaves alone what is changed meanwhile', async () => {
    const template = await stage.template({ allow_simultaneous: true });
    const [changed, kept] = [(await create(template)).body.id, (await create(template)).body.id];
    for (const id of [changed, kept]) await due(id);
    const weekly = 'DTSTART:20310101T000000Z RRULE:FREQ=WEEKLY;INTERVAL=1';
    const meanwhile: typeof nextTimes = async (texts, now) => {
      expect((await patch(changed, { rrule: weekly })).status).to.equal(200);
      return nextTimes(texts, now);
    };
    await startDue(stage.services, meanwhile);
    await launched(kept);
    expect((await stage.get(`schedules/${changed}/`)).body.next_run).to.equal('2031-01-01T00:00:00Z');
    expect(await jobsOf(changed)).to.deep.equal([]);
  });

  it('keeps a schedule due whose next time was not found, and ends one whose rule has no more', async () => {
    const template = await stage.template({ allow_simultaneous: true });
    const [first, last] = [(await create(template)).body.id, (await create(template)).body.id];
    const at = await due(first);
    // as from before it was judged, or known to another version of the time zones
    const broken = 'DTSTART;TZID=Nowhere/At_All:20300115T120000 RRULE:FREQ=DAILY;INTERVAL=1';
    const { db } = stage.services;
    await db('schedules').where({ id: first }).update({ rrule: broken });
    await due(last);
    await db('schedules')
      .where({ id: last })
      .update({ rrule: daily.replace('2030', '2020').concat(';COUNT=1') });
    const told: number[] = [];
    const log = { warn: ({ schedule }: { schedule: number }) => void told.push(schedule) };
    const deps = { ...stage.services, log } as unknown as Parameters<typeof startDue>[0];
    const unfound = new Map<number, string>();
    for (let turn = 0; turn < 3; turn += 1) await startDue(deps, undefined, unfound);
    // once, and not at each turn
    expect(told).to.deep.equal([first]);
    await launched(last);
    expect((await stage.get(`schedules/${last}/`)).body).to.include({ next_run: null, enabled: true });
    expect(await jobsOf(first)).to.deep.equal([]);
    const waiting = await db('schedules').where({ id: first }).first('next_run', 'enabled');
    expect([Date.parse(waiting.next_run), waiting.enabled]).to.deep.equal([Date.parse(at), true]);
    await db('schedules').where({ id: first }).update({ rrule: daily });
    await startDue(stage.services);
    await launched(first);
    expect((await stage.get(`schedules/${first}/`)).body.next_run).to.equal('2030-01-15T12:00:00Z');
  });

  it('begins a launch again whose process died, and leaves out what its template has too many of', async () => {
    const { services } = stage;
    const template = await stage.template({ playbook: 'sleeping.yml', allow_simultaneous: true });
    const { id } = (await create(template)).body;
    const at = await due(id);
    const [orphan] = await services
      .db('runs')
      .insert({ kind: 'job', name: 'o', status: 'new', template_id: template, schedule_id: id, schedule_tick: at })
      .returning('id');
    const tick = { schedule: id, at };
    await launchTicks(services, [tick]);
    await launchTicks(services, [tick]);
    const runs = await services.db('runs').where({ schedule_id: id });
    expect(runs.map(({ status }) => status)).to.have.length(1);
    expect(runs[0].id).not.to.equal(orphan.id);
    await stage.request('PATCH', 'settings/jobs/', { body: { SCHEDULE_MAX_JOBS: 1 } });
    await launchTicks(services, [{ schedule: id, at: new Date().toISOString() }]);
    await stage.request('PATCH', 'settings/jobs/', { body: { SCHEDULE_MAX_JOBS: 10 } });
    expect(await services.db('runs').where({ schedule_id: id })).to.have.length(1);
    await stage.post(`jobs/${runs[0].id}/cancel/`);
    await stage.ended(runs[0].id);
  });

  it('launches nothing while all are disabled, and keeps a launch that cannot start', async () => {
    const template = await stage.template({ ask_inventory_on_launch: true });
    const { id } = (await create(template)).body;
    await stage.request('PATCH', 'settings/jobs/', { body: { DISABLE_ALL_SCHEDULES: true } });
    expect((await stage.get(`schedules/${id}/`)).body.enabled).to.equal(false);
    const at = await due(id);
    expect(await startDue(stage.services)).to.equal(0);
    // what was entered before
    await launchTicks(stage.services, [{ schedule: id, at }]);
    expect(await stage.services.db('runs').where({ schedule_id: id })).to.deep.equal([]);
    await stage.request('PATCH', 'settings/jobs/', { body: { DISABLE_ALL_SCHEDULES: false } });
    await stage.services.db('templates').where({ id: template }).update({ inventory_id: null });
    await startDue(stage.services);
    const [run] = await launched(id);
    expect(run).to.include({ status: 'failed' });
    expect(run.job_explanation).to.contain('inventory');
  });
});
