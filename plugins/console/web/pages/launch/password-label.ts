const labels: Record<string, string> = {
  ssh_password: 'Password for ssh',
  become_password: 'Password to become another user (sudo)',
  ssh_key_unlock: 'Passphrase of the ssh key',
  vault_password: 'Vault password',
};

/** `vault_password.prod` names the vault. */
export function passwordLabel(name: string): string {
  const [kind = '', ...vault] = name.split('.');
  const label = labels[kind] ?? name;
  return vault.length ? `${label} (${vault.join('.')})` : label;
}
