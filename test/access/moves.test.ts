import { expect } from 'chai';
import { isWritable } from '../../core/descriptors/write/schema.ts';
import { type Rewindable, startRewindable } from '../support/rewindable.ts';
import { setStage, type Stage } from './principals.ts';

/** A team stays where it is, whoever asks. */
const stay = new Set(['team']);

describe('records that belong to an organization', function () {
  let service: Rewindable;
  let stage: Stage;
  let movable: { type: string; path: string }[];

  before(async () => {
    service = await startRewindable({ TAPLINE_PLUGINS: 'calendars,drift,eda,outbound-webhooks,policy,scanning' });
    stage = await setStage(service.db);
    const { catalog } = service.services;
    await furnish();
    movable = catalog.routes.flatMap(({ path, type, endpoints }) => {
      const field =
        type && endpoints['PATCH'] && path.endsWith('/:id/') && catalog.models.get(type)?.fields.get('organization');
      return field && isWritable(field, 'patch') ? [{ type, path }] : [];
    });
  });
  after(() => service?.stop());

  /** What the stage has none of. */
  async function furnish(): Promise<void> {
    const { ids, tokens } = stage;
    const organization = ids.organization!;
    const template = {
      notification_type: 'msteams',
      notification_configuration: { msteams_url: 'https://chat.example/key' },
    };
    const first = { rrule: 'DTSTART:20300101T000000Z RRULE:FREQ=DAILY;INTERVAL=1', duration: 'PT1H' };
    const create = async (path: string, body: object) => {
      const answer = await service.ask({
        method: 'POST',
        path: `/api/v2/${path}/`,
        token: tokens['superuser']!,
        body: { name: 'moving', organization, ...body },
      });
      expect(answer.status, answer.text).to.equal(201);
      return answer.body.id;
    };
    ids['calendar'] = await create('calendars', { kind: 'deny', windows: [first] });
    ids['drift_alert_rule'] = await create('drift_alert_rules', {
      notification_template: await create('notification_templates', template),
    });
  }

  const moved = (to: number | null, role: string, { type, path }: { type: string; path: string }) =>
    service.undone(async (ask, trx) => {
      const { users, tokens, rows, ids } = stage;
      const user = users['organization.admin'];
      const [{ id }] = await trx('roles')
        .where({ content_type: 'organization', object_id: rows.elsewhere.id, role_field: role })
        .select('id');
      await trx('role_users').insert({ role_id: id, user_id: user.id });
      const at = path.replace(':id', String(ids[type]));
      const answer = await ask({
        method: 'PATCH',
        path: at,
        token: tokens['organization.admin'],
        body: { organization: to },
      });
      const now = await ask({ method: 'GET', path: at, token: tokens['superuser'] });
      return { status: answer.status, text: answer.text, organization: now.body.organization };
    });

  it('go to another only by who may make them there', async () => {
    const { ids } = stage;
    expect(movable.map(({ type }) => type)).to.include.members([
      'inventory',
      'project',
      'event_rule',
      'drift_alert_rule',
      'outbound_webhook',
      'calendar',
      'policy',
      'scanner',
    ]);
    for (const one of movable.filter(({ type }) => !stay.has(type))) {
      for (const to of [ids.elsewhere!, null]) {
        const { status, text, organization } = await moved(to, 'auditor_role', one);
        expect([400, 403], `${one.type} to ${to}: ${text}`).to.include(status);
        expect(organization, one.type).to.equal(ids.organization);
      }
      const { status, text } = await moved(ids.elsewhere!, 'admin_role', one);
      expect(status, `${one.type}: ${text}`).to.not.equal(403);
    }
  });
});
