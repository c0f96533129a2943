import { deepEqual, equal } from 'node:assert/strict';
import { type Core, startCore } from '@tapline/plugin-sdk/testing';
import plugin from '../index.ts';

/** In a running service with a database of its own: that of the checkout which `.tapline-home` or TAPLINE_HOME names. */
describe('a hold in the service', function () {
  this.timeout(180_000);
  let core: Core;
  before(async () => {
    core = await startCore({ plugins: [plugin] });
  });
  after(() => core?.stop());

  it('keeps its template from being launched until it is gone', async () => {
    const template = await core.makeTemplate();
    const reason = 'It is being mended.';
    const hold = await core.admin.post('sample_plugin_holds/', { job_template: template.id, reason });
    equal(hold.status, 201, hold.text);
    const refused = await core.admin.post(`${template.url}launch/`);
    deepEqual([refused.status, refused.body.reasons], [403, [reason]]);
    equal((await core.admin.delete(hold.body.url)).status, 204);
    equal((await core.admin.post(`${template.url}launch/`)).status, 201);
  });

  it('is set by who administers the template, and seen by who may read it', async () => {
    const template = await core.makeTemplate();
    const hold = { job_template: template.id, reason: 'Not today.' };
    for (const username of ['ann', 'bob']) await core.makeUser(username);
    await core.grant('ann', template.url, 'admin_role');
    await core.grant('bob', template.url, 'read_role');
    equal((await core.as('bob').post('sample_plugin_holds/', hold)).status, 403);
    equal((await core.as('ann').post('sample_plugin_holds/', hold)).status, 201);
    equal((await core.as('bob').get('sample_plugin_holds/')).body.count, 1);
  });
});
