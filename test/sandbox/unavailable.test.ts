import { SandboxError } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import type { Knex } from 'knex';
import { checkTemplates } from '../../core/credentials/injection/check-injectors.ts';
import { renderInjectors } from '../../core/credentials/injection/render-injectors.ts';
import { compose } from '../../core/notifications/compose.ts';
import { checkMessages } from '../../core/notifications/messages.ts';
import { planApproval } from '../../core/run-kinds/workflow-approval/plan.ts';
import { createRunLifecycle } from '../../core/runner/lifecycle.ts';
import { createTaskRuns } from '../../core/runner/tasks/task-runs.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { silentLog } from '../support/log.ts';
import { createRuns, quietBus } from '../support/runs.ts';
import { until } from '../support/until.ts';

const away = new SandboxError('unavailable', 'the service is stopping');
const refuse = () => Promise.reject(away);
const sandbox = { inspectEach: refuse, renderEach: refuse, render: refuse, evaluate: refuse, evaluateEach: refuse };

/** The error as it is: nobody made it a fault of whoever wrote a text. */
const passes = async (work: Promise<unknown>) =>
  expect(
    await work.then(
      () => 'nothing was thrown',
      (error: unknown) => error,
    ),
  ).to.equal(away);

describe('a sandbox that cannot be asked', () => {
  let base: TestDatabase;
  let db: Knex;
  before(async () => ({ db } = base = await createTestDatabase()));
  after(() => base.drop());

  it('is no fault of injectors', async () => {
    const injectors = { env: { A: '{{ a }}' } };
    await passes(checkTemplates(sandbox, injectors, { fields: [] }));
    const type = { id: 1, name: 'T', kind: 'cloud', namespace: null, inputs: {}, injectors };
    const credential = { id: 1, name: 'C', links: [], missing: [], inputs: {}, type };
    await passes(renderInjectors(sandbox, [credential], () => ''));
  });

  it('is no fault of messages, and no message of a run', async () => {
    const kind = { kind: 'x', label: 'X', fields: {}, bodies: 'text' } as never;
    const messages = { started: { message: '{{ job.id }}', body: 'it began' } };
    await passes(checkMessages(sandbox, kind, messages));
    await passes(compose(sandbox, { kind, messages, event: 'started', context: {} }));
  });

  it('leaves no approval without its text', async () => {
    const row = {
      kind: 'workflow_approval_template',
      name: 'a',
      data: JSON.stringify({ context_template: '{{ a }}' }),
    };
    const [{ id }] = await db('templates').insert(row).returning('id');
    const origin = { kind: 'workflow', id: 1, client_ip: null };
    const request = { db, template: id, prompts: {}, actor: null, authority: null, origin };
    await passes(planApproval({ sandbox } as never, request));
  });

  it('is waited for by a run that is being prepared', async () => {
    const [node] = await db('instances').insert({ hostname: 'here', uuid: crypto.randomUUID() }).returning('*');
    const columns = { kind: 'job', status: 'waiting', needs: 'engine', instance_id: node.id };
    const [{ id }] = await db('runs').insert(columns).returning('id');
    let tries = 0;
    const prepare = async () => {
      tries += 1;
      throw tries < 3 ? away : new Error('asked at last');
    };
    const runs = createRuns(db);
    const lifecycle = createRunLifecycle({
      ...runs,
      db,
      executor: { id: 'local', close: () => undefined, standBy: async () => undefined },
      kinds: { of: () => ({ prepare }), names: () => ['job'] },
      keyRing: { decrypt: (text: string) => text },
      log: silentLog,
    } as never);
    lifecycle.bind(node);
    lifecycle.start(id);
    await until(async () => (await db('runs').where({ id }).first()).status === 'error');
    await lifecycle.stop();
    expect((await db('runs').where({ id }).first()).job_explanation).to.contain('asked at last');
  });

  it('has a task of a run tried again', async () => {
    const [{ id }] = await db('runs').insert({ kind: 'made', status: 'waiting', needs: 'task' }).returning('id');
    let carryOut: any;
    const runs = createRuns(db);
    createTaskRuns({
      ...runs,
      db,
      bus: quietBus,
      kinds: { of: () => ({ work: refuse }), find: () => ({}) },
      queue: { define: (_: string, { run }: { run: unknown }) => void (carryOut = run) },
      keyRing: { decrypt: (text: string) => text },
      log: silentLog,
    } as never).define();
    await passes(carryOut({ run: id }, { signal: new AbortController().signal, attempt: 1 }));
    expect((await db('runs').where({ id }).first()).status).to.equal('running');
  });
});
