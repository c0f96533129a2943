import type { Knex } from 'knex';
import { notFound } from '@tapline/plugin-sdk';
import type { KeyRing } from '../../../secrets/key-ring.ts';
import { askedBy } from '../../../surveys/survey.ts';
import { loadTemplate, type StoredTemplate } from './load.ts';
import { allPasswordsNeeded, type LaunchCredential, vaultId } from './passwords.ts';
import { jobPrompts } from './prompts.ts';

/** contract/jobs.md §4.1: what a launch of this template will ask for. */
export async function launchInfo(
  { db, keyRing }: { db: Knex; keyRing: Pick<KeyRing, 'decrypt'> },
  id: number,
): Promise<Record<string, unknown>> {
  const template = await loadTemplate(db, id);
  if (!template) throw notFound();
  const passwords = allPasswordsNeeded(template.credentials, keyRing);
  const questions = askedBy(template);
  const required = questions.filter((question) => question.required).map(({ variable }) => variable);
  const asks = jobPrompts.some(({ flag }) => template[flag]);
  return {
    can_start_without_user_input: !asks && !passwords.length && !required.length && template.inventory !== null,
    passwords_needed_to_start: passwords,
    ...Object.fromEntries(jobPrompts.map(({ flag }) => [flag, template[flag]])),
    survey_enabled: questions.length > 0,
    variables_needed_to_start: required,
    credential_needed_to_start: false,
    inventory_needed_to_start: template.inventory === null,
    job_template_data: { id: template.id, name: template['name'], description: template['description'] },
    defaults: defaultsOf(template, keyRing),
  };
}

/** Values of its own; what a prompt names is shown as records. */
const plain = jobPrompts.filter(({ names }) => !names).map(({ name }) => name);

function defaultsOf(template: StoredTemplate, keyRing: Pick<KeyRing, 'decrypt'>): Record<string, unknown> {
  return {
    ...Object.fromEntries(plain.map((name) => [name, template[name]])),
    inventory: { id: template.inventory?.id ?? null, name: template.inventory?.name ?? null },
    execution_environment: template['execution_environment'] ?? {},
    instance_groups: [],
    ...(template.credentials.length
      ? { credentials: template.credentials.map((credential) => credentialDefault(credential, keyRing)) }
      : {}),
    ...(template.labels.length ? { labels: template.labels } : {}),
  };
}

const credentialDefault = (credential: LaunchCredential, keyRing: Pick<KeyRing, 'decrypt'>) => ({
  id: credential.id,
  name: credential.name,
  credential_type: credential.type.id,
  passwords_needed: allPasswordsNeeded([credential], keyRing),
  ...(credential.type.kind === 'vault' ? { vault_id: vaultId(credential) } : {}),
});
