import { expect } from 'chai';
import type { Knex } from 'knex';
import { allowOf, type CompiledRoute } from '../../core/descriptors/routes/routes.ts';
import { authPaths } from '../../core/http/auth/auth-routes.ts';
import { type Answer, type Ask, type Rewindable, startRewindable } from '../support/rewindable.ts';
import { expectations, expected, type Line, publicRequests } from './expectations.ts';
import { type Stage, setStage } from './principals.ts';
import { pathOf, prepare, rightBodies } from './requests.ts';
import { see } from './who.ts';

const whole = (path: string) => (path.startsWith('/') ? path : `/api/v2/${path}`);
/** Always asked; where not everybody is, the others take turns, so that each of them asks of many paths. */
const few = ['anonymous', 'readToken', 'outsider', 'superuser'];
/** of those who take turns, of each answer that is expected */
const each = 3;
const writing = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;

describe('the role matrix', function () {
  let service: Rewindable;
  let stage: Stage;
  let routes: CompiledRoute[];
  let bodies: Record<string, unknown>;
  let principals: string[];
  let answers = 0;
  let problems: string[];
  /** how often each caller had its turn */
  const turns: Record<string, number> = {};

  before(async () => {
    service = await startRewindable();
    stage = await setStage(service.db);
    ({ routes } = service.services.catalog);
    bodies = await rightBodies(routes, stage, service.ask);
    principals = Object.keys(stage.tokens);
  });
  beforeEach(() => {
    problems = [];
  });
  /** all at once: one wrong rule shows in many places */
  afterEach(() => expect(problems).to.deep.equal([]));
  after(async () => {
    await service?.stop();
    console.log(`      ${routes?.length} routes × ${principals?.length} callers: ${answers} answers compared`);
  });

  const lines = new Map(Object.entries(expectations).map(([path, line]) => [whole(path), line]));
  const lineOf = ({ path }: CompiledRoute): Line => lines.get(path) ?? {};
  const token = (name: string) => stage.tokens[name];

  it('has a line for every route, with its methods, and no other', () => {
    const declared = routes.map((route) => `${route.path} ${Object.keys(route.endpoints).toSorted().join(' ')}`);
    const written = [...lines].map(
      ([path, line]) =>
        `${path} ${['GET' as const, ...writing]
          .filter((method) => line[method] ?? (method === 'GET' && line.GET !== null))
          .toSorted()
          .join(' ')}`,
    );
    expect(declared.toSorted()).to.deep.equal(written.toSorted());
    const paths = publicRequests
      .filter(([, path]) => path.startsWith('/api/'))
      .map(([method, path]) => `${method} ${path}`);
    const handlers = Object.entries(authPaths).flatMap(([path, all]) =>
      Object.keys(all).map((method) => `${method} ${path}`),
    );
    expect(handlers.toSorted()).to.deep.equal(paths.toSorted());
  });

  async function compare(
    where: string,
    wanted: (name: string) => string,
    actual: (name: string) => Promise<string>,
    callers: readonly string[],
    // more would only have every connection of the service plan the same statements
    atOnce = 2,
  ): Promise<void> {
    const did: Record<string, string[]> = {};
    for (let at = 0; at < callers.length; at += atOnce) {
      const some = callers.slice(at, at + atOnce);
      const got = await Promise.all(some.map(actual));
      for (const [index, name] of some.entries()) {
        (did[got[index]!] ??= []).push(name);
        answers++;
      }
    }
    for (const [got, names] of Object.entries(did)) {
      const wrong = names.filter((name) => wanted(name) !== got);
      if (wrong.length) problems.push(`${where}: ${got} instead of ${wanted(wrong[0]!)} for ${wrong.join(', ')}`);
    }
  }

  const statusOf = ({ status, body }: Answer, exact = false): string => {
    // of a switched off part; every other one is a fault, whose text is wanted
    if (status >= 500 && !String(body?.detail).includes('switched off')) return `${status} ${JSON.stringify(body)}`;
    return status >= 200 && status < 300 && !exact ? '2xx' : String(status);
  };

  function inTurn(names: readonly string[], most = each): string[] {
    const next = names
      .filter((name) => !few.includes(name))
      .toSorted((one, other) => (turns[one] ?? 0) - (turns[other] ?? 0))
      .slice(0, most);
    for (const name of next) turns[name] = (turns[name] ?? 0) + 1;
    return next;
  }
  const alike = (wanted: (name: string) => string): string[][] =>
    [...Map.groupBy(principals, wanted).values()].toSorted((one, other) => other.length - one.length);

  /** Some of each answer: where the same rule has been asked of everybody at another path of the same rows. */
  const someOfEach = (wanted: (name: string) => string): string[] => [
    ...few,
    ...alike(wanted).flatMap((names) => inTurn(names)),
  ];

  /** Everybody but the crowd, who are answered alike, nearly always because they see nothing there: some of those. */
  function butCrowd(wanted: (name: string) => string): string[] {
    const [crowd = [], ...others] = alike(wanted);
    return [...few.filter((name) => crowd.includes(name)), ...inTurn(crowd), ...others.flat()];
  }

  /** Rows and their lists, and what has a rule of its own, as against what is below a row and hangs on who sees that. */
  const ownRule = ({ kind }: CompiledRoute, line: Line) =>
    kind === 'list' || kind === 'detail' || line.at === undefined || line.GET !== undefined;

  it('holds for every GET, and lists show exactly the rows that are seen', async () => {
    for (const route of routes.filter(({ endpoints }) => endpoints.GET)) {
      const line = lineOf(route);
      const wanted = (name: string) => {
        const status = expected(line, 'GET', name);
        return status === '2xx' && line.shows
          ? `2xx ${see[line.shows]!.includes(name) ? 'with' : 'without'} it`
          : status;
      };
      const path = `${pathOf(route, stage)}${line.shows ? '?page_size=200' : ''}`;
      const seen = async (name: string) => {
        const answer = await service.ask({ method: 'GET', path, token: token(name) });
        const got = statusOf(answer);
        if (!line.shows || answer.status !== 200) return got;
        const { results, count } = answer.body;
        if (count !== results.length) return `count ${count} of ${results.length}`;
        return `2xx ${results.some(({ id }: any) => id === stage.ids[line.shows!]) ? 'with' : 'without'} it`;
      };
      await compare(`GET ${route.path}`, wanted, seen, ownRule(route, line) ? principals : someOfEach(wanted));
    }
  });

  for (const method of writing)
    it(`holds for every ${method}`, async () => {
      for (const route of routes.filter(({ endpoints }) => endpoints[method])) {
        const key = `${method} ${route.path}`;
        const wanted = (name: string) => expected(lineOf(route), method, name);
        const write = async (ask: Ask, name: string) => {
          const body = method === 'DELETE' ? undefined : bodies[key];
          return statusOf(await ask({ method, path: pathOf(route, stage), token: token(name), body }));
        };
        // a PUT is let in and refused as the PATCH beside it
        const everybody = ownRule(route, lineOf(route)) && method !== 'PUT';
        const callers = everybody ? principals : butCrowd(wanted);
        const [writers, others] = [true, false].map((may) =>
          callers.filter((name) => ['2xx', lineOf(route).answers?.[method as 'POST']].includes(wanted(name)) === may),
        );
        // who is refused changes nothing that would have to be taken back
        await compare(key, wanted, (name) => write(service.ask, name), others);
        const undone = (name: string) =>
          service.undone(async (ask, trx) => {
            await prepare(trx, key, stage);
            return write(ask, name);
          });
        // one after the other: they would wait for each other's locks
        await compare(key, wanted, undone, writers, 1);
      }
    });

  /** Where GET, or another path, has told already what each of them sees. */
  const compareSome: typeof compare = (where, wanted, actual, always) =>
    compare(where, wanted, actual, [...always, ...inTurn(principals, 1)]);

  it('holds for every HEAD: what GET answers, without the body; nothing is written', async () => {
    for (const route of routes.filter(({ endpoints }) => endpoints.GET)) {
      await compareSome(
        `HEAD ${route.path}`,
        (name) => expected(lineOf(route), 'GET', name),
        (name) =>
          service.undone(async (ask, trx) => {
            const answer = await ask({ method: 'HEAD', path: pathOf(route, stage), token: token(name) });
            return (await hasWritten(trx)) ? 'written' : answer.body === '' ? statusOf(answer) : 'a body';
          }),
        ['anonymous', 'superuser'],
      );
    }
  });

  it('refuses what a path does not offer, and says the same of it to everybody', async () => {
    for (const route of routes) {
      const head = route.endpoints.GET ? ['HEAD'] : [];
      const allow = [...Object.keys(route.endpoints), ...head, 'OPTIONS'].toSorted().join();
      for (const method of ['GET' as const, ...writing].filter((one) => !route.endpoints[one]))
        await compareSome(
          `${method} ${route.path}`,
          (name) =>
            (name === 'anonymous' || name === 'disabled') && !lineOf(route).open && !lineOf(route).stranger
              ? '401'
              : name === 'readToken' && method !== 'GET'
                ? '403'
                : '405',
          async (name) => {
            const answer = await service.ask({ method, path: pathOf(route, stage), token: token(name) });
            const told = (answer.headers.get('allow') ?? '').split(', ').toSorted().join();
            return told === allow ? statusOf(answer) : `Allow: ${told}`;
          },
          ['anonymous', 'readToken'],
        );
    }
  });

  /** Below what is not there, or not seen, everything stands that anybody may find there; but nobody changes what is not there. */
  function offered({ kind, endpoints }: CompiledRoute, line: Line, name: string): string[] {
    const hidden = line.at !== undefined && !see[line.at]!.includes(name);
    const may = (method: (typeof writing)[number]) => {
      if (name === 'readToken') return false;
      if (hidden) return kind !== 'detail';
      if (method === 'POST' && line.form) return line.form.includes('*') || line.form.includes(name);
      return !['401', '403', '404'].includes(expected(line, method, name));
    };
    const forms = { detail: ['PUT'] as const, route: writing }[kind as string] ?? (['POST', 'PUT'] as const);
    const get = endpoints.GET && (kind !== 'route' || expected(line, 'GET', name) !== '403') ? ['GET'] : [];
    return [...get, ...forms.filter((method) => endpoints[method] && may(method))];
  }

  it('offers a form in OPTIONS to exactly those who may send it, and never tells what is not seen from what is not there', async () => {
    for (const route of routes) {
      const path = pathOf(route, stage);
      const line = lineOf(route);
      const allow = allowOf(route);
      const actions = async (name: string, at: string) => {
        const { status, body, headers } = await service.ask({ method: 'OPTIONS', path: at, token: token(name) });
        if (headers.get('allow') !== allow) return `Allow: ${headers.get('allow')}`;
        return status === 200 ? JSON.stringify(Object.keys(body.actions ?? {})) : String(status);
      };
      const forms = (name: string) => {
        if (path.endsWith('/settings/ui/')) return see.settings!.includes(name) ? undefined : '403';
        return route.describe || line.stranger ? undefined : JSON.stringify(offered(route, line, name));
      };
      const wanted = (name: string) =>
        !line.open && !line.stranger && (name === 'anonymous' || name === 'disabled') ? '401' : (forms(name) ?? '200');
      await compare(
        `OPTIONS ${route.path}`,
        wanted,
        async (name) => {
          const got = await actions(name, path);
          const hidden = line.at !== undefined && !see[line.at]!.includes(name) && got !== '401';
          if (hidden && got !== (await actions(name, route.path.replace(':id', '999999999'))))
            return 'other actions than for a missing one';
          return forms(name) === undefined && got.startsWith('[') ? '200' : got;
        },
        route.kind === 'list' || route.kind === 'detail' ? butCrowd(wanted) : someOfEach(wanted),
      );
    }
  });

  it('is the same for everybody where a caller becomes somebody, and for what watches the service', async () => {
    for (const [method, path, status, body] of publicRequests)
      await compareSome(
        `${method} ${path}`,
        () => String(status),
        (name) =>
          service.undone(async (ask) => {
            const oauth = path.startsWith('/api/o/');
            const form = body && oauth ? new URLSearchParams(body).toString() : body;
            const headers: Record<string, string> = oauth
              ? { 'content-type': 'application/x-www-form-urlencoded' }
              : {};
            return statusOf(await ask({ method, path, token: token(name), body: form, headers }), true);
          }),
        few,
      );
  });

  it('was asked of every route and caller: fewer answers would prove less', () => {
    expect(answers).to.be.at.least(27_000);
    for (const name of principals.filter((one) => !few.includes(one)))
      expect(turns[name], `turns of ${name}`).to.be.at.least(60);
  });
});

/** Whether anything was written in the transaction. Where a statement failed, as answers may survive, nothing can be asked any more. */
const hasWritten = (trx: Knex): Promise<boolean> =>
  trx.raw('select pg_current_xact_id_if_assigned() is not null as written').then(
    ({ rows }) => rows[0].written,
    () => false,
  );
