import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { noEffect } from '../../core/settings/definition.ts';
import { settingDefinitions } from '../../core/settings/definitions.ts';
import { startStage } from '../launch/fixture.ts';
import { apiEffects, type Effect, type EffectStage } from './effects-api.ts';
import { runEffects } from './effects-runs.ts';

/** Settings that a test of their own part changes over the API to see what follows. */
const elsewhere: Record<string, string> = {
  ACTIVITY_STREAM_ENABLED: 'launch/entries.test.ts',
  MANAGE_ORGANIZATION_AUTH: 'rbac/managed-auth.test.ts',
  REMOTE_HOST_HEADERS: 'http/client-address.test.ts',
  PROXY_IP_ALLOWED_LIST: 'http/client-address.test.ts',
  OUTBOUND_ALLOWED_NETWORKS: 'plugins/services.test.ts',
  CSRF_TRUSTED_ORIGINS: 'auth/clients.test.ts',
  SESSIONS_PER_USER: 'auth/clients.test.ts',
  LOGIN_ATTEMPTS_PER_MINUTE: 'auth/shared-attempts.test.ts',
  AWX_ROLES_ENABLED: 'scm/requirements.test.ts',
  AWX_COLLECTIONS_ENABLED: 'scm/requirements.test.ts',
  DEFAULT_PROJECT_UPDATE_TIMEOUT: 'scm/requirements.test.ts',
  GALAXY_TASK_ENV: 'scm/requirements.test.ts',
  GALAXY_IGNORE_CERTS: 'scm/requirements.test.ts',
};

describe('every setting', function () {
  this.timeout(180_000);
  let stage: EffectStage;

  before(async () => {
    const started = await startStage();
    const token = (await started.post('tokens/', { scope: 'write' })).body.token as string;
    const set = async (key: string, value: unknown) =>
      (await started.request('PATCH', 'settings/all/', { body: { [key]: value }, auth: token })).status;
    stage = { ...started, token, set };
  });
  after(() => stage?.stop());
  afterEach(() => stage.request('DELETE', 'settings/all/', { auth: stage.token }));

  it('has a test that changes it and sees the effect, or says of itself that it has none', () => {
    const followed = Object.entries(settingDefinitions)
      .filter(([, { help }]) => help !== noEffect)
      .map(([key]) => key);
    const tested = [...Object.keys(apiEffects), ...Object.keys(runEffects), ...Object.keys(elsewhere)];
    expect(followed.toSorted()).to.deep.equal(tested.toSorted());
    for (const [key, file] of Object.entries(elsewhere))
      expect(readFileSync(join(import.meta.dirname, '..', file), 'utf8'), file).to.match(
        new RegExp(`\\b${key}\\b[^]*PATCH|PATCH[^]*\\b${key}\\b`),
      );
  });

  const effects: Record<string, Effect> = { ...apiEffects, ...runEffects };
  for (const [key, effect] of Object.entries(effects)) it(`${key} does what it says`, () => effect(stage));
});
