import type { Actor } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { parent } from '../../core/rbac/role-rules.ts';
import { givenSql, recallDirect, recallRole, remember, roleColumns } from '../../core/rbac/row-roles.ts';

describe('Grants that come along with a row', () => {
  const ann = { id: 7, username: 'ann', is_superuser: false, is_system_auditor: false } as Actor;
  const columns = roleColumns([parent('organization_id', 'organization', 'execute_role')]);
  const rowWith = (...given: [number, string, boolean | null][]) => {
    const row = { organization_id: 3 };
    remember(row, ann, columns, given);
    return row;
  };
  const holds = (field: string, row: object, actor = ann) =>
    recallRole(actor, 'organization', field, row, 'organization_id');

  it('are those of roles that rules ask about, and of what implies them', () => {
    expect(givenSql(columns, 't', '7')).to.include(`'{execute_role,admin_role}'`);
    expect(holds('execute_role', rowWith([0, 'admin_role', true]))).to.equal(true);
    expect(holds('execute_role', rowWith([0, 'execute_role', null]))).to.equal(true);
    expect(holds('execute_role', rowWith())).to.equal(false);
  });

  it('leave open what was not asked, of another caller, or of another record', () => {
    const row = rowWith([0, 'admin_role', true]);
    expect(holds('admin_role', row)).to.equal(undefined);
    expect(holds('execute_role', row, { ...ann, id: 8 })).to.equal(undefined);
    expect(holds('execute_role', { ...row })).to.equal(undefined);
    row.organization_id = 4;
    expect(holds('execute_role', row)).to.equal(undefined);
  });

  it('tell a grant to the caller from one to a team', () => {
    const direct = (row: object) => recallDirect(ann, ['execute_role'], row, 'organization_id');
    expect(direct(rowWith([0, 'execute_role', true]))).to.equal(true);
    expect(direct(rowWith([0, 'execute_role', null]))).to.equal(false);
    expect(recallDirect(ann, ['auditor_role'], rowWith(), 'organization_id')).to.equal(undefined);
  });

  it('are none where rules ask for none', () => {
    expect(givenSql([], 't', '7')).to.equal(`'[]'::json`);
  });
});
