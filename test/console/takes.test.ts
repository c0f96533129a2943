import { globSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { takes } from '../../console-kit/resources/takes.ts';
import { startService, type TestService } from '../support/service.ts';

const folder = new URL('../../plugins/console/web/resources/', import.meta.url);
/** Of what the console has pages for and deletes. */
const types = globSync('**/*.{ts,tsx}', { cwd: folder })
  .map((name) => readFileSync(new URL(name, folder), 'utf8'))
  .filter((text) => !text.includes('readOnly: true'))
  .flatMap((text) => /^ {2}type: '(\w+)',$/m.exec(text)?.[1] ?? []);

/** Of no interest to who deletes: a way by which somebody had a right. */
const silent = new Set(['role_assignments']);
/** One table of all templates: rows that belong to workflows only. */
const ofWorkflows = new Set(['templates', 'workflow_job_template_nodes']);

describe('what the console says goes with a record', () => {
  let service: TestService;
  before(async () => {
    // what other plugins keep below a record is theirs to tell
    service = await startService({ TAPLINE_PLUGINS: 'console' });
  });
  after(() => service?.stop());

  it('is all that the database deletes along, as far as it has a list', async () => {
    const { db, catalog } = service.services;
    const { rows } = await db.raw(
      `select c.confrelid::regclass::text as parent, c.conrelid::regclass::text as child
         from pg_constraint c where c.contype = 'f' and c.confdeltype = 'c'`,
    );
    const models = [...catalog.models.values()];
    expect(types).to.include.members(Object.keys(takes)).and.to.have.length.above(10);
    for (const type of types) {
      const { table } = catalog.type(type);
      const gone = (rows as { parent: string; child: string }[])
        .filter(({ parent, child }) => parent === table && !silent.has(child) && !ofWorkflows.has(child))
        .flatMap(({ child }) => models.find((model) => model.table === child)?.resource.path ?? []);
      const told = Object.values(takes[type] ?? {}).map((list) => list.split('?')[0]!.split('/').at(-2)!);
      const named = told.map((name) => (name === 'input_sources' ? 'credential_input_sources' : name));
      expect(named, type).to.include.members([...new Set(gone)]);
    }
  });

  it('can be counted', async () => {
    for (const [type, lists] of Object.entries(takes))
      for (const [label, list] of Object.entries(lists)) {
        const below = list.includes('{id}/');
        const { status } = await service.get(list.replace('{id}', '999999'));
        expect(status, `${type}: ${label}`).to.equal(below ? 404 : 200);
        if (!below) continue;
        const { resource } = service.services.catalog.type(type);
        const [path, , name] = list.split('/');
        expect([path, Object.keys(resource.sublists ?? {}).includes(name!)], list).to.deep.equal([resource.path, true]);
      }
  });
});
