import type { Prompt, PromptValues } from '../../runs/prompts/prompt.ts';
import { promptsOf } from '../../runs/prompts/prompts.ts';
import { boolean, id, plainText, text } from '../../runs/prompts/values.ts';

type Asked = Pick<Prompt, 'name' | 'read' | 'column'>;

/** What a command is told, before it has been looked at. */
export interface CommandPrompts extends PromptValues {
  module_name: string;
  module_args: string;
  credential?: number;
  execution_environment?: number;
  forks?: number;
  limit?: string;
}

/** What a command is told: what jobs may be asked, and its own. */
export const commandPrompts: readonly Asked[] = [
  ...promptsOf([
    'inventory',
    'limit',
    'job_type',
    'forks',
    'verbosity',
    'diff_mode',
    'extra_vars',
    'execution_environment',
  ]),
  { name: 'credential', read: id },
  { name: 'module_name', read: plainText },
  { name: 'module_args', read: text },
  { name: 'become_enabled', read: boolean },
];
