import type { ExecSpec } from './executor.ts';
import { SpecError } from './spec-error.ts';

/** As core/credentials resolves them; `ASK` stands for an input that is asked for at launch. */
export interface JobCredential {
  name: string;
  type: { kind: string; namespace: string | null };
  inputs: Record<string, any>;
}

export interface Injection {
  argv: string[];
  files: ExecSpec['files'];
  sshKeys: ExecSpec['sshKeys'];
  /** texts that must never be shown */
  secrets: string[];
}

const ask = 'ASK';

/** A stored input, or the password given at launch where the credential says so. */
function secretOf(credential: JobCredential, field: string, given: string | undefined): string {
  const stored = credential.inputs[field];
  if (stored !== ask) return stored ? String(stored) : (given ?? '');
  if (given === undefined)
    throw new SpecError(`Credential "${credential.name}" asks for its ${field} at launch, but none was given.`);
  return given;
}

/** Secrets go by file, never by argument or environment: those can be seen in the list of processes. */
export function injectCredentials(credentials: readonly JobCredential[], passwords: Record<string, string>): Injection {
  const injection: Injection = { argv: [], files: [], sshKeys: [], secrets: [] };
  const secretFile = (name: string, content: string) => {
    if (/[\0\n]/.test(content))
      throw new SpecError('A password with a line break or a NUL character cannot be handed to the engine.');
    injection.files.push({ path: `env/${name}`, content, mode: 0o600 });
    injection.secrets.push(content);
    return `{workspace}/env/${name}`;
  };
  const machine = credentials.find(({ type }) => type.namespace === 'ssh');
  if (machine) injectMachine(machine, passwords, injection, secretFile);
  credentials
    .filter(({ type }) => type.kind === 'vault')
    .forEach((vault, index) => {
      const id = String(vault.inputs['vault_id'] ?? '');
      if (id.includes('@'))
        throw new SpecError(
          `The vault identifier ${JSON.stringify(id)} of credential "${vault.name}" may not contain "@".`,
        );
      const file = secretFile(
        `vault_${index}`,
        secretOf(vault, 'vault_password', passwords[id ? `vault_password.${id}` : 'vault_password']),
      );
      injection.argv.push(id ? `--vault-id=${id}@${file}` : `--vault-password-file=${file}`);
    });
  return injection;
}

function injectMachine(
  machine: JobCredential,
  passwords: Record<string, string>,
  injection: Injection,
  secretFile: (name: string, content: string) => string,
): void {
  const {
    username,
    ssh_key_data: key,
    ssh_public_key_data: certificate,
    become_method: method,
    become_username: becomeUser,
  } = machine.inputs;
  injection.argv.push(`--user=${username || 'root'}`);
  const password = secretOf(machine, 'password', passwords['ssh_password']);
  if (password) injection.argv.push(`--connection-password-file=${secretFile('ssh_password', password)}`);
  if (method) injection.argv.push(`--become-method=${method}`);
  if (becomeUser) injection.argv.push(`--become-user=${becomeUser}`);
  const becomePassword = secretOf(machine, 'become_password', passwords['become_password']);
  if (becomePassword) injection.argv.push(`--become-password-file=${secretFile('become_password', becomePassword)}`);
  if (!key) return;
  const passphrase = secretOf(machine, 'ssh_key_unlock', passwords['ssh_key_unlock']);
  injection.sshKeys.push({ key, passphrase: passphrase || null, ...(certificate && { certificate }) });
  injection.secrets.push(key, ...(passphrase ? [passphrase] : []));
}
