import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ledger } from './ledger.ts';
import type { Stage } from './stage.ts';

const tables = [
  'runs',
  'run_events',
  'instances',
  'notifications',
  'schedules',
  'idempotency_keys',
  'plugin_eda.event_logs',
  'plugin_eda.inbox',
  'plugin_outbound_webhooks.outbound_webhook_deliveries',
];

/** What somebody needs who looks for the reason: beside the data folder, the database and the proof, which stay as they are. */
export async function keepEvidence(stage: Stage, ledger: Ledger, notes: Record<string, unknown>): Promise<string> {
  const folder = join(stage.base, 'evidence');
  mkdirSync(folder, { recursive: true });
  const write = (name: string, content: unknown) =>
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content ?? null, null, 2));
  for (const node of stage.nodes) write(`${node.name}.log`, node.said);
  for (const [name, note] of Object.entries(notes)) write(`${name}.json`, note);
  write('told.json', { ...ledger, runs: Object.fromEntries(ledger.runs), events: [...ledger.events] });
  write('target.json', Object.fromEntries(stage.target.told));
  write('notified.json', Object.fromEntries(stage.target.notified));
  for (const table of tables)
    await stage.query(`select to_jsonb(t) as row from ${table} t`).then(
      (rows) => write(`${table}.json`, rows.map(({ row }) => JSON.stringify(row)).join('\n')),
      (error: unknown) => write(`${table}.json`, String(error)),
    );
  return stage.base;
}
