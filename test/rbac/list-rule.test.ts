import { expect } from 'chai';
import knex from 'knex';
import { listRule } from '../../core/rbac/list-rule.ts';
import { allOf, anyOf, columnIs, type CoreRule } from '../../core/rbac/rules.ts';

const actor = { id: 2, username: 'reader', is_superuser: false, is_system_auditor: false };
/** Answers that each sub-select stands for the ids 7 and 8. */
const connection = { query: async () => ({ rows: [{ ids0: [7, 8], ids1: [7, 8] }] }) };
const client = {
  acquireConnection: async () => connection,
  releaseConnection: async () => undefined,
  emit: () => true,
};
const builders = knex({ client: 'pg' });

const held = (column: string): CoreRule => ({
  name: `held by ${column}`,
  row: async () => true,
  query: () => undefined,
  ids: () => ({ column, sql: 'select 7', bindings: [] }),
});

describe('the rule of a list', () => {
  const counted = async (...rules: CoreRule[]) => {
    const { apart } = await listRule({ client } as never, anyOf(...rules), actor as never);
    return apart.map((rule) => {
      const builder = builders('runs as t').select('id');
      rule.query(actor as never, builder, 't');
      return builder.toQuery();
    });
  };

  it('asks of no row what its kind has told', async () => {
    const [jobs, updates, ...others] = await counted(
      allOf(columnIs('kind', 'job'), held('inventory_id')),
      allOf(columnIs('kind', 'project_update'), held('project_id')),
    );
    expect(others).to.deep.equal([]);
    expect(jobs).to.contain('"kind" = \'job\'').and.to.contain('inventory_id');
    expect(updates).to.contain('project_id').and.not.to.contain('inventory_id');
    expect(updates).not.to.contain('not exists');
  });

  it('leaves out what another alternative allows, where both can hold', async () => {
    const [, second] = await counted(
      allOf(columnIs('kind', 'job'), held('inventory_id')),
      allOf(columnIs('status', 'new'), held('project_id')),
    );
    expect(second).to.contain('not exists').and.to.contain('inventory_id');
  });
});
