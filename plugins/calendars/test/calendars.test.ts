import { createHmac } from 'node:crypto';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { type Stage, startStage } from '../../../test/launch/fixture.ts';
import { until } from '../../../test/support/until.ts';
import calendars from '../index.ts';

const hour = 3_600_000;
const utc = (instant: number) => `${new Date(instant).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
/** Once a day for two hours; begun so many hours ago. */
const daily = (ago: number) => ({
  rrule: `DTSTART:${utc(Date.now() - ago * hour)} RRULE:FREQ=DAILY;INTERVAL=1`,
  duration: 'PT2H',
});
const [now, elsewhen] = [daily(1), daily(-5)];

describe('shared calendars', function () {
  this.timeout(600_000);
  let stage: Stage;
  let made = 0;
  const ann = { auth: 'ann:Ann-has-1-secret' };

  before(async () => {
    stage = await startStage({}, [calendars]);
    expect((await stage.post('users/', { username: 'ann', password: 'Ann-has-1-secret' })).status).to.equal(201);
  });
  after(() => stage?.stop());

  const create = (body: object, options = {}) =>
    stage.post('calendars/', { name: `c${++made}`, organization: 1, kind: 'deny', windows: [now], ...body }, options);
  const bind = async (path: string, id: number, more = {}) =>
    expect((await stage.post(`${path}calendars/`, { id, ...more })).status).to.equal(204);
  /** A template with such a calendar bound to it. */
  async function bound(body: object): Promise<{ template: number; calendar: any }> {
    const template = await stage.template({ allow_simultaneous: true });
    const calendar = (await create(body)).body;
    await bind(`job_templates/${template}/`, calendar.id);
    return { template, calendar };
  }
  const launch = (template: number, body = {}, options = {}) =>
    stage.post(`job_templates/${template}/launch/`, body, options);
  const grant = async (path: string, role: string) => {
    const { results } = (await stage.get(`${path}object_roles/?role_field=${role}`)).body;
    const user = (await stage.get('users/?username=ann')).body.results[0].id;
    expect((await stage.post(`users/${user}/roles/`, { id: results[0].id })).status).to.equal(204);
  };

  describe('as records', () => {
    it('keep their windows as they were sent, and tell what they are bound to', async () => {
      const { template, calendar } = await bound({ timezone: 'Europe/Zurich', windows: [now, elsewhen] });
      expect(calendar).to.deep.include({ kind: 'deny', timezone: 'Europe/Zurich', windows: [now, elsewhen] });
      const ids = async (path: string) => (await stage.get(path)).body.results.map(({ id }: any) => id);
      expect(await ids(`job_templates/${template}/calendars/`)).to.deep.equal([calendar.id]);
      expect(await ids(`calendars/${calendar.id}/unified_job_templates/`)).to.deep.equal([template]);
      await bind(`job_templates/${template}/`, calendar.id, { disassociate: true });
      expect(await ids(`job_templates/${template}/calendars/`)).to.deep.equal([]);
      const { actions } = (await stage.request('OPTIONS', 'calendars/')).body;
      expect(actions.POST.kind.choices.map(([kind]: string[]) => kind)).to.deep.equal(['deny', 'allow']);
    });

    const first = { rrule: 'DTSTART:20300101T000000Z RRULE:FREQ=DAILY;INTERVAL=1', duration: 'PT1H' };
    for (const [what, body, text] of [
      ['no windows', { windows: [] }, 'At least one'],
      ['too many windows', { windows: Array.from({ length: 21 }, () => first) }, 'More than 20'],
      ['a window that is none', { windows: [first, 'x'] }, 'Window 2: It must have'],
      ['null for a window', { windows: [null] }, 'Window 1: It must have'],
      ['more in a window', { windows: [{ ...first, more: 1 }] }, 'nothing else'],
      ['no rule', { windows: [{ ...first, rrule: 'x' }] }, 'Window 1: rrule: Valid DTSTART required'],
      [
        // one of them takes 5 s, and a busy machine is given up to 8
        'a rule that takes too long',
        {
          windows: [
            {
              ...first,
              rrule: `DTSTART:20300101T000000Z${' RRULE:FREQ=MINUTELY;INTERVAL=1;BYMONTH=3;BYYEARDAY=366'.repeat(4)}`,
            },
          ],
        },
        'take longer than 2 s',
      ],
      ['no duration', { windows: [{ ...first, duration: 'P' }] }, 'Window 1: duration: Must be a duration'],
      ['a duration of nothing', { windows: [{ ...first, duration: 'PT0S' }] }, 'Must be a duration'],
      ['too long a duration', { windows: [{ ...first, duration: 'P367D' }] }, 'longer than 366 days'],
      ['windows that overlap', { windows: [{ ...first, duration: 'P2D' }] }, 'begins again'],
      [
        'windows that overlap all the time',
        { windows: [{ rrule: 'DTSTART:20200101T000000Z RRULE:FREQ=MINUTELY;INTERVAL=1', duration: 'P366D' }] },
        'begins again',
      ],
      ['an unknown zone', { timezone: 'Moon/Base' }, 'There is no zone'],
      ['an unknown kind', { kind: 'perhaps' }, 'not a valid choice'],
    ] as const)
      it(`refuse ${what}`, async () => {
        const answer = await create(body);
        expect(answer.status, answer.text).to.equal(400);
        expect(answer.text).to.include(text);
      });

    it('are read by who reads the organization, and changed and bound by who administers it', async () => {
      const organization = (await stage.post('organizations/', { name: 'Rights' })).body.id;
      const { body: calendar } = await create({ organization });
      const template = await stage.template();
      await grant(`job_templates/${template}/`, 'admin_role');
      const path = `calendars/${calendar.id}/`;
      expect((await stage.get(path, ann)).status).to.equal(404);
      await grant(`organizations/${organization}/`, 'read_role');
      expect((await stage.get(path, ann)).status).to.equal(200);
      expect((await stage.request('PATCH', path, { body: { kind: 'allow' }, ...ann })).status).to.equal(403);
      expect((await create({ organization }, ann)).status).to.equal(403);
      const link = () => stage.post(`job_templates/${template}/calendars/`, { id: calendar.id }, ann);
      expect((await link()).status).to.equal(403);
      await grant(`organizations/${organization}/`, 'admin_role');
      expect((await link()).status).to.equal(204);
      expect((await stage.request('PATCH', path, { body: { kind: 'allow' }, ...ann })).status).to.equal(200);
    });

    it('tell their spans by the clocks of their zone, also where those are changed', async () => {
      const night = { rrule: 'DTSTART:20300330T220000 RRULE:FREQ=DAILY;INTERVAL=1;COUNT=3', duration: 'PT8H' };
      const day = {
        rrule: 'DTSTART;TZID=Europe/Zurich:20301026T220000 RRULE:FREQ=DAILY;INTERVAL=1;COUNT=1',
        duration: 'P1D',
      };
      const { body } = await create({ timezone: 'Europe/Zurich', windows: [night, day] });
      const { results } = (await stage.get(`calendars/${body.id}/spans/?from=2030-01-01`)).body;
      expect(results).to.deep.equal([
        { start: '2030-03-30T21:00:00.000Z', end: '2030-03-31T05:00:00.000Z' },
        { start: '2030-03-31T20:00:00.000Z', end: '2030-04-01T04:00:00.000Z' },
        { start: '2030-04-01T20:00:00.000Z', end: '2030-04-02T04:00:00.000Z' },
        { start: '2030-10-26T20:00:00.000Z', end: '2030-10-27T21:00:00.000Z' },
      ]);
      expect((await stage.get(`calendars/${body.id}/spans/?from=x`)).status).to.equal(400);
    });
  });

  it('leave no trace while the plugin is off', async () => {
    const other = await startStage();
    try {
      expect((await other.get('calendars/')).status).to.equal(404);
      const { actions } = (await other.request('OPTIONS', 'job_templates/1/launch/')).body;
      expect(actions.POST).to.not.have.property('override_reason');
      const template = await other.template();
      expect((await other.get(`job_templates/${template}/`)).body.related).to.not.have.property('calendars');
      expect((await other.post(`job_templates/${template}/launch/`, { override_reason: 5 })).status).to.equal(201);
    } finally {
      await other.stop();
    }
  });

  describe('on launches', () => {
    it('deny them with their name and until when, and leave others alone', async () => {
      const { template, calendar } = await bound({ name: 'Freeze' });
      const { status, body, headers } = await launch(template);
      expect(status).to.equal(403);
      const [{ until: opens, ...shown }] = body.calendars;
      expect(shown).to.deep.equal({ id: calendar.id, name: 'Freeze', kind: 'deny' });
      expect(Date.parse(opens) - Date.now()).to.be.within(hour / 2, hour);
      expect(body.reasons).to.deep.equal([`Calendar "Freeze" denies launches until ${opens}.`]);
      expect(Number(headers.get('retry-after'))).to.be.within(1800, 3600);
      expect((await stage.get(`jobs/?job_template=${template}`)).body.count).to.equal(0);
      expect((await launch(await stage.template())).status).to.equal(201);
      await stage.request('PATCH', `calendars/${calendar.id}/`, { body: { windows: [elsewhen] } });
      expect((await launch(template)).status).to.equal(201);
    });

    it('allow them in any of their windows only', async () => {
      const { template, calendar } = await bound({ kind: 'allow', windows: [elsewhen] });
      const refused = await launch(template);
      expect(refused.status).to.equal(403);
      expect(refused.body.reasons[0]).to.match(/allows launches again from 20/);
      await stage.request('PATCH', `calendars/${calendar.id}/`, { body: { windows: [elsewhen, now] } });
      expect((await launch(template)).status).to.equal(201);
    });

    it('hold for organizations and inventories, commands and updates', async () => {
      const organization = (await stage.post('organizations/', { name: 'Frozen' })).body.id;
      const { body: calendar } = await create({ organization });
      const inventory = (await stage.post('inventories/', { name: 'cold', organization })).body.id;
      const template = await stage.template({ inventory });
      const workflow = (await stage.post('workflow_job_templates/', { name: 'frozen', organization })).body.id;
      const start = () => stage.post(`workflow_job_templates/${workflow}/launch/`);
      expect((await start()).status).to.equal(201);
      await bind(`organizations/${organization}/`, calendar.id);
      expect((await start()).status).to.equal(403);
      const command = () =>
        stage.post(`inventories/${inventory}/ad_hoc_commands/`, { module_name: 'ping', credential: machine });
      const machine = await stage.credential({ credential_type: stage.machineType });
      expect((await command()).status).to.equal(403);
      await bind(`organizations/${organization}/`, calendar.id, { disassociate: true });
      await bind(`inventories/${inventory}/`, calendar.id);
      expect((await command()).status).to.equal(403);
      expect((await launch(template)).status).to.equal(403);
      await bind(`inventories/${inventory}/`, calendar.id, { disassociate: true });
      expect((await launch(template)).status).to.equal(201);
    });

    it('are told by previews, and leave nothing behind there', async () => {
      const { template, calendar } = await bound({});
      const gates = async (body = {}) => {
        const answer = await stage.post(`job_templates/${template}/launch/?preview=true`, body);
        return answer.body.gates.find(({ tap }: any) => tap === 'calendars:judge-calendars');
      };
      expect(await gates()).to.include({ answer: 'denied' });
      expect(await gates({ override_reason: 'what if' })).to.include({ answer: 'allowed' });
      expect((await stage.get(`audit_events/?object_type=calendar&object_id=${calendar.id}`)).text).to.not.include(
        'what if',
      );
    });
  });

  describe('with a reason', () => {
    it('say so wherever something is launched', async () => {
      const document = (await stage.get('openapi.json')).body;
      expect((await new Validator().validate(structuredClone(document))).errors).to.equal(undefined);
      const bodies = Object.entries<any>(document.paths).flatMap(([path, { post }]) =>
        post?.parameters?.some((one: any) => one.name === 'Idempotency-Key')
          ? [[path.replace('/api/v2', ''), post.requestBody?.content['application/json']?.schema] as const]
          : [],
      );
      for (const [path, schema] of bodies) {
        const { properties } = schema.properties ? schema : schema.allOf.at(-1);
        expect(properties.override_reason, path).to.include({ maxLength: 1024, title: 'Override reason' });
        expect(properties.override_reason.type).to.deep.equal(['string', 'null']);
        expect(properties.override_reason.description).to.match(/^Why it is launched though a calendar/);
      }
      expect(bodies.map(([path]) => path)).to.include.members([
        '/job_templates/{id}/launch/',
        '/workflow_job_templates/{id}/launch/',
        '/jobs/{id}/relaunch/',
        '/workflow_jobs/{id}/relaunch/',
        '/projects/{id}/update/',
        '/inventory_sources/{id}/update/',
        '/ad_hoc_commands/',
        '/bulk/job_launch/',
      ]);
    });

    it('let pass who administers the organization of the calendar, which is audited', async () => {
      const { template } = await bound({ name: 'Emergency' });
      const { actions } = (await stage.request('OPTIONS', `job_templates/${template}/launch/`)).body;
      expect(actions.POST.override_reason).to.include({ type: 'string', required: false });
      expect((await launch(template, { override_reason: '  ' })).status).to.equal(403);
      expect((await launch(template, { override_reason: 5 })).status).to.equal(400);
      expect((await launch(template, { override_reason: 'x'.repeat(1025) })).status).to.equal(400);
      const { status, body } = await launch(template, { override_reason: 'The shop is down.' });
      expect(status).to.equal(201);
      expect(body.job_explanation).to.equal('Calendar "Emergency" was overridden: The shop is down.');
      const { results } = (await stage.get('audit_events/?order_by=-id&page_size=20')).body;
      const told = results.find(({ action }: any) => action === 'calendars.override');
      expect(JSON.stringify(told)).to.include('The shop is down.').and.to.include('Emergency');
    });

    it('let nobody else pass', async () => {
      const { template } = await bound({});
      await grant(`job_templates/${template}/`, 'execute_role');
      const { status, body } = await launch(template, { override_reason: 'please' }, ann);
      expect(status).to.equal(403);
      expect(body.reasons[1]).to.include('administrators of its organization only');
    });

    it('let pass what a workflow that was let pass launches', async () => {
      const { template, calendar } = await bound({});
      const workflow = (await stage.post('workflow_job_templates/', { name: 'urgent', organization: 1 })).body.id;
      await bind(`workflow_job_templates/${workflow}/`, calendar.id);
      const node = { unified_job_template: template };
      await stage.post(`workflow_job_templates/${workflow}/workflow_nodes/`, node);
      const path = `workflow_job_templates/${workflow}/launch/`;
      expect((await stage.post(path)).status).to.equal(403);
      const { body } = await stage.post(path, { override_reason: 'urgent' });
      const job = await jobOf(template);
      expect(job.job_explanation).to.include('was overridden for what launched it');
      expect((await workflowEnded(body.id)).status).to.equal('successful');
    });
  });

  const jobOf = (template: number) =>
    until(async () => {
      const { results } = (await stage.get(`jobs/?job_template=${template}&order_by=-id`)).body;
      return results[0]?.finished ? (await stage.get(`jobs/${results[0].id}/`)).body : undefined;
    });
  const workflowEnded = (id: number) =>
    until(async () => {
      const { body } = await stage.get(`workflow_jobs/${id}/`);
      return body.finished ? body : undefined;
    });

  /** What the activity stream keeps of the refusal of a template's last launch. */
  const refusalOf = async (template: number) => {
    const { body } = await stage.get(`job_templates/${template}/activity_stream/?order_by=-id&page_size=20`);
    return body.results.map(({ changes }: any) => changes).find(({ action }: any) => action === 'launch_denied');
  };
  const audited = async (template: number, launchType: string) => {
    const entry = await refusalOf(template);
    expect(entry).to.include({ tap: 'calendars:judge-calendars', status: 403, launch_type: launchType });
    expect(entry.reasons[0]).to.match(/^Calendar ".*" denies launches until 20/);
  };

  it('are told to who launches again, which is audited', async () => {
    const template = await stage.template({ allow_simultaneous: true });
    const job = await stage.launch(template);
    await bind(`job_templates/${template}/`, (await create({ name: 'Too late' })).body.id);
    const again = await stage.post(`jobs/${job.id}/relaunch/`, {});
    expect([again.status, again.body.reasons[0].split(' until')[0]]).to.deep.equal([
      403,
      'Calendar "Too late" denies launches',
    ]);
    expect((await stage.get(`jobs/?job_template=${template}`)).body.count).to.equal(1);
    await audited(template, 'relaunch');
    const passed = await stage.post(`jobs/${job.id}/relaunch/`, { override_reason: 'again, please' });
    expect([passed.status, passed.body.job_explanation]).to.deep.equal([
      201,
      'Calendar "Too late" was overridden: again, please',
    ]);
  });

  describe('where nobody waits', () => {
    it('keep what a webhook starts as failed, with the reason', async () => {
      const { template } = await bound({ name: 'No pushes' });
      const key = 'the key of the hook';
      const settings = { webhook_service: 'github', webhook_key: key };
      await stage.request('PATCH', `job_templates/${template}/`, { body: settings });
      const push = JSON.stringify({ ref: 'refs/heads/main', head_commit: { id: 'c0ffee' } });
      const answer = await fetch(`${stage.url}/api/v2/job_templates/${template}/github/`, {
        method: 'POST',
        body: push,
        headers: {
          'content-type': 'application/json',
          'x-github-event': 'push',
          'x-github-delivery': 'one',
          'x-hub-signature-256': `sha256=${createHmac('sha256', key).update(push).digest('hex')}`,
        },
      });
      expect(answer.status, await answer.text()).to.be.within(200, 299);
      const job = await jobOf(template);
      expect(job).to.include({ status: 'failed', launch_type: 'webhook', started: null });
      expect(job.job_explanation).to.include('Calendar "No pushes" denies launches until');
      await audited(template, 'webhook');
    });

    it('keep what a new host calls for as failed, with the reason', async () => {
      const { template } = await bound({ name: 'No hosts' });
      const inventory = (await stage.post('inventories/', { name: 'calls', organization: 1 })).body.id;
      await stage.post('hosts/', { name: '127.0.0.1', inventory });
      const host_config_key = 'the key of new hosts';
      await stage.request('PATCH', `job_templates/${template}/`, { body: { inventory, host_config_key } });
      const answer = await fetch(`${stage.url}/api/v2/job_templates/${template}/callback/`, {
        method: 'POST',
        body: JSON.stringify({ host_config_key }),
        headers: { 'content-type': 'application/json' },
      });
      expect(answer.status, await answer.text()).to.equal(201);
      const job = await jobOf(template);
      expect(job).to.include({ status: 'failed', launch_type: 'callback', started: null });
      expect(job.job_explanation).to.include('Calendar "No hosts" denies launches until');
      await audited(template, 'callback');
    });

    it('end the step of a workflow as failed, with the reason', async () => {
      const { template } = await bound({ name: 'Night' });
      const workflow = (await stage.post('workflow_job_templates/', { name: 'steps', organization: 1 })).body.id;
      await stage.post(`workflow_job_templates/${workflow}/workflow_nodes/`, { unified_job_template: template });
      const { body } = await stage.post(`workflow_job_templates/${workflow}/launch/`);
      expect((await workflowEnded(body.id)).status).to.equal('failed');
      const job = await jobOf(template);
      expect(job).to.include({ status: 'failed' });
      expect(job.job_explanation).to.include('Calendar "Night" denies launches until');
      await audited(template, 'workflow');
    });

    for (const [missed_runs, what] of [
      ['skip', 'skip the time of a schedule, which is recorded'],
      ['catch_up_one', 'have a schedule that catches up due again when the window ends'],
    ] as const)
      it(what, async () => {
        const { template } = await bound({});
        const rrule = 'DTSTART:20300115T120000Z RRULE:FREQ=DAILY;INTERVAL=1';
        const schedule = { name: 's', rrule, unified_job_template: template, missed_runs };
        const { id } = (await stage.post('schedules/', schedule)).body;
        const { db, queue } = stage.services;
        await db('schedules')
          .where({ id })
          .update({ next_run: new Date(Date.now() - 1000) });
        // as the clock does each minute
        await queue.addTasks(db, [{ name: 'core:start-schedules', payload: {} }]);
        const job = await jobOf(template);
        expect(job).to.include({ status: 'failed', launch_type: 'scheduled' });
        expect(job.job_explanation).to.include('denies launches until');
        await audited(template, 'scheduled');
        const { next_run: next } = (await stage.get(`schedules/${id}/`)).body;
        if (missed_runs === 'skip') expect(next).to.equal('2030-01-15T12:00:00Z');
        else expect(job.job_explanation).to.include(next.slice(0, 19));
      });
  });
});
