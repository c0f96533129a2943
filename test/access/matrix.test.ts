import { expect } from 'chai';
import type { CompiledRoute } from '../../core/engine/routes.ts';
import { type Answer, type Rewindable, startRewindable } from '../support/rewindable.ts';
import { anyone, expectations, type Line } from './expectations.ts';
import { type Stage, setStage } from './principals.ts';
import { pathOf, prepare, rightBodies } from './requests.ts';
import { see } from './who.ts';

const base = '/api/v2/';
const writing = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Writing = (typeof writing)[number];

describe('the role matrix', function () {
  this.timeout(300_000);
  let service: Rewindable;
  let stage: Stage;
  let routes: CompiledRoute[];
  let bodies: Record<string, unknown>;
  let principals: string[];
  let answers = 0;
  let problems: string[];

  before(async () => {
    service = await startRewindable();
    stage = await setStage(service.db);
    routes = service.services.engineApi.routes.filter(({ path }) => path.startsWith(base));
    bodies = await rightBodies(routes, stage, service.ask);
    principals = Object.keys(stage.tokens);
  });
  beforeEach(() => void (problems = []));
  /** all at once: one wrong rule shows in many places */
  afterEach(() => expect(problems).to.deep.equal([]));
  after(async () => {
    await service?.stop();
    console.log(`      ${routes?.length} routes × ${principals?.length} callers: ${answers} answers compared`);
  });

  const lineOf = ({ path }: CompiledRoute): Line => expectations[path.slice(base.length)] ?? {};

  it('has a line for every route, with its methods, and no other', () => {
    const declared = routes.map((route) => `${route.path} ${Object.keys(route.endpoints).toSorted().join(' ')}`);
    const expected = Object.entries(expectations).map(
      ([path, line]) => `${base}${path} ${['GET', ...writing.filter((method) => line[method])].toSorted().join(' ')}`,
    );
    expect(declared.toSorted()).to.deep.equal(expected.toSorted());
  });

  /** The status that the table states; 2xx stands for a success of any kind. */
  function expected(line: Line, method: Writing | 'GET', name: string): string {
    if (line.open) return '2xx';
    if (name === 'anonymous' || name === 'disabled') return '401';
    if (method !== 'GET' && name === 'readToken') return '403';
    if (line.at !== undefined && !see[line.at]!.includes(name)) return '404';
    const allowed = line[method] ?? (method === 'GET' ? anyone : []);
    if (allowed === anyone || allowed.includes(name)) return '2xx';
    return line.unseen?.includes(name) || (line.names && !see[line.names]!.includes(name)) ? '400' : '403';
  }

  async function compare(
    where: string,
    wanted: (name: string) => string,
    actual: (name: string) => Promise<string>,
    atOnce = 8,
  ): Promise<void> {
    const did: Record<string, string[]> = {};
    for (let at = 0; at < principals.length; at += atOnce) {
      const some = principals.slice(at, at + atOnce);
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

  const verdict = ({ status, body }: Answer) =>
    status >= 200 && status < 300 ? '2xx' : status >= 500 ? `${status} ${JSON.stringify(body)}` : String(status);

  it('holds for every GET, and lists show exactly the rows that are seen', async () => {
    for (const route of routes) {
      const line = lineOf(route);
      const wanted = (name: string) => {
        const status = expected(line, 'GET', name);
        return status === '2xx' && line.shows
          ? `2xx ${see[line.shows]!.includes(name) ? 'with' : 'without'} it`
          : status;
      };
      const path = `${pathOf(route, stage)}${line.shows ? '?page_size=200' : ''}`;
      await compare(`GET ${route.path}`, wanted, async (name) => {
        const answer = await service.ask({ method: 'GET', path, token: stage.tokens[name] });
        if (!line.shows || answer.status !== 200) return verdict(answer);
        const { results, count } = answer.body;
        if (count !== results.length) return `count ${count} of ${results.length}`;
        return `2xx ${results.some(({ id }: any) => id === stage.ids[line.shows!]) ? 'with' : 'without'} it`;
      });
    }
  });

  for (const method of writing)
    it(`holds for every ${method}`, async () => {
      for (const route of routes.filter(({ endpoints }) => endpoints[method])) {
        const key = `${method} ${route.path}`;
        const wanted = (name: string) => expected(lineOf(route), method, name);
        await compare(
          key,
          wanted,
          (name) =>
            service.undone(async (ask, trx) => {
              await prepare(trx, key, stage);
              const body = method === 'DELETE' ? undefined : bodies[key];
              return verdict(await ask({ method, path: pathOf(route, stage), token: stage.tokens[name], body }));
            }),
          // those who succeed wait for each other's locks
          1,
        );
      }
    });
});
