import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineResource, field } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { auditor } from '../../core/rbac/rules.ts';
import { openStage, type Stage } from '../engine/stage.ts';
import type { TemplateDeps } from '../../core/runs/templates/resource.ts';
import { bootWith, testPlugin } from '../support/plugins.ts';
import { until } from '../support/until.ts';
import { hostCountKind } from './host-count.ts';
import { shelfResource } from './shelf.ts';

const root = join(import.meta.dirname, '../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

const organization = defineResource({
  type: 'organization',
  path: 'organizations',
  table: 'organizations',
  label: 'Organization',
  fields: { name: field.string({ required: true }), description: field.text() },
  access: { see: auditor },
  orderBy: ['name'],
});

describe('README', () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage([shelfResource, organization], {
      sql: `create table shelves (
        id bigint generated always as identity primary key, name text not null, description text not null default '',
        organization_id bigint references organizations, size integer not null,
        created timestamptz not null default now(), modified timestamptz not null default now())`,
    });
  });
  after(() => stage.close());

  it('shows the resource that this test runs', () => {
    const shown = readFileSync(join(import.meta.dirname, 'shelf.ts'), 'utf8').replace('../../core/rbac', '../rbac');
    expect(readme).to.include(shown.trim());
  });

  it('promises no more of it than it does', async () => {
    const [ops] = await stage.db('organizations').insert({ name: 'Ops team' }).returning('id');
    const made = await stage.send('POST', 'shelves/', { name: 'Top', organization: ops.id });
    expect(made.status).to.equal(201);
    expect(made.body).to.include({ type: 'shelf', size: 10 });
    expect(made.body.related).to.include({ floor: '/floors/1/' }).and.have.property('organization');
    expect(made.body.summary_fields.organization).to.include({ name: 'Ops team' });
    const found = await stage.get('shelves/?organization__name__icontains=ops&search=top&order_by=-size');
    expect(found.body.count).to.equal(1);
    const refused = await stage.send('PATCH', `shelves/${made.body.id}/`, { size: -1 });
    expect(refused.status).to.equal(400);
    expect((await stage.send('DELETE', `shelves/${made.body.id}/`)).status).to.equal(204);
  });

  it('shows the kind of run that this test runs', () => {
    const shown = readFileSync(join(import.meta.dirname, 'host-count.ts'), 'utf8').replaceAll('../../core/', '../../');
    expect(readme).to.include(shown.trim());
  });

  it('promises no more of that kind than it does', async () => {
    const deps = () => service.services as unknown as TemplateDeps;
    const lazily = {
      get db() {
        return deps().db;
      },
      get launch() {
        return deps().launch;
      },
    };
    const kind = hostCountKind(lazily);
    const plugin = testPlugin('host-count', (api) => api.runKind(kind));
    const service = await bootWith({ plugins: [plugin] });
    try {
      const template = (await service.post('host_count_templates/', { name: 'all' })).body.id;
      const { status, body } = await service.post(`host_count_templates/${template}/launch/`);
      expect(status, JSON.stringify(body)).to.equal(201);
      const ended = await until(async () => {
        const run = (await service.get(`host_counts/${body.host_count}/`)).body;
        return run.finished ? run : undefined;
      });
      expect(ended).to.include({ status: 'successful', hosts: 1 });
      expect((await service.get('unified_jobs/')).body.results[0].type).to.equal('host_count');
    } finally {
      await service.stop();
    }
  });

  it('refuses the resource without access', () => {
    const { access: _, ...open } = shelfResource;
    expect(() => defineResource(open as never)).to.throw('access');
  });

  it('names only scripts and files that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const named = [...readme.matchAll(/npm (?:run )?(start|test|[a-z:]+)(?=[\s`])/g)].map(([, name]) => name as string);
    const unknown = named.filter((name) => !['install', 'ci', 'pack'].includes(name) && !(name in scripts));
    expect(named).to.include('start');
    expect(unknown).to.deep.equal([]);
    const links = [...readme.matchAll(/\]\((?!https?:|#)([^)]+)\)/g)].map(([, path]) => path as string);
    expect(links.filter((path) => !existsSync(join(root, path)))).to.deep.equal([]);
  });
});
