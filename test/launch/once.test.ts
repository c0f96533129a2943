import type { ApiError } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import type { Knex } from 'knex';
import { createHooks } from '../../core/hooks/hooks.ts';
import { launchOnce } from '../../core/plugins/services/launch-once.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { silentLog } from '../support/log.ts';
import { createRuns } from '../support/runs.ts';
import { bareTemplate } from './bare-template.ts';

describe('a launch that a mark stands for', () => {
  let database: TestDatabase;
  let db: Knex;
  let template: number;
  let asked: number[];
  let decided: () => void;
  let begun: Promise<void>;
  let launch: ReturnType<typeof createRuns>['launch'];

  before(async () => {
    database = await createTestDatabase();
    db = database.db;
    template = await bareTemplate(db);
  });
  after(() => database.drop());

  beforeEach(() => {
    const hooks = createHooks({ log: silentLog });
    const deciding = Promise.withResolvers<void>();
    const beginning = Promise.withResolvers<void>();
    decided = deciding.resolve;
    begun = beginning.promise;
    asked = [];
    hooks.beforeStart({ name: 'a:slow', failMode: 'deny' }, async ({ run }: any) => {
      asked.push(run.id);
      beginning.resolve();
      if (asked.length === 1) await deciding.promise;
    });
    launch = createRuns(db, { hooks }).launch;
  });

  const start = (mark: string) =>
    launchOnce(
      { db, launch },
      { plugin: 'a', mark },
      {
        template,
        prompts: {},
        actor: null,
        authority: null,
        waiting: false,
        origin: { kind: 'api', id: null, client_ip: null },
      },
    );
  const failure = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: unknown) => error as ApiError,
    );

  it('is left to whoever has it decided, however slow, and is asked about once', async () => {
    const first = start('slow');
    await Promise.race([begun, first]);
    const second = await failure(start('slow'));
    expect([second!.status, second!.headers]).to.deep.equal([503, { 'Retry-After': '5' }]);
    decided();
    const run = await first;
    expect(run.status).to.equal('pending');
    expect(await start('slow')).to.include({ id: run.id });
    expect(asked).to.deep.equal([run.id]);
  });

  it('is taken over from a process that fell silent, which then learns of it', async () => {
    const first = start('silent');
    await Promise.race([begun, first]);
    await db('runs')
      .where({ id: asked[0] })
      .update({ modified: db.raw("now() - interval '40 seconds'") });
    const given = failure(first);
    const run = await start('silent');
    decided();
    expect([run.status, asked]).to.deep.equal(['pending', [asked[0], run.id]]);
    expect(asked[0]).not.to.equal(run.id);
    expect((await given)!.status).to.equal(503);
    expect(await db('runs').where({ id: asked[0] })).to.deep.equal([]);
  });
});
