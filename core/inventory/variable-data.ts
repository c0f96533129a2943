import { type Action, type Call, type Rule, ValidationError } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { VariablesError, parseVariables, storedVariables } from './variables.ts';

/** `…/variable_data/`: the variables as a mapping. Writing replaces all of them, PATCH too. */
export function variableData(db: Knex, table: string, rules: { see: Rule; change: Rule }): Action {
  const write = async (call: Call, row: { id: number }) => {
    const text = Object.keys(call.body).length ? JSON.stringify(call.body) : '';
    try {
      parseVariables(text);
    } catch (error) {
      throw error instanceof VariablesError ? ValidationError.field('variables', error.message) : error;
    }
    await db(table)
      .where({ id: row.id })
      .update({ variables: text, modified: db.fn.now(), modified_by_id: call.actor?.id ?? null });
    return { status: 200, body: call.body };
  };
  return {
    access: { GET: rules.see, PUT: rules.change, PATCH: rules.change },
    summary: 'The variables as a mapping',
    handler: async (call, row) =>
      call.method === 'GET' ? { status: 200, body: storedVariables(row.variables) } : write(call, row),
  };
}
