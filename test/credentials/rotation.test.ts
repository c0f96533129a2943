import { expect } from 'chai';
import type { Knex } from 'knex';
import { loadCredentials } from '../../core/credentials/resolve.ts';
import { runSecretCell } from '../../core/secrets/cells.ts';
import { keysInUse, rotateKeys } from '../../core/secrets/rotate.ts';
import { add } from '../inventory/seed.ts';
import { type Api, startApi } from '../support/api.ts';

const later = () => Date.now() + 25 * 3600 * 1000;

describe('rotating the keys', () => {
  let api: Api;
  let ids: number[];
  let run: number;
  const rotate = (now?: number) => rotateKeys({ db: api.db as Knex, keyRing: api.keyRing, now });
  before(async () => {
    api = await startApi();
    const type = (await api.db('credential_types').where({ namespace: 'ssh' }).first('id')).id;
    const made = Array.from({ length: 3 }, (_, index) =>
      add(api, '/api/v2/credentials/', {
        name: `c${index}`,
        user: 1,
        credential_type: type,
        inputs: { username: 'u', password: `secret ${index}`, become_password: 'ASK' },
      }),
    );
    ids = (await Promise.all(made)).map(({ id }) => id);
    [{ id: run }] = await api.db('runs').insert({ kind: 'job', status: 'pending' }).returning('id');
    await api.db('run_secrets').insert({
      run_id: run,
      name: 'ssh_password',
      value: api.keyRing.encrypt('asked', runSecretCell(run, 'ssh_password')),
    });
  });
  after(() => api?.stop());
  const readable = async () => {
    const credentials = await loadCredentials(api.db, api.keyRing, ids);
    const { value } = await api.db('run_secrets').where({ run_id: run }).first();
    return [
      ...credentials.map(({ inputs }) => String(inputs.password)),
      api.keyRing.decrypt(value, runSecretCell(run, 'ssh_password')),
    ];
  };

  it('puts every secret under the new key', async () => {
    const old = api.keyRing.activeKeyId();
    const report = await rotate();
    expect(report).to.deep.include({ reencrypted: 4, unreadable: [], dropped: [], kept: [old] });
    expect(report.active).not.to.equal(old);
    expect([...(await keysInUse(api.db))]).to.deep.equal([report.active]);
    expect((await readable()).toSorted()).to.deep.equal(['asked', 'secret 0', 'secret 1', 'secret 2']);
  });

  it('forgets old keys a day later, and only those that nothing needs', async () => {
    const stuck = api.keyRing.encrypt('mask', { table: 'runs', column: 'handle.mask', id: run });
    await api
      .db('runs')
      .where({ id: run })
      .update({ status: 'running', handle: JSON.stringify({ mask: stuck }) });
    const used = api.keyRing.activeKeyId();
    const report = await rotate(later());
    expect(report.dropped).to.have.length(1);
    expect(report.kept).to.deep.equal([used]);
    await api.db('runs').where({ id: run }).update({ status: 'successful' });
    expect((await rotate(later())).dropped).to.include(used);
    expect(await readable()).to.have.length(4);
  });

  it('works while secrets are written', async () => {
    const writes = ids.map((id, index) =>
      api.admin('PATCH', `/api/v2/credentials/${id}/`, { inputs: { password: `changed ${index}` } }),
    );
    await Promise.all([rotate(), rotate(), ...writes]);
    expect((await readable()).slice(0, 3).toSorted()).to.deep.equal(['changed 0', 'changed 1', 'changed 2']);
  });

  it('leaves alone what no key opens, and says so', async () => {
    const { inputs } = await api.db('credentials').where({ id: ids[0] }).first();
    await api
      .db('credentials')
      .where({ id: ids[0] })
      .update({ inputs: JSON.stringify({ password: inputs.password.replace(/:[0-9a-f]{12}:/, ':000000000000:') }) });
    const report = await rotate();
    expect(report.unreadable).to.have.length(1);
    expect(report.unreadable[0]).to.include(`credentials.inputs.password of ${ids[0]}`);
    expect((await api.admin('GET', `/api/v2/credentials/${ids[0]}/`)).body.inputs.password).to.equal('$encrypted$');
    expect(
      (await api.admin('PATCH', `/api/v2/credentials/${ids[0]}/`, { inputs: { password: 'new' } })).status,
      'it can still be replaced',
    ).to.equal(200);
  });
});
