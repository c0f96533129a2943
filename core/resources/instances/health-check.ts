import { type Action, field, type Row } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { capacitySql, errorsSql, livesSql } from '../../nodes/living.ts';
import { auditor, superuser } from '../../rbac/rules.ts';

/** `health_check/` of a node: nodes tell of themselves every few seconds, so a check reads what they told last. */
export const healthCheckAction = (deps: { db: Knex }): Action => ({
  access: { GET: auditor, POST: superuser },
  summary: 'How the node is',
  answers: {
    GET: {
      fields: {
        uuid: field.string(),
        hostname: field.string(),
        ip_address: field.string(),
        version: field.string(),
        last_health_check: field.datetime({ nullable: true }),
        errors: field.text(),
        cpu: field.decimal(),
        memory: field.integer(),
        cpu_capacity: field.integer(),
        mem_capacity: field.integer(),
        capacity: field.integer(),
      },
    },
    POST: { status: 200, fields: { msg: field.text() } },
  },
  async handler(call, row: Row & { hostname: string }) {
    if (call.method === 'GET') return { status: 200, body: await shown(deps.db, row.id) };
    const lives = await deps
      .db('instances')
      .where({ id: row.id })
      .whereRaw(livesSql('last_seen'))
      .update({ last_health_check: deps.db.fn.now() });
    const found = lives ? 'it lives' : 'it is not heard of';
    return { status: 200, body: { msg: `Health check of ${row.hostname}: ${found}.` } };
  },
});

async function shown(db: Knex, id: number): Promise<object> {
  const {
    cpu,
    last_health_check: at,
    ...row
  } = await db('instances as i')
    .where({ id })
    .first(
      'uuid',
      'hostname',
      'ip_address',
      'version',
      'last_health_check',
      'cpu',
      'memory',
      'cpu_capacity',
      'mem_capacity',
      { errors: db.raw(errorsSql('i')) },
      { capacity: db.raw(capacitySql('i')) },
    );
  return { ...row, last_health_check: at && new Date(at).toISOString(), cpu: String(cpu) };
}
