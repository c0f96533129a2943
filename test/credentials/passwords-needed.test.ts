import { expect } from 'chai';
import { passwordsNeeded } from '../../core/credentials/resolve.ts';
import { opensshKey } from './ssh-keys.ts';

const credential = (namespace: string | null, inputs: Record<string, string | boolean>) => ({
  type: { namespace },
  inputs,
});

describe('passwords that a launch needs', () => {
  it('are those that a machine credential asks for', () => {
    expect(
      passwordsNeeded([credential('ssh', { password: 'ASK', become_password: 'ASK', ssh_key_unlock: 'ASK' })]),
    ).to.deep.equal(['ssh_password', 'become_password', 'ssh_key_unlock']);
    expect(passwordsNeeded([credential('ssh', { password: 'stored', username: 'ASK' })])).to.deep.equal([]);
  });

  it('name each vault', () => {
    const vaults = [
      credential('vault', { vault_password: 'ASK' }),
      credential('vault', { vault_password: 'ASK', vault_id: 'prod' }),
      credential('vault', { vault_password: 'x', vault_id: 'dev' }),
    ];
    expect(passwordsNeeded(vaults)).to.deep.equal(['vault_password', 'vault_password.prod']);
  });

  it('include the passphrase of an encrypted key without one', () => {
    const key = opensshKey('pass');
    expect(passwordsNeeded([credential('ssh', { ssh_key_data: key })])).to.deep.equal(['ssh_key_unlock']);
    expect(passwordsNeeded([credential('ssh', { ssh_key_data: key, ssh_key_unlock: 'pass' })])).to.deep.equal([]);
    expect(passwordsNeeded([credential('ssh', { ssh_key_data: opensshKey() })])).to.deep.equal([]);
  });

  it('are none for other types', () => {
    expect(passwordsNeeded([credential('scm', { password: 'ASK' }), credential(null, { token: 'ASK' })])).to.deep.equal(
      [],
    );
  });
});
