import { expect } from 'chai';
import { roleDefinitions, roleFieldsOf, systemRoles } from '../../core/rbac/definitions.ts';
import { givenBy, givenBySystem, sourcesOf } from '../../core/rbac/implications.ts';
import { type TestDatabase, createTestDatabase } from '../support/database.ts';
import { contractRoles } from './contract-roles.ts';

describe('role definitions', () => {
  it('are those of the contract: fields in their order, names, and who else holds each', () => {
    const ours = Object.fromEntries(
      Object.entries(roleDefinitions).map(([type, fields]) => [
        type,
        Object.entries(fields).map(([field, { name, heldBy }]) => [field, name, [...heldBy].toSorted()]),
      ]),
    );
    const theirs = Object.fromEntries(
      Object.entries(contractRoles).map(([type, rows]) => [
        type,
        rows.map(([field, name, ...heldBy]) => [field, name, heldBy.toSorted()]),
      ]),
    );
    expect(ours).to.deep.equal(theirs);
  });

  it('name the system-wide roles and mark what only persons get', () => {
    expect(Object.entries(systemRoles).map(([key, { name }]) => [key, name])).to.deep.equal([
      ['system_administrator', 'System Administrator'],
      ['system_auditor', 'System Auditor'],
    ]);
    const userOnly = Object.entries(roleDefinitions).flatMap(([type, fields]) =>
      Object.entries(fields)
        .filter(([, one]) => one.userOnly)
        .map(([field]) => `${type}.${field}`),
    );
    expect(userOnly).to.deep.equal(['organization.admin_role', 'organization.member_role']);
  });

  it('describe every role in one line', () => {
    for (const fields of Object.values(roleDefinitions))
      for (const { description } of Object.values(fields)) expect(description).to.match(/^[^\n]+$/);
  });

  it('list the role fields of a type for OPTIONS, and none for types without roles', () => {
    expect(roleFieldsOf('job_template')).to.deep.equal(['admin_role', 'execute_role', 'read_role']);
    expect(roleFieldsOf('host')).to.equal(undefined);
  });
});

describe('role implications', () => {
  it('follow every step: ad hoc gives use, and with it reading', () => {
    expect(givenBy('inventory', 'self', 'adhoc_role')).to.deep.equal(['adhoc_role', 'use_role', 'read_role']);
    expect(givenBy('inventory', 'self', 'update_role')).to.deep.equal(['update_role', 'read_role']);
    expect(givenBy('inventory', 'organization', 'inventory_admin_role')).to.deep.equal([
      'admin_role',
      'update_role',
      'adhoc_role',
      'use_role',
      'read_role',
    ]);
    expect(givenBy('inventory', 'organization', 'member_role')).to.deep.equal([]);
  });

  it('give an organization administrator everything but the auditor role', () => {
    const all = Object.keys(roleDefinitions.organization);
    expect(givenBy('organization', 'self', 'admin_role')).to.deep.equal(
      all.filter((field) => field !== 'auditor_role'),
    );
    expect(givenBy('organization', 'self', 'auditor_role')).to.deep.equal(['auditor_role', 'read_role']);
    expect(givenBySystem('organization', 'system_auditor')).to.deep.equal(['auditor_role', 'read_role']);
  });

  it("let the auditor of the inventory's organization read a job template, and no more", () => {
    expect(givenBy('job_template', 'inventory.organization', 'auditor_role')).to.deep.equal(['read_role']);
    expect([...sourcesOf('job_template', 'execute_role').paths.organization!].toSorted()).to.deep.equal([
      'admin_role',
      'execute_role',
      'job_template_admin_role',
    ]);
  });

  it('reach instance groups from no organization', () => {
    for (const field of Object.keys(roleDefinitions.instance_group))
      expect(Object.keys(sourcesOf('instance_group', field).paths)).to.deep.equal(['self']);
  });

  it('refuse a field that the type does not have, naming those it has', () => {
    expect(() => sourcesOf('project', 'adhoc_role')).to.throw(
      'project has no role adhoc_role; it has admin_role, use_role, update_role, read_role',
    );
  });
});

describe('the role_fields table', () => {
  let test: TestDatabase;
  before(async () => (test = await createTestDatabase()));
  after(() => test.drop());

  it('holds the definitions, since records get their roles from it', async () => {
    const rows = await test.db('role_fields').orderBy(['content_type', 'position']);
    const stored: Record<string, string[]> = {};
    for (const { content_type, role_field } of rows) (stored[content_type] ??= []).push(role_field);
    expect(stored).to.deep.equal(
      Object.fromEntries(Object.entries(roleDefinitions).map(([type, fields]) => [type, Object.keys(fields)])),
    );
  });
});
