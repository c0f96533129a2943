import type { Inputs } from '../../credentials/input-schema.ts';
import { evaluatedInputs } from '../../credentials/types/machine.ts';
import { holdsExpression } from '../../yaml/expressions.ts';
import { SpecError, type ExecSpec } from '@tapline/plugin-sdk';

/** As core/credentials resolves them; `ASK` stands for an input that is asked for at launch. */
export interface JobCredential {
  name: string;
  type: { kind: string; namespace: string | null };
  inputs: Inputs;
}

export interface Login {
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

/** How the engine logs in to hosts and opens vaults. Secrets go by file, never by argument or environment: those can be seen in the list of processes. */
export function logIn(credentials: readonly JobCredential[], passwords: Record<string, string>): Login {
  const login: Login = { argv: [], files: [], sshKeys: [], secrets: [] };
  const secretFile = (name: string, content: string) => {
    if (/[\0\n]/.test(content))
      throw new SpecError('A password with a line break or a NUL character cannot be handed to the engine.');
    login.files.push({ path: `env/${name}`, content, mode: 0o600 });
    login.secrets.push(content);
    return `{workspace}/env/${name}`;
  };
  const machine = credentials.find(({ type }) => type.namespace === 'ssh');
  if (machine) injectMachine(machine, passwords, login, secretFile);
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
      login.argv.push(id ? `--vault-id=${id}@${file}` : `--vault-password-file=${file}`);
    });
  return login;
}

function injectMachine(
  machine: JobCredential,
  passwords: Record<string, string>,
  login: Login,
  secretFile: (name: string, content: string) => string,
): void {
  const text = (name: string) => String(machine.inputs[name] ?? '');
  const [key, certificate] = [text('ssh_key_data'), text('ssh_public_key_data')];
  const [method, becomeUser] = [text('become_method'), text('become_username')];
  for (const name of evaluatedInputs)
    if (holdsExpression(text(name)))
      throw new SpecError(`The ${name} of credential "${machine.name}" holds an expression, which is not allowed.`);
  login.argv.push(`--user=${text('username') || 'root'}`);
  const password = secretOf(machine, 'password', passwords['ssh_password']);
  if (password) login.argv.push(`--connection-password-file=${secretFile('ssh_password', password)}`);
  if (method) login.argv.push(`--become-method=${method}`);
  if (becomeUser) login.argv.push(`--become-user=${becomeUser}`);
  const becomePassword = secretOf(machine, 'become_password', passwords['become_password']);
  if (becomePassword) login.argv.push(`--become-password-file=${secretFile('become_password', becomePassword)}`);
  if (!key) return;
  const passphrase = secretOf(machine, 'ssh_key_unlock', passwords['ssh_key_unlock']);
  login.sshKeys.push({ key, passphrase: passphrase || null, ...(certificate && { certificate }) });
  login.secrets.push(key, ...(passphrase ? [passphrase] : []));
}
