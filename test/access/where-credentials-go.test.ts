import { expect } from 'chai';
import { type AccessStage, openAccessStage } from './stage.ts';

describe('where credentials go', () => {
  let stage: AccessStage;
  let project: string;
  let source: string;
  let credential: (namespace: string) => Promise<number>;
  before(async () => {
    // an update that a new address starts is nothing to them
    stage = await openAccessStage({ launch: { insert: async () => 1, decide: async () => undefined } });
    const { db } = stage.api;
    const { organization, inventory } = stage.ids;
    credential = async (namespace: string) => {
      const type = db('credential_types').where({ namespace }).first('id');
      const row = { name: namespace, organization_id: organization, credential_type_id: type };
      return (await db('credentials').insert(row).returning('id'))[0].id;
    };
    await db('templates')
      .where({ id: stage.ids.project })
      .update({ credential_id: await credential('scm') });
    project = `projects/${stage.ids.project}/`;
    const made = await admin('POST', 'inventory_sources/', {
      name: 'cloud',
      inventory,
      source: 'vmware',
      source_vars: 'hostname: one.example.org',
      credential: await credential('vmware'),
    });
    expect(made.status, made.text).to.equal(201);
    source = `inventory_sources/${made.body.id}/`;
  });
  after(() => stage?.stop());
  const admin = (method: 'POST' | 'PATCH' | 'GET', path: string, body?: object) =>
    stage.api.admin(method, `/api/v2/${path}`, body);
  const as = (name: string, method: 'PUT' | 'PATCH', path: string, body: object) =>
    stage.as[name]!(method, `/api/v2/${path}`, body);

  it('are not sent to another server by who may change a project but not use its credential', async () => {
    const { body: before } = await admin('GET', project);
    const elsewhere = { scm_url: 'https://attacker.example.org/x.git' };
    const { status, body } = await as('project.admin_role', 'PATCH', project, elsewhere);
    expect(status).to.equal(403);
    expect(body.detail).to.include('scm_url').and.include(`credential ${before.credential}`);
    expect((await admin('GET', project)).body.scm_url).to.equal(before.scm_url);
    expect((await as('project.admin_role', 'PUT', project, { ...before, ...elsewhere })).status).to.equal(403);
    expect((await as('project.admin_role', 'PUT', project, { ...before, description: 'theirs' })).status).to.equal(200);
    expect((await as('project.admin_role', 'PATCH', project, { scm_branch: 'devel' })).status).to.equal(200);
    expect((await as('orgAdmin', 'PATCH', project, { scm_url: 'https://example.org/y.git' })).status).to.equal(200);
  });

  it('are not read by another script, file, image or server of a source', async () => {
    const { body: before } = await admin('GET', source);
    const image = await admin('POST', 'execution_environments/', { name: 'image', image: 'example.org/image' });
    for (const change of [
      { source_vars: 'hostname: attacker.example.org' },
      { execution_environment: image.body.id },
      { source: 'custom', source_script: '#!/bin/sh\nenv' },
    ]) {
      const { status, body } = await as('inventory.admin_role', 'PATCH', source, change);
      expect([status, body.detail], JSON.stringify(change)).to.deep.equal([
        403,
        `${Object.keys(change).join(', ')}: what is changed there says where credential ${before.credential} is sent, and you do not have the right to use it.`,
      ]);
    }
    const harmless = { ...before, description: 'theirs', overwrite: true };
    const kept = await as('inventory.admin_role', 'PUT', source, harmless);
    expect(kept.status, kept.text).to.equal(200);
    expect((await as('orgAdmin', 'PATCH', source, { source_vars: 'hostname: two.example.org' })).status).to.equal(200);
  });

  it('are not shown to another registry by who may change an execution environment', async () => {
    const { organization } = stage.ids;
    await stage.make.give(
      'organization',
      stage.rows.organization,
      'execution_environment_admin_role',
      stage.users.member,
    );
    const registry = await credential('registry');
    const given = { name: 'kept', image: 'example.org/kept', organization, credential: registry };
    const made = await admin('POST', 'execution_environments/', given);
    const path = `execution_environments/${made.body.id}/`;
    const image = { image: 'attacker.example.org/kept' };
    expect((await as('member', 'PATCH', path, image)).body.detail).to.match(/^image: .* credential \d+ is sent/);
    expect((await as('member', 'PATCH', path, { ...given, pull: 'always' })).status).to.equal(200);
    expect((await as('orgAdmin', 'PATCH', path, image)).status).to.equal(200);
  });
});
