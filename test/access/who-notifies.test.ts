import { expect } from 'chai';
import { isWritable } from '../../core/descriptors/write/schema.ts';
import { type Answer, type Ask, type Rewindable, startRewindable, tokenFor } from '../support/rewindable.ts';
import { type Stage, setStage } from './principals.ts';

/** A right body for each resource that sends by a notification template of its own. */
const bodies: Record<string, object> = {
  drift_alert_rule: {},
  outbound_webhook: { url: 'http://127.0.0.1:9/', events: ['job.failed'] },
};

describe('what names a notification template', () => {
  let service: Rewindable;
  let stage: Stage;
  let token: string;
  let paths: { type: string; path: string }[];
  /** of the organization in which the caller administers nothing */
  let foreign: number;
  let own: number;

  before(async () => {
    service = await startRewindable({ TAPLINE_PLUGINS: 'calendars,drift,eda,outbound-webhooks,policy,scanning' });
    const { db } = service;
    stage = await setStage(db);
    foreign = stage.ids['notification_template']!;
    const { id: _id, ...copied } = await db('notification_templates').where({ id: foreign }).first();
    const columns = { ...copied, messages: JSON.stringify(copied.messages), organization_id: stage.ids['elsewhere'] };
    [{ id: own }] = (await db('notification_templates').insert(columns).returning('id')) as [{ id: number }];
    const [user] = await db('users').insert({ username: 'looks on' }).returning('*');
    token = await tokenFor(db, user);
    await stage.make.give('organization', stage.rows.elsewhere, 'admin_role', user);
    await stage.make.give('organization', stage.rows.organization, 'auditor_role', user);
    const { catalog } = service.services;
    paths = catalog.routes.flatMap(({ kind, type, path, endpoints }) => {
      if (kind !== 'list' || !endpoints.POST) return [];
      const field = catalog.models.get(type!)?.fields.get('notification_template');
      return field && isWritable(field, 'create') ? [{ type: type!, path }] : [];
    });
  });
  after(() => service?.stop());

  const bodyOf = (type: string, template: number) => ({
    name: 'telling',
    organization: stage.ids['elsewhere'],
    notification_template: template,
    ...bodies[type],
  });
  const refused = ({ status, body }: Answer, type: string) => {
    expect(status, type).to.equal(400);
    expect(body, type).to.deep.equal({ notification_template: [`Invalid pk "${foreign}" - object does not exist.`] });
  };
  const patch = (ask: Ask, path: string, body: object) => ask({ method: 'PATCH', path, token, body });

  it('is tried wherever there is such a field', () =>
    expect(paths.map(({ type }) => type).toSorted()).to.deep.equal(Object.keys(bodies)));

  it('names none of an organization whose notifications its maker only sees', async () => {
    for (const { type, path } of paths)
      await service.undone(async (ask) => {
        const made = await ask({ method: 'POST', path, token, body: bodyOf(type, own) });
        expect(made.status, made.text).to.equal(201);
        refused(await ask({ method: 'POST', path, token, body: { ...bodyOf(type, foreign), name: 'other' } }), type);
        refused(await patch(ask, `${path}${made.body.id}/`, { notification_template: foreign }), type);
      });
  });

  it('keeps one that somebody else gave it, whatever else is changed by who may not send by it', async () => {
    for (const { type, path } of paths)
      await service.undone(async (ask) => {
        const root = stage.tokens['superuser']!;
        const made = await ask({ method: 'POST', path, token: root, body: bodyOf(type, foreign) });
        expect(made.status, made.text).to.equal(201);
        const at = `${path}${made.body.id}/`;
        expect((await patch(ask, at, { name: 'renamed' })).status, type).to.equal(200);
        const whole = { ...made.body, name: 'again' };
        expect((await ask({ method: 'PUT', path: at, token, body: whole })).status, type).to.equal(200);
      });
  });

  it('names one of another organization by who looks after the notifications of both', async () => {
    for (const { type, path } of paths)
      await service.undone(async (ask, trx) => {
        const role_id = await stage.make.roleId('organization', stage.rows.organization, 'notification_admin_role');
        const { id: user_id } = await trx('users').where({ username: 'looks on' }).first();
        await trx('role_users').insert({ role_id, user_id });
        const made = await ask({ method: 'POST', path, token, body: bodyOf(type, foreign) });
        expect(made.status, made.text).to.equal(201);
      });
  });
});
