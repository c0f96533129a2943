import { expect } from 'chai';
import type { CompiledRoute } from '../../core/descriptors/routes/routes.ts';
import { setStage, type Stage } from '../access/principals.ts';
import { pathOf, prepare, rightBodies } from '../access/requests.ts';
import { type Rewindable, startRewindable } from '../support/rewindable.ts';

const unknown = 987_654_321;
/**
 * There is no aggregator to send the log to, no licence to hand in, no source of secrets behind this credential, no policy engine,
 * and no event rule of this path.
 */
const neverTaken = new Set(
  [
    'settings/logging/test/',
    'config/',
    'config/subscriptions/',
    'config/attach/',
    // nodes enter themselves
    'instances/',
    'credential_types/:id/test/',
    'credentials/:id/test/',
    // the inventory is a plain one
    'inventories/:id/input_inventories/',
    'policies/test/',
    'policies/:id/test/',
    'policies/:id/backtest/',
    'eda_webhooks/:webhook_path/',
  ].map((path) => `/api/v2/${path}`),
);
/** Values that are of no such type, by the types of OPTIONS. */
const wrong: Record<string, unknown[]> = {
  integer: ['x', 1.5, [], {}, true, 2 ** 70],
  float: ['x', [], {}],
  decimal: ['x', [], {}],
  id: ['x', 1.5, [], {}, true, unknown],
  boolean: ['maybe', 2, [], {}],
  choice: ['no such choice', [], {}],
  string: [[], {}, 'a\0'],
  datetime: ['x', [], {}],
  object: ['{', 5, true, [1]],
  json: ['{', 5, true, [1]],
  list: ['x', 5, { a: 1 }],
  list_of_ids: ['x', ['y'], { a: 1 }],
};

/** Which of those are wrong for fields that are read more kindly than their type says. */
const kind: Record<string, (value: unknown) => boolean> = {
  // numbers and what stands for hosts
  hosts: (value) => !Array.isArray(value),
  // any list
  policy_instance_list: (value) => !Array.isArray(value),
  // a sample of an event, whose sender may send a list
  payload: (value) => !Array.isArray(value),
  // that there are two owners is what is complained of first; later on they are not looked at
  user: (value) => value !== unknown,
  team: (value) => value !== unknown,
};
/** What the place says for itself, so that the body's word does not count. */
const placed: Record<string, string[]> = {
  '/api/v2/groups/:id/ad_hoc_commands/': ['limit'],
  '/api/v2/hosts/:id/ad_hoc_commands/': ['limit'],
  '/api/v2/users/:id/personal_tokens/': ['application'],
  '/api/v2/teams/:id/credentials/': ['organization', 'user'],
};

describe('bodies of every write', function () {
  let service: Rewindable;
  let stage: Stage;
  let routes: CompiledRoute[];
  let bodies: Record<string, any>;
  let asked = 0;

  before(async () => {
    service = await startRewindable();
    stage = await setStage(service.db);
    ({ routes } = service.services.catalog);
    bodies = await rightBodies(routes, stage, service.ask);
  });
  after(async () => {
    await service?.stop();
    console.log(`      ${asked} bodies sent`);
  });

  const send = (method: string, route: CompiledRoute, body: unknown) =>
    service.undone(async (ask, trx) => {
      asked++;
      await prepare(trx, `${method} ${route.path}`, stage);
      return ask({ method, path: pathOf(route, stage), token: stage.tokens.superuser, body });
    });

  /** The fields that OPTIONS offers for a method; a PATCH takes those of PUT. */
  async function fieldsOf(route: CompiledRoute, method: string): Promise<[string, any][]> {
    const { body } = await service.ask({
      method: 'OPTIONS',
      path: pathOf(route, stage),
      token: stage.tokens.superuser,
    });
    return Object.entries(body.actions?.[method === 'PATCH' ? 'PUT' : method] ?? {});
  }

  /** A body that makes or replaces: where an object may be attached as well, what makes one elsewhere. */
  function making(method: string, route: CompiledRoute): Record<string, unknown> {
    const body = bodies[`${method} ${route.path}`];
    if (method !== 'POST' || body.id === undefined) return body;
    const child = service.services.catalog.type(route.type!).resource.sublists![route.name!]!.resource;
    return bodies[`POST /api/v2/${service.services.catalog.type(child).resource.path}/`] as Record<string, unknown>;
  }

  const inEvery = (look: (method: string, route: CompiledRoute) => Promise<string[]>) => async () => {
    const problems: string[] = [];
    for (const route of routes)
      for (const method of ['POST', 'PATCH', 'PUT'])
        if (route.endpoints[method]) problems.push(...(await look(method, route)));
    expect(problems).to.deep.equal([]);
  };

  it(
    'are refused for each field of the wrong type, under its name',
    inEvery(async (method, route) => {
      const problems: string[] = [];
      for (const [name, { type }] of await fieldsOf(route, method)) {
        // which object to attach is not a field of the new one
        if (name === 'id' || placed[route.path]?.includes(name)) continue;
        const right = method === 'PATCH' ? {} : making(method, route);
        for (const value of (wrong[type] ?? []).filter((one) => kind[name]?.(one) ?? true)) {
          const answer = await send(method, route, { ...right, [name]: value });
          const named = answer.status === 400 && Object.keys(answer.body).includes(name);
          if (!named)
            problems.push(
              `${method} ${route.path} ${name} (${type}) = ${JSON.stringify(value)}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 150)}`,
            );
        }
      }
      return problems;
    }),
  );

  it(
    'are refused without each field that is required, under its name',
    inEvery(async (method, route) => {
      if (method === 'PATCH') return [];
      const problems: string[] = [];
      const right = making(method, route);
      for (const [name, { required }] of await fieldsOf(route, method)) {
        if (!required || name === 'id') continue;
        const { [name]: _without, ...rest } = right;
        const answer = await send(method, route, rest);
        if (answer.status !== 400 || !Object.keys(answer.body).includes(name))
          problems.push(`${method} ${route.path} without ${name}: ${answer.status} ${JSON.stringify(answer.body)}`);
      }
      return problems;
    }),
  );

  it(
    'succeed as they should be',
    inEvery(async (method, route) => {
      const answer = await send(method, route, bodies[`${method} ${route.path}`]);
      // nothing that is not signed gets into a receiver
      const unsigned = route.endpoints[method]!.body?.kind === 'raw' && answer.status === 403;
      const failed = answer.status >= 300 && !unsigned && !neverTaken.has(route.path);
      return failed ? [`${method} ${route.path}: ${answer.status} ${JSON.stringify(answer.body)}`] : [];
    }),
  );

  it('were many: OPTIONS that say nothing would leave nothing to ask', () => {
    expect(asked).to.be.at.least(2_280);
  });
});
