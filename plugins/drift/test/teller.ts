import { createHash } from 'node:crypto';
import type { TestService } from '../../../test/support/service.ts';
import { until } from '../../../test/support/until.ts';

export interface Told {
  old_hash: string | null;
  new_hash: string;
}

/** Edited copies of facts, told as runs tell them: by core's rows and its hook. */
export interface Teller {
  /** a run that is not there for anything else than to have told of facts */
  run(): Promise<number>;
  /** The host has these facts from now on; the word of it is returned and not sent. */
  learn(run: number, host: number, facts: object): Promise<Told>;
  tell(run: number, hosts: ({ host_id: number } & Told)[], part?: number): Promise<void>;
  /** all of it, and waits until it is dealt with */
  change(host: number, facts: object): Promise<void>;
  /** until the queue has done all that drift gave it; so many reports may wait */
  settled(waiting?: number): Promise<void>;
  /** as if the time were over in which what belongs before a report may still come; and until all is done */
  patienceEnds(): Promise<void>;
}

export function tellerOf({ services: { db, queue } }: Pick<TestService, 'services'>, template: number): Teller {
  /** nothing is due any more */
  const idle = async () => {
    const due = db('tapline_jobs.jobs')
      .where('task_identifier', 'like', 'drift:%')
      .where('run_at', '<=', db.fn.now())
      .whereNot('task_identifier', 'drift:clean-up');
    return (await due).length === 0;
  };
  const teller: Teller = {
    async run() {
      const { rows } = await db.raw(
        `insert into runs (kind, name, status, template_id, launch_type, organization_id, inventory_id, started, finished)
         select 'job', 'told', 'successful', id, 'manual', organization_id, inventory_id, now(), now() from templates where id = ? returning id`,
        [template],
      );
      return Number(rows[0].id);
    },
    async learn(run, host, facts) {
      const text = JSON.stringify(facts);
      const hash = createHash('sha256').update(text).digest('hex');
      const before = await db('host_facts').where({ host_id: host }).first('hash');
      await db.raw('insert into facts (hash, document) values (?, ?::jsonb) on conflict do nothing', [hash, text]);
      await db('host_facts')
        .insert({ host_id: host, hash, run_id: run })
        .onConflict('host_id')
        .merge({ hash, run_id: run, modified: db.fn.now() });
      return { old_hash: before?.hash ?? null, new_hash: hash };
    },
    tell: (run, hosts, part) =>
      queue.addTasks(db, [{ name: 'drift:hook:take-reports', payload: { run_id: run, part, hosts } }]),
    async change(host, facts) {
      const run = await teller.run();
      await teller.tell(run, [{ host_id: host, ...(await teller.learn(run, host, facts)) }]);
      await teller.settled();
    },
    async settled(waiting = 0) {
      await until(async () => (await idle()) && (await db('plugin_drift.reports')).length === waiting, 120_000);
    },
    async patienceEnds() {
      await until(idle, 120_000);
      await db('plugin_drift.reports').update({ created: new Date(Date.now() - 3_600_000) });
      await db.raw('update tapline_jobs._private_jobs set run_at = now() where locked_at is null');
      await teller.settled();
    },
  };
  return teller;
}
