import type { Cell } from './key-ring.ts';

export const credentialCell = (id: number, input: string): Cell => ({
  table: 'credentials',
  column: `inputs.${input}`,
  id,
});
/** A password given at launch: one row per run and prompt. */
export const runSecretCell = (runId: number, name: string): Cell => ({
  table: 'run_secrets',
  column: `value.${name}`,
  id: runId,
});

export const settingCell = (key: string): Cell => ({ table: 'settings', column: 'value', id: key });

/** The default of a password question. */
export const surveyDefaultCell = (template: number, variable: string): Cell => ({
  table: 'templates',
  column: `survey_spec.${variable}`,
  id: template,
});

/** A variable of a run that stays hidden. */
export const secretVariableCell = (runId: number, name: string): Cell => ({
  table: 'runs',
  column: `survey_passwords.${name}`,
  id: runId,
});

/** A secret answer among prompts that are saved for later launches, in a row of whatever table. */
export const savedAnswerCell = (table: string, id: number, name: string): Cell => ({
  table,
  column: `survey_passwords.${name}`,
  id,
});

/** As sealed fields of resources are bound. */
export const webhookKeyCell = (template: number): Cell => ({ table: 'templates', column: 'webhook_key', id: template });

/** A secret of what a notification template is configured with. */
export const notificationSecretCell = (template: number, name: string): Cell => ({
  table: 'notification_templates',
  column: `notification_configuration.${name}`,
  id: template,
});
