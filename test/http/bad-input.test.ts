import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { expect } from 'chai';
import fc from 'fast-check';
import type { CompiledRoute, Endpoint } from '../../core/descriptors/routes/routes.ts';
import type { Model } from '../../core/descriptors/model.ts';
import { type Opa, startOpa } from '../../plugins/policy/test/opa.ts';
import { eachOf } from '../rbac/islands.ts';
import { startService, type TestService } from '../support/service.ts';
import { createFixtures, type Fixtures } from './fixtures.ts';

const nested = (levels: number, [open, end]: [string, string] = ['{"a":', '}']) =>
  open.repeat(levels) + '1' + end.repeat(levels);

/** Bodies as text: what is wrong with some of them is lost in a parsed value. */
const rawBodies = [
  '',
  '{',
  '}',
  '[]',
  '[1, 2]',
  'null',
  'true',
  '1',
  '"text"',
  '{"name"',
  '{"name": }',
  "{'name': 1}",
  nested(1000),
  nested(1000, ['[', ']']),
  nested(100_000, ['[', ']']),
  '{"__proto__": {"is_superuser": true}}',
  '{"constructor": {"prototype": {"x": 1}}}',
  '{"name": "a", "name": ["b"]}',
  '{"name": "\\u0000"}',
  '{"name": "\\ud800"}',
  '{"name": 1e999}',
  '{"id": 99999999999999999999999}',
  '{"id": -1}',
  '{"id": "x"}',
  '{"id": 1.5}',
  '{"id": null}',
  '{"id": {"a": 1}}',
  '{"id": 1e300}',
  '{"id": 99999999, "disassociate": true}',
  '{"disassociate": true, "id": "x"}',
  '\ud800',
  `{"x": "${'y'.repeat(200_000)}"}`,
  '{"\\u0000": 1}',
];

const values: unknown[] = [
  null,
  true,
  -1,
  1.5,
  1e308,
  2 ** 31,
  '',
  '\0',
  'a\ud800',
  '\u{10ffff}',
  'x'.repeat(20_000),
  [],
  {},
  [[[]]],
  [null],
  ['\0'],
  { a: '\0' },
  { a: { b: 'x\udfff' } },
  JSON.parse(nested(90)),
  '{"a": "\\u0000"}',
  'a: b: c',
  '&a [*a]',
  '%x',
  'NaN',
  '99999999999999999999',
  "'; drop table users; --",
  '../../etc/passwd',
  '--option',
  '{{ 7 * 7 }}',
  [1, 'x', {}],
  { id: 1 },
];

const queries = [
  'page=0',
  'page=x&page=1',
  'page_size=-1&page_size=x',
  'page=99999999999999999999',
  'nosuch=1',
  'id=x',
  'id=99999999999999999999',
  'id__in=',
  'id__in=1,,2',
  'id__regex=(',
  'id__isnull=maybe',
  'search=%00',
  'search=%25%5C%27%22',
  'order_by=%00',
  'order_by=nosuch',
  'order_by=-',
  'order_by=id,id,-id',
  'or__=1',
  'not__not__id=1',
  '__proto__=1',
  'constructor__name=1',
  'id%00=1',
  '%ED%A0%80=1',
  'id=%ED%A0%80',
  '%=%',
  'a[b]=c',
  'id=1&id=2',
  'limit=-1',
  'limit=x',
  'limit=99999999999',
  'format=nosuch',
  'format=json&format=x',
  'type=',
  'role_level=x',
  'count_disabled',
  `search=${'x'.repeat(3000)}`,
  `id__in=${'1,'.repeat(2000)}1`,
  'created__gt=x',
  'start_line=x&end_line=-5',
  'include=%00',
  'host=%00&all=%00&hostvars=x&revision=%00',
];

/** What a write reads: the fields of what it writes, or of the action; rows that a sublist makes are those of its type's own list. */
function fieldsOf({ services: { catalog } }: TestService, { kind, type, name }: CompiledRoute): string[] {
  const model: Model | undefined = type === undefined ? undefined : catalog.type(type);
  if (kind === 'list' || kind === 'detail')
    return [...model!.fields.values()].filter(({ field }) => field.mode !== 'ro').map(({ name: field }) => field);
  const { actions = {}, listActions = {} } = model?.resource ?? {};
  const fields = Object.keys((actions[name ?? ''] ?? listActions[name ?? ''])?.fields ?? {});
  return fields.length ? fields : undeclared;
}

/** For what declares no fields of its own, and reads these at most. */
const undeclared = ['name', 'variables'];

/** What comes from outside and is refused whatever it is, as long as no key comes with it. */
const takesBytes = ({ body }: Endpoint) => body?.kind === 'raw';

describe('Bad input', function () {
  let opa: Opa;
  let service: TestService;
  /** what is aimed at, and what stays whole for the requests that are right */
  let fixtures: Fixtures;
  let untouched: Fixtures;
  let routes: CompiledRoute[];
  let token: string;
  /** of an event rule */
  let webhookPath: string;
  before(async () => {
    opa = await startOpa();
    // nothing is run here: launches stay pending
    service = await startService({
      TAPLINE_ROLES: 'web',
      // what is tried on the engine gets as far as the engine
      TAPLINE_POLICY_ENGINE_ENABLED: 'true',
      TAPLINE_POLICY_ENGINE_SERVER_URL: opa.url,
      // however busy the machine is
      TAPLINE_POLICY_ENGINE_EVALUATION_TIMEOUT_MS: '20000',
    });
    fixtures = await createFixtures(service);
    untouched = await createFixtures(service);
    routes = service.services.catalog.routes;
    const rule = { id: untouched.ids['event_rule'] };
    webhookPath = (await service.services.db('plugin_eda.event_rules').where(rule).first()).webhook_path;
    // a token, since each of many thousand requests with a password costs a hash
    const { body } = await service.post('tokens/', { scope: 'write' });
    ({ token } = body);
  });
  after(async () => {
    await service?.stop();
    await opa?.stop();
  });

  const pathOf = ({ path, type }: CompiledRoute, id: unknown = fixtures.ids[type ?? '']) =>
    path
      .replace(':id', encodeURIComponent(String(id)))
      .replace(':slug', 'all')
      .replace(':file', 'start.js')
      .replace(':plugin', 'recommendations')
      .replace(':webhook_path', webhookPath)
      .replaceAll(/:\w+/g, '1');

  /** What earlier tests changed may be refused to everybody: a project that became a manual one has no copies. */
  const wholePath = (route: CompiledRoute) => pathOf(route, untouched.ids[route.type ?? '']);

  let last = '';
  async function answered(
    method: string,
    path: string,
    { body, type = 'application/json' }: { body?: unknown; type?: string } = {},
  ) {
    const sent: Record<string, string> = body === undefined ? {} : { 'content-type': type };
    const { status, headers, text } = await service.request(method, path, { body, auth: token, headers: sent });
    const shown = `${method} ${path.slice(0, 200)} ${JSON.stringify(body)?.slice(0, 200) ?? ''} → ${status} ${text.slice(0, 300)}`;
    expect(status, shown).to.be.lessThan(500);
    expect(text, shown).not.to.match(/\n\s+at |node_modules|\.ts:\d/);
    if (status >= 400) expect(headers.get('content-type'), shown).to.match(/json/);
    last = shown;
    return { status, text };
  }
  const ask = async (...request: Parameters<typeof answered>) => (await answered(...request)).status;

  /**
   * Lists and details get everything; the paths below them, which read ids, queries and bodies by the same code, a part each,
   * always another one.
   */
  const partFor = <T>(route: CompiledRoute, index: number, items: readonly T[], parts: number): readonly T[] =>
    route.kind === 'list' || route.kind === 'detail' ? items : partOf(index, items, parts);
  const partOf = <T>(index: number, items: readonly T[], parts: number): readonly T[] =>
    items.filter((_, at) => at % parts === index % parts);

  /** Some at a time: quick, and no denial of service on ourselves. */
  async function all<T>(items: readonly T[], work: (item: T) => Promise<unknown>) {
    await eachOf(items, 8, async (item) => void (await work(item)));
  }

  const writing = (visit: (method: string, route: CompiledRoute, index: number) => Promise<void>) => async () => {
    for (const [index, route] of routes.entries())
      for (const method of ['POST', 'PUT', 'PATCH']) if (route.endpoints[method]) await visit(method, route, index);
  };

  it('has a fixture for every type that has a detail', () => {
    const types = routes.filter(({ kind }) => kind === 'detail').map(({ type }) => type!);
    expect(types.filter((type) => fixtures.ids[type] === undefined)).to.deep.equal([]);
  });

  it('has a right request for every POST but those that no ended run, no service without aggregator or licence, and no ordinary credential takes', () => {
    const paths = routes
      .filter(({ endpoints }) => endpoints.POST && !takesBytes(endpoints.POST))
      .map(({ path }) => path);
    expect(paths.filter((path) => fixtures.bodies[`POST ${path}`] === undefined)).to.deep.equal([
      '/api/v2/config/',
      '/api/v2/config/subscriptions/',
      '/api/v2/config/attach/',
      '/api/v2/settings/logging/test/',
      '/api/v2/inventories/:id/input_inventories/',
      '/api/v2/credential_types/:id/test/',
      '/api/v2/credentials/:id/test/',
      '/api/v2/ad_hoc_commands/:id/cancel/',
      '/api/v2/inventory_updates/:id/cancel/',
      '/api/v2/jobs/:id/cancel/',
      '/api/v2/project_updates/:id/cancel/',
      '/api/v2/system_jobs/:id/cancel/',
      '/api/v2/workflow_approvals/:id/cancel/',
      '/api/v2/workflow_approvals/:id/approve/',
      '/api/v2/workflow_approvals/:id/deny/',
      '/api/v2/workflow_jobs/:id/cancel/',
    ]);
  });

  it('in query strings of every path', async () => {
    let lists = 0;
    for (const [index, route] of routes.entries()) {
      const { text } = await answered('GET', pathOf(route));
      // what is no list reads few of them, if any; lists all read them by the same code
      const below = text.startsWith('{"count":') ? 5 : 8;
      const asked = route.kind === 'list' ? partOf(lists++, queries, 2) : partOf(index, queries, below);
      await all(asked, (query) => ask('GET', `${pathOf(route)}?${query}`));
    }
  });

  it('in ids of every path', async () => {
    const ids = [
      '0',
      '-1',
      '99999999',
      '99999999999999999999',
      '1.5',
      'x',
      '\0',
      '\u{10ffff}',
      '%',
      '..',
      '__proto__',
      "'",
      'a++b++c',
      '++',
      '[+]',
      'x'.repeat(2000),
    ];
    for (const [index, route] of routes.filter(({ path }) => path.includes(':id')).entries()) {
      const tried = partFor(route, index, ids, 4);
      await all(tried, (id) => ask('GET', pathOf(route, id)));
      // what the path does not offer is refused before its id is read
      if (route.endpoints.DELETE) await all(tried, (id) => ask('DELETE', pathOf(route, id)));
      if (route.endpoints.POST) await all(tried, (id) => ask('POST', pathOf(route, id), { body: '{}' }));
    }
  });

  it(
    'in whole bodies of every write',
    writing(async (method, route, index) => {
      // a PUT is read as the PATCH beside it
      const bodies = method === 'PUT' ? partOf(index, rawBodies, 4) : partFor(route, index, rawBodies, 4);
      await all(bodies, (body) => ask(method, pathOf(route), { body }));
    }),
  );

  const counts = { together: 0, alone: 0 };
  it(
    'in every single field of every resource',
    writing(async (method, route, index) => {
      // as PATCH, but slower
      if (method === 'PUT' && route.endpoints.PATCH) return;
      const names = fieldsOf(service, route);
      const valid = (fixtures.bodies[`POST ${route.path}`]?.() ?? {}) as object;
      const send = (given: object) => answered(method, pathOf(route), { body: JSON.stringify({ ...valid, ...given }) });
      // each value in each field, another one in every field of a request; every other one of those that were not refused
      // under their name is sent once more beside nothing but right values: it may get further than its check
      const accepted: [name: string, value: unknown][] = [];
      const rounds = [...values.keys()];
      await all(names === undeclared ? partOf(index, rounds, 4) : rounds, async (turn) => {
        const given = names.map((name, at): [string, unknown] => [name, values[(turn + at) % values.length]]);
        const { status, text } = await send(Object.fromEntries(given));
        const refused = status === 400 ? Object.keys(JSON.parse(text)) : [];
        accepted.push(...given.filter(([name]) => !refused.includes(name)));
        counts.together += refused.length;
      });
      const alone = names === undeclared ? [] : partOf(index, accepted, 2);
      counts.alone += alone.length;
      await all(alone, ([name, value]) => send({ [name]: value }));
    }),
  );

  it('was sent to every field', () => {
    console.log(`      values in fields: ${JSON.stringify(counts)}`);
    expect(counts.together).to.be.at.least(13_000);
    expect(counts.alone).to.be.at.least(2_200);
  });

  it(
    'in bodies of the wrong type, with or without permission to be there',
    writing(async (method, route) => {
      await all(
        [
          'text/plain',
          'application/xml',
          'multipart/form-data',
          'application/x-www-form-urlencoded',
          'application/json; charset=nosuch',
        ],
        async (type) => {
          const status = await ask(method, wholePath(route), { body: 'a=1', type });
          const refused = takesBytes(route.endpoints[method]!) ? [400, 403] : [400, 415];
          expect(refused, `${method} ${route.path} ${type}`).to.include(status);
        },
      );
    }),
  );

  it(
    'in bodies that are cut off or larger than allowed',
    writing(async (method, route) => {
      const tooLarge = httpRequest(service.url + wholePath(route), {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'content-length': 50_000_000 },
      });
      tooLarge.on('error', () => undefined).flushHeaders();
      const [answer] = await once(tooLarge, 'response');
      expect(answer.statusCode, `${method} ${route.path}`).to.equal(413);
      tooLarge.destroy();
      const cutOff = httpRequest(service.url + wholePath(route), {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'content-length': 100 },
      });
      const closed = new Promise((resolve) => cutOff.on('error', () => undefined).on('close', resolve));
      cutOff.end('{"name": "x', () => cutOff.destroy());
      await closed;
    }),
  );

  it('of any shape at all', async () => {
    const paths = routes.filter(({ endpoints }) => endpoints.POST || endpoints.PATCH);
    const entry = fc.record({
      route: fc.constantFrom(...paths),
      body: fc.dictionary(fc.string({ maxLength: 12 }), fc.jsonValue({ maxDepth: 4 }), { maxKeys: 6 }),
      query: fc.webQueryParameters(),
    });
    await fc.assert(
      fc.asyncProperty(entry, async ({ route, body, query }) => {
        await ask(route.endpoints.POST ? 'POST' : 'PATCH', `${pathOf(route)}?${query}`, { body: JSON.stringify(body) });
        await ask('GET', `${pathOf(route)}?${query}`);
      }),
      { numRuns: 300 },
    );
  });

  it('leaves every route able to answer what is right', async () => {
    for (const route of routes) {
      const path = pathOf(route, untouched.ids[route.type ?? '']);
      // nodes of a service bring themselves: there is none whose machine is set up by a bundle, nor one that is entered by hand
      const right = route.path.endsWith('/install_bundle/') ? 400 : 200;
      if (route.endpoints.GET) expect(await ask('GET', path), `GET ${route.path}`).to.equal(right);
      const body = untouched.bodies[`POST ${route.path}`];
      if (body) {
        const status = await ask('POST', path, { body: body() });
        // that event was sent again together with the others, just before
        const again = route.path.endsWith('/event_logs/:id/replay/') ? [409] : [];
        const taken = route.path === '/api/v2/instances/' ? [400] : [200, 201, 202, 204, ...again];
        expect(taken, last).to.include(status);
      }
      if (route.endpoints.PATCH && route.kind === 'detail')
        expect(await ask('PATCH', path, { body: '{}' }), `PATCH ${route.path}`).to.equal(200);
    }
  });
});
