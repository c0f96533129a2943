import { type Action, type Call, type Row, type Rule, ValidationError, notFound } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Settings } from '../settings/settings.ts';
import { variablesProblem } from '../yaml/variables.ts';
import { inventoryVariables } from './document.ts';

const tables = { inventory: 'inventories', host: 'hosts', group: 'groups' } as const;

const mapping = { schema: { type: 'object' } };

export interface VariableServices {
  db: Knex;
  settings: Settings;
}

/** `…/variable_data/`: the variables as a mapping. Writing replaces all of them, PATCH too. */
export function variableData(
  { db, settings }: VariableServices,
  type: keyof typeof tables,
  rules: { see: Rule; change: Rule },
): Action {
  const write = async (call: Call, row: { id: number }) => {
    const text = Object.keys(call.body).length ? JSON.stringify(call.body) : '';
    const problem = await variablesProblem(text, { maxLength: Number(settings.get('MAX_VARIABLES_LENGTH')) });
    if (problem !== undefined) throw ValidationError.field('variables', problem);
    await db.transaction(async (trx) => {
      const found = () => trx(tables[type]).where({ id: row.id });
      const before = await found().forUpdate().first();
      const now = { variables: text, modified: trx.fn.now(), modified_by_id: call.actor?.id ?? null };
      const [after] = await found().update(now).returning('*');
      // it may have gone since it was looked up
      if (!after) throw notFound();
      await call.written(trx, type, after, before);
    });
    return { status: 200, body: call.body };
  };
  return {
    access: { GET: rules.see, PUT: rules.change, PATCH: rules.change },
    summary: 'The variables as a mapping',
    answers: { GET: mapping, PUT: mapping, PATCH: mapping },
    handler: async (call, row: Row & { variables: string }) =>
      call.method === 'GET' ? { status: 200, body: await inventoryVariables(row.variables) } : write(call, row),
  };
}
