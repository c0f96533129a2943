import { createHmac } from 'node:crypto';
import { SandboxError } from '@tapline/plugin-sdk';
import { type Stage, startStage } from '../../../test/launch/fixture.ts';
import type { BootWith } from '../../../test/support/plugins.ts';
import { until } from '../../../test/support/until.ts';
import eda from '../index.ts';

export interface Sent {
  headers?: Record<string, string>;
  key?: string;
  type?: string;
}

export interface EventStage extends Stage {
  rule(body?: object): Promise<any>;
  keyOf(rule: { id: number }): Promise<string>;
  /** signed as X-Svc-Signature says unless headers are given */
  send(rule: any, payload: object | string, sent?: Sent): Promise<any>;
  /** the log when it is done with */
  done(id: number): Promise<any>;
  /** sends, and resolves to the log when it is done with */
  event(rule: any, payload: object | string, sent?: Sent): Promise<any>;
}

export const hex = (algorithm: string, key: string, body: string | Buffer): string =>
  `${algorithm}=${createHmac(algorithm, key).update(body).digest('hex')}`;

/** Events that say so take too long, or leave the sandbox no time, however busy the machine is, until what this returns is called. */
export function slowEvents({ services: { sandbox } }: Pick<Stage, 'services'>): () => void {
  const { evaluate, evaluateEach } = sandbox;
  const assertQuick = (contexts: Record<string, any>[]) => {
    if (contexts.some(({ event }) => event?.slow)) throw new SandboxError('timeout', 'it took too long');
    if (contexts.some(({ event }) => event?.busy)) throw new SandboxError('unavailable', 'the machine was too busy');
  };
  sandbox.evaluate = async (...given) => {
    assertQuick([given[1]]);
    return evaluate(...given);
  };
  sandbox.evaluateEach = async (...given) => {
    assertQuick(given[0].contexts);
    return evaluateEach(...given);
  };
  return () => void Object.assign(sandbox, { evaluate, evaluateEach });
}

export async function startEvents(
  env: Record<string, string> = {},
  more: NonNullable<BootWith['plugins']> = [],
): Promise<EventStage> {
  const stage = await startStage(env, [eda, ...more]);
  const keys = new Map<number, string>();
  let made = 0;
  const keyOf = async ({ id }: { id: number }) => {
    const key = keys.get(id) ?? (await stage.get(`event_rules/${id}/webhook_key/`)).body.webhook_key;
    keys.set(id, key);
    return key;
  };
  const send: EventStage['send'] = async (rule, payload, { headers = {}, key, type = 'application/json' } = {}) => {
    const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
    const signed = { 'x-svc-signature': hex('sha256', key ?? (await keyOf(rule)), body) };
    const signing = [
      'x-svc-signature',
      'x-hub-signature-256',
      'x-hub-signature',
      'x-gitlab-token',
      'webhook-signature',
    ];
    const own = Object.keys(headers).some((name) =>
      [...signing, 'x-scm-token', 'x-scm-signature', 'x-scm-signature-256', 'none'].includes(name),
    );
    return stage.request('POST', `eda_webhooks/${rule.webhook_path}/`, {
      body,
      auth: null,
      headers: { 'content-type': type, ...(own ? {} : signed), ...headers },
    });
  };
  const done = (id: number) =>
    until(
      async () => {
        const { body } = await stage.get(`event_logs/${id}/`);
        return body.finished ? body : undefined;
      },
      60_000,
      `event ${id} is done with`,
    );
  return {
    ...stage,
    keyOf,
    send,
    done,
    async rule(body = {}) {
      made += 1;
      const answer = await stage.post('event_rules/', {
        name: `rule ${made}`,
        organization: 1,
        source_type: 'webhook_generic',
        webhook_path: `path-${made}`,
        conditions: [],
        actions: [],
        ...body,
      });
      if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
      return answer.body;
    },
    async event(rule, payload, sent) {
      const answer = await send(rule, payload, sent);
      if (answer.status !== 202) throw new Error(`${answer.status} ${answer.text}`);
      return done(answer.body.event_log);
    },
  };
}
