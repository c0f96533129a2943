import { t } from '@tapline/console-kit/texts';
/** A question of a survey as the API has it (`survey_spec`). */
export interface Question {
  variable: string;
  question_name: string;
  question_description?: string;
  type: string;
  required: boolean;
  default?: string | number;
  choices?: string | string[];
  min?: number | null;
  max?: number | null;
}

export interface Survey {
  name?: string;
  description?: string;
  spec?: Question[];
}

export const questionTypes = [
  { value: 'text', label: t`Text` },
  { value: 'textarea', label: t`Long text` },
  { value: 'password', label: t`Password` },
  { value: 'integer', label: t`Whole number` },
  { value: 'float', label: t`Number` },
  { value: 'multiplechoice', label: t`One of several` },
  { value: 'multiselect', label: t`Some of several` },
];

export const isChoice = (type: string): boolean => type === 'multiplechoice' || type === 'multiselect';

export const linesOf = (choices: string | string[] | undefined): string[] =>
  (Array.isArray(choices) ? choices : (choices ?? '').split('\n')).filter((line) => line.trim() !== '');
