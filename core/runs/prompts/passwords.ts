export interface Passwords {
  /** by name: `ssh_password`, `vault_password.prod` */
  passwords: Record<string, string>;
  errors: Record<string, string[]>;
}

const isPasswordName = (name: string): boolean =>
  /^(ssh_password|become_password|ssh_key_unlock|vault_password(\..+)?)$/.test(name);

/** In `credential_passwords`, or at the top level where that is missing (contract/jobs.md §7). */
export function readPasswords(body: Readonly<Record<string, unknown>>): Passwords {
  const nested = body['credential_passwords'];
  if (nested !== undefined && (typeof nested !== 'object' || nested === null || Array.isArray(nested)))
    return { passwords: {}, errors: { credential_passwords: ['Expected a dictionary of items.'] } };
  const passwords: Record<string, string> = {};
  const errors: Record<string, string[]> = {};
  for (const [name, value] of Object.entries((nested ?? body) as Record<string, unknown>)) {
    if (!isPasswordName(name) || value === null || value === '') continue;
    if (typeof value !== 'string' || value.includes('\0'))
      errors['credential_passwords'] = [`${name}: Not a valid string.`];
    else passwords[name] = value;
  }
  return { passwords, errors };
}
