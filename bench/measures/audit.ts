import { readFileSync } from 'node:fs';
import { activityEntrySql } from '@tapline/core/db/activity-entry.ts';
import { runPrepared } from '@tapline/core/db/prepared.ts';
import type { Knex } from 'knex';
import pg from 'pg';
import { onDatabase } from '../lib/bench-database.ts';
import { progress } from '../lib/progress.ts';
import { Service } from '../lib/service.ts';
import { type Figure, figure, median, spread } from '../lib/stats.ts';

const events = 1_000_000;
const rounds = 300;

/** The entry of a launch, as its statement has it. */
const document = JSON.stringify({
  operation: 'create',
  action: 'launch',
  object: 'job',
  node: 'bench',
  user: null,
  organization: null,
  changes: { id: 1, name: 'Nightly', launch_type: 'manual', unified_job_template: 'Nightly-5', playbook: 'site.yml' },
  about: [{ type: 'job', object_id: 1, summary: { id: 1, name: 'Nightly' } }],
});

/** Milliseconds of an entry with the audit log, and of the same in the activity stream alone, in turns: what a commit takes is no part of it. */
async function costOfEntry(db: Knex): Promise<Figure> {
  const whole = activityEntrySql('select $1::jsonb');
  const at = whole.indexOf(', audited as (');
  const statements = {
    both: { name: 'bench both', text: whole },
    alone: { name: 'bench alone', text: `${whole.slice(0, at)} select 1` },
  };
  const differences: number[] = [];
  await db.transaction(async (trx) => {
    const took = async (which: keyof typeof statements) => {
      const began = performance.now();
      await runPrepared(trx, statements[which], [document]);
      return performance.now() - began;
    };
    for (let round = -30; round < rounds; round++) {
      const first = round % 2 ? 'both' : 'alone';
      const one = await took(first);
      const other = await took(first === 'both' ? 'alone' : 'both');
      if (round >= 0) differences.push(first === 'both' ? one - other : other - one);
    }
  });
  return figure(
    'audit',
    'an event in the statement of a launch, p50',
    median(differences),
    'ms',
    '<=',
    0.3,
    `with it minus without ${spread(differences, 'ms')}`,
  );
}

const residentMiB = (pid: number) =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;

async function exported(databaseUrl: string): Promise<Figure[]> {
  const service = new Service({ DATABASE_URL: databaseUrl, TAPLINE_ROLES: 'web' });
  try {
    await service.start();
    const authorization = `Basic ${Buffer.from('admin:bench-secret').toString('base64')}`;
    const pid = service.process!.pid!;
    const write = async (path: string) => {
      const reply = await service.http.request({ method: 'GET', path, headers: { authorization } });
      let lines = 0;
      let peak = 0;
      for await (const chunk of reply.body) {
        for (const byte of chunk as Buffer) if (byte === 10) lines += 1;
        peak = Math.max(peak, residentMiB(pid));
      }
      return { lines, peak };
    };
    await write('/api/v2/audit_events/?format=csv&id__lte=20000');
    const before = residentMiB(pid);
    const began = performance.now();
    const { lines, peak } = await write('/api/v2/audit_events/?format=csv');
    const seconds = (performance.now() - began) / 1000;
    if (lines <= events) throw new Error(`${lines} lines of ${events} events`);
    const detail = `${lines} lines in ${seconds.toFixed(1)} s, ${before.toFixed(0)} MiB before, ${peak.toFixed(0)} MiB at most`;
    return [
      figure('audit', 'CSV of 1,000,000 events', lines / seconds, '/s', '>=', 50_000, detail),
      figure('audit', 'memory while it is written', peak - before, 'MiB', '<=', 50, detail),
    ];
  } finally {
    await service.stop();
  }
}

export async function audit(): Promise<Figure[]> {
  return onDatabase(async (db, databaseUrl) => {
    const cost = await costOfEntry(db);
    progress(`filling the log with ${events.toLocaleString('en')} events`);
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query(
      `insert into audit_events (action, actor_id, actor_name, ip, request_id, node, object_type, object_id, object_name, before, after)
       select 'update', 1, 'admin', '10.0.0.1', gen_random_uuid()::text, 'node', 'host', n, 'host ' || n, '{"enabled": true}',
         jsonb_build_object('enabled', false, 'description', 'changed by number ' || n) from generate_series(1, $1::int) n`,
      [events],
    );
    await client.query('analyze');
    await client.end();
    return [cost, ...(await exported(databaseUrl))];
  });
}
