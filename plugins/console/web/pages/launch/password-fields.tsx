import type { Signal } from '@preact/signals';
import { type FieldErrors, TextField, t } from '@tapline/console-kit';

const labels: Record<string, string> = {
  ssh_password: t`Password for ssh`,
  become_password: t`Password to become another user (sudo)`,
  ssh_key_unlock: t`Passphrase of the ssh key`,
  vault_password: t`Vault password`,
};

/** `vault_password.prod` names the vault. */
function passwordLabel(name: string): string {
  const [kind = '', ...vault] = name.split('.');
  const label = labels[kind] ?? name;
  return vault.length ? `${label} (${vault.join('.')})` : label;
}

interface PasswordProps {
  names: readonly string[];
  passwords: Signal<Record<string, string>>;
  errors: FieldErrors;
}

/** What credentials leave open, to be given at each launch. */
export const PasswordFields = ({ names, passwords, errors }: PasswordProps) =>
  names.map((name) => (
    <TextField
      key={name}
      label={passwordLabel(name)}
      name={name}
      type="password"
      required
      value={passwords.value[name] ?? ''}
      errors={passwordErrors(name, errors)}
      onValue={(value) => void (passwords.value = { ...passwords.value, [name]: value })}
    />
  ));

const passwordErrors = (name: string, errors: FieldErrors): string[] => [
  ...(errors['passwords_needed_to_start']?.includes(name) ? [t`This password is needed to start.`] : []),
  ...(errors['credential_passwords']?.filter((text) => text.includes(name)) ?? []),
];
