import type { Actor, Rule } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import knex from 'knex';
import { resources } from './questions.ts';

const somebody = { id: 7, username: 'x', is_superuser: false, is_system_auditor: false } as Actor;

/** What the rows are called that rules are asked about: in lists and capabilities, and where they are copied or repeated. */
const rowNames = ['t', 'c'];

/** What is read under that name inside of what the rule asks. */
function declared(sql: string, alias: string): string[] {
  return sql.match(new RegExp(`(from|join) [\\w."]+ (as )?"?${alias}"?(?!["\\w.])`, 'gi')) ?? [];
}

describe('the rules of each resource', () => {
  const db = knex({ client: 'pg' });
  after(() => db.destroy());
  const rules = resources.flatMap(({ type, access, rights = {}, actions = {} }): [string, Rule][] => [
    ...Object.entries({ ...access, ...rights }).map(([key, rule]): [string, Rule] => [`${type}.${key}`, rule as Rule]),
    ...Object.entries(actions).flatMap(([key, action]) =>
      Object.values(action.access).map((rule): [string, Rule] => [`${type}/${key}`, rule as Rule]),
    ),
  ]);

  it('read nothing under the name of the row, which would be asked in its place', () => {
    expect(rules.length).to.be.greaterThan(200);
    expect(declared('select 1 from template_credentials c where c.id = "c".id', 'c')).to.have.length(1);
    const found: string[] = [];
    for (const alias of rowNames)
      for (const [name, rule] of rules) {
        const builder = db.queryBuilder().select(db.raw('1'));
        rule.query(somebody, builder, alias);
        for (const part of declared(builder.toString(), alias)) found.push(`${name} as ${alias}: ${part}`);
      }
    expect(found).to.deep.equal([]);
  });
});
