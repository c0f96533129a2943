import { expect } from 'chai';
import { openStage, type Stage } from '../stage.ts';
import { Person } from './person.ts';

/** Live messages are asked for again with a session that has ended meanwhile. */
const endedSession = /WebSocket connection to .* Unexpected response code: 403$/;

export const password = 'long enough 1';

export interface Scene extends Pick<Stage, 'service' | 'make' | 'template' | 'inventory' | 'release' | 'problems'> {
  /** somebody who is logged in, in a browser of their own; `admin` unless another is named */
  person(username?: string): Promise<Person>;
  /** a user with these roles: `job_templates/5` → `execute_role` */
  user(username: string, columns?: object, roles?: Record<string, string>): Promise<number>;
}

/** One service and one browser for the flows of a file. */
export function scene(prepare: (scene: Scene) => Promise<void>, ...options: Parameters<typeof openStage>): Scene {
  let stage: Stage;
  const people = new Map<string, Promise<Person>>();
  const arrive = async (username: string) => {
    const page = await stage.fresh();
    page.context().setDefaultTimeout(60_000);
    await (username === 'admin' ? stage.logIn(page) : stage.logIn(page, username, password));
    return new Person(page);
  };
  const here: Scene = {
    get service() {
      return stage.service;
    },
    get inventory() {
      return stage.inventory;
    },
    get release() {
      return stage.release;
    },
    make: (path, body) => stage.make(path, body),
    template: (playbook, body) => stage.template(playbook, body),
    problems: () => stage.problems(),
    person(username = 'admin') {
      const known = people.get(username) ?? arrive(username);
      people.set(username, known);
      return known;
    },
    async user(username, columns = {}, roles = {}) {
      const { id } = await stage.make('users/', { username, password, ...columns });
      for (const [path, role] of Object.entries(roles)) {
        const { object_roles } = (await stage.service.get(`${path}/`)).body.summary_fields;
        const given = await stage.service.post(`roles/${object_roles[role].id}/users/`, { id });
        expect(given.status, `${role} of ${path}`).to.equal(204);
      }
      return id;
    },
  };
  before(async () => {
    stage = await openStage(...options);
    await prepare(here);
  });
  after(() => stage?.stop());
  afterEach(async function () {
    if (this.currentTest?.isFailed()) {
      for (const one of people.values()) {
        const { page } = await one;
        console.log(`${page.url()}\n${await page.getByRole('main').ariaSnapshot()}`);
        await page.context().close();
      }
      // whoever comes next is not in the middle of what failed
      people.clear();
    }
    expect(stage.problems().filter((problem) => !endedSession.test(problem))).to.deep.equal([]);
  });
  return here;
}
