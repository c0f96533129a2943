import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { noEffect } from '../../core/settings/definition.ts';
import { settingDefinitions } from '../../core/settings/definitions.ts';
import { startStage } from '../launch/fixture.ts';
import { apiEffects, type Effect, type EffectStage } from './effects-api.ts';
import { limitEffects } from './effects-limits.ts';
import { changedSettings } from './changed-settings.ts';
import { runEffects } from './effects-runs.ts';

/** Settings that a test of their own part changes over the API to see what follows. */
const elsewhere: Record<string, string> = {
  BULK_JOB_MAX_LAUNCH: 'workflows/bulk.test.ts',
  DEFAULT_EXECUTION_ENVIRONMENT: 'commands/execution-environments.test.ts',
  EXECUTION_ENVIRONMENT_MISSING: 'commands/execution-environments.test.ts',
  ACTIVITY_STREAM_ENABLED: 'launch/entries.test.ts',
  MANAGE_ORGANIZATION_AUTH: 'rbac/managed-auth.test.ts',
  REMOTE_HOST_HEADERS: 'http/client-address.test.ts',
  PROXY_IP_ALLOWED_LIST: 'http/client-address.test.ts',
  OUTBOUND_ALLOWED_NETWORKS: 'plugins/services.test.ts',
  CSRF_TRUSTED_ORIGINS: 'auth/clients.test.ts',
  SESSIONS_PER_USER: 'auth/clients.test.ts',
  LOGIN_ATTEMPTS_PER_MINUTE: 'auth/shared-attempts.test.ts',
  AWX_ROLES_ENABLED: 'scm/requirements.test.ts',
  PROJECT_UPDATE_VVV: 'scm/requirements.test.ts',
  AWX_COLLECTIONS_ENABLED: 'scm/requirements.test.ts',
  DEFAULT_PROJECT_UPDATE_TIMEOUT: 'scm/requirements.test.ts',
  GALAXY_TASK_ENV: 'scm/requirements.test.ts',
  GALAXY_IGNORE_CERTS: 'scm/requirements.test.ts',
  ALLOW_METRICS_FOR_ANONYMOUS_USERS: 'http/observe.test.ts',
  ANSWER_MAX_BYTES: 'faults/large-answers.test.ts',
  INVENTORY_MAX_BYTES: 'faults/large-answers.test.ts',
  CLEANUP_HOST_METRICS_SOFT_THRESHOLD: 'inventory/host-metrics.test.ts',
  CLEANUP_HOST_METRICS_HARD_THRESHOLD: 'inventory/host-metrics.test.ts',
  AUDIT_RETENTION_DAYS: 'platform/retention.test.ts',
  HOOK_TRACE_RETENTION_DAYS: 'platform/retention.test.ts',
  ACTIVITY_STREAM_RETENTION_DAYS: 'platform/retention.test.ts',
  TOKEN_RETENTION_DAYS: 'platform/retention.test.ts',
  FAILED_TASK_RETENTION_DAYS: 'platform/retention.test.ts',
  NOTIFICATION_RETENTION_DAYS: 'platform/retention.test.ts',
  REQUESTS_PER_USER: 'faults/shares.test.ts',
  REQUESTS_PER_ADDRESS: 'faults/shares.test.ts',
  TOKEN_REQUESTS_PER_MINUTE: 'http/told-limits.test.ts',
  WEBSOCKETS_PER_USER: 'faults/shares.test.ts',
  TOWER_URL_BASE: 'webhooks/webhooks.test.ts',
  WEBHOOK_STATUS_HOSTS: 'webhooks/webhooks.test.ts',
  VAULT_KUBERNETES_HOSTS: 'credentials/vault.test.ts',
  CHECKOUT_MAX_BYTES: 'hooks/launch-content.test.ts',
  CHECKOUT_MAX_FILES: 'hooks/launch-content.test.ts',
  SCHEDULE_MAX_JOBS: 'schedules/schedules.test.ts',
  DISABLE_ALL_SCHEDULES: 'schedules/schedules.test.ts',
  SCHEDULE_MISSED_AFTER: 'schedules/schedules.test.ts',
  WORKFLOW_ALLOW_SELF_APPROVAL: 'workflows/workflow.test.ts',
  WORKFLOW_STATS_ARTIFACTS: 'workflows/workflow.test.ts',
};

const changed = (file: string) => changedSettings(readFileSync(join(import.meta.dirname, '..', file), 'utf8'));

describe('every setting', function () {
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
      .filter(([, { help }]) => !help.startsWith(noEffect))
      .map(([key]) => key);
    const tested = [
      ...Object.keys(apiEffects),
      ...Object.keys(runEffects),
      ...Object.keys(limitEffects),
      ...Object.keys(elsewhere),
    ];
    expect(followed.toSorted()).to.deep.equal(tested.toSorted());
    for (const [file, keys] of Map.groupBy(Object.keys(elsewhere), (key) => elsewhere[key]!))
      expect(changed(file), file).to.include.all.keys(keys);
  });

  it('is not taken for tested where a comment or a message names it', () => {
    const names = (text: string) => [...changedSettings(text)];
    const change = `service.request('PATCH', 'settings/all/', { body: { A_KEY: 1 } })`;
    expect(names(`it('x', () => ${change});`)).to.deep.equal(['A_KEY']);
    expect(
      names(`const set = (body: object) => service.patch('settings/all/', body); it('x', () => set({ A_KEY: 1 }));`),
    ).to.deep.equal(['A_KEY']);
    expect(
      names(
        `// A_KEY\nit('B_KEY', () => expect(text).to.include('C_KEY')); it('x', () => ${change.replace('A_KEY', 'D_KEY')});`,
      ),
    ).to.deep.equal(['D_KEY']);
    expect(names(`it('x', () => get({ A_KEY: 1 })); it('y', () => service.patch('settings/all/', {}));`)).to.deep.equal(
      [],
    );
  });

  it('of those without an effect says why', () => {
    const silent = Object.entries(settingDefinitions).filter(([, { help }]) => help === noEffect);
    expect(silent.map(([key]) => key)).to.deep.equal([]);
  });

  const effects: Record<string, Effect> = { ...apiEffects, ...runEffects, ...limitEffects };
  for (const [key, effect] of Object.entries(effects)) it(`${key} does what it says`, () => effect(stage));
});
